import WireBase
import WireConfig
import WireHTTP
package import WirePushContract

/// Builds the requests to an Altcraft platform as its SDKs do.
package struct AltcraftWire: Sendable {
    let address: PushAddress
    let account: AltcraftRegistrar
    private let authorization: AltcraftAuthorization

    package init(_ account: AltcraftRegistrar, _ authorization: AltcraftAuthorization, at address: String) {
        (self.account, self.authorization) = (account, authorization)
        self.address = PushAddress(address)
    }

    private var isAndroid: Bool { account.platform == .android }

    /// `ios-apns`, `android-firebase`.
    package static func name(of provider: PushProvider, on platform: AltcraftPlatform) -> String {
        "\(platform.rawValue)-\(provider.rawValue)"
    }

    private func name(_ provider: PushProvider) -> String {
        if provider == .webPush, let name = account.webPushProvider { return name.text }
        return Self.name(of: provider, on: account.platform)
    }

    /// The server uses `Request-ID` to recognize repeated requests.
    private func fields(_ id: String) -> Fields {
        ["Authorization": authorization.header.reveal(), "Request-ID": id]
    }

    private func truth(_ value: Bool) -> String {
        isAndroid ? (value ? "true" : "false") : (value ? "1" : "0")
    }

    private func text(_ value: JSONValue?) -> JSONValue { value ?? .object([]) }

    // MARK: Subscriptions

    /// The status of a subscription.
    package enum Status: String, Sendable, CaseIterable {
        case subscribed, unsubscribed, suspended
    }

    package func subscribe(
        _ token: ProviderToken,
        _ status: Status,
        _ parameters: AltcraftParameters,
        _ moment: PushRequestValues
    ) -> PushCall {
        let provider = name(token.provider)
        let fields = device(moment.device) + app(moment) + parameters.customFields
        let body = JSONValue.members([
            "time": .integer(moment.seconds), "subscription_id": .string(token.text),
            "subscription": .members([
                "subscription_id": .string(token.text), "provider": .string(provider),
                "status": .string(status.rawValue), "fields": .object(Self.unique(fields)),
                "cats": parameters.categories.isEmpty ? nil : .array(parameters.categories.map(\.json)),
            ]),
            "profile_fields": .object(parameters.profileFields), "replace": .boolean(parameters.replace),
            "skip_triggers": .boolean(parameters.skipTriggers),
        ])
        let query = [
            ("provider", provider), ("matching_mode", authorization.matchingMode), ("sync", truth(parameters.sync)),
        ]
        return PushCall(
            .post,
            address.below("subscription/push/subscribe/", query: query),
            fields: self.fields(moment.id),
            json: body
        )
    }

    package func update(_ former: ProviderToken, _ token: ProviderToken, id: String) -> PushCall {
        var query = [("provider", name(token.provider)), ("subscription_id", former.text)]
        if isAndroid { query.append(("sync", truth(authorization.isRoleToken))) }
        return PushCall(
            .post,
            address.below("subscription/push/update/", query: query),
            fields: fields(id),
            json: .members([
                "old_token": .string(former.text), "old_provider": .string(name(former.provider)),
                "new_token": .string(token.text), "new_provider": .string(name(token.provider)),
            ])
        )
    }

    package func unsuspend(_ token: ProviderToken, id: String) -> PushCall {
        var query = [("provider", name(token.provider)), ("subscription_id", token.text)]
        if !isAndroid { query.append(("matching_mode", authorization.matchingMode)) }
        return PushCall(
            .post,
            address.below("subscription/push/unsuspend/", query: query),
            fields: fields(id),
            json: .members([
                "subscription": .members([
                    "subscription_id": .string(token.text), "provider": .string(name(token.provider)),
                ]),
                "replace": .boolean(true),
            ])
        )
    }

    package func status(_ mode: PushStatusQuery, _ token: ProviderToken?, id: String) -> PushCall {
        var query: [(String, String)] = []
        if mode != .latest, let token { query.append(("provider", name(token.provider))) }
        if mode == .current, let token { query.append(("subscription_id", token.text)) }
        query.append(("matching_mode", authorization.matchingMode))
        var fields = fields(id)
        fields["Content-Type"] = "application/json"
        return PushCall(.get, address.below("subscription/push/status/", query: query), fields: fields)
    }

    // MARK: What happened

    /// Uses the push id as the platform made it: only the iOS SDK of 2025 appends the kind of event.
    ///
    /// That SDK sends the result as `Request-ID` as well, so that of a push to many devices only one open would count.
    package func eventCall(_ event: PushEvent, of push: String, _ moment: PushRequestValues) -> PushCall? {
        guard event != .dismiss else { return nil }
        return PushCall(
            .post,
            address.below(
                "event/push/\(event.rawValue)",
                query: [("matching_mode", authorization.matchingMode)]
            ),
            fields: fields(moment.id),
            json: .members(["time": .integer(moment.seconds), "smid": .string(push)])
        )
    }

    package func changeProfile(_ parameters: AltcraftParameters, id: String) -> PushCall {
        PushCall(
            .post,
            address.below("profile/update"),
            fields: fields(id),
            json: .members([
                "profile_fields": .object(parameters.profileFields),
                "skip_triggers": .boolean(parameters.skipTriggers),
            ])
        )
    }

    package func eventCall(_ event: MobileEvent, _ moment: PushRequestValues) -> PushCall {
        let boundary = "corewire-\(moment.id)"
        var event = event
        event.subscription = event.subscription.map(inWordsOfPlatform)
        var fields: Fields = ["Authorization": authorization.header.reveal()]
        if isAndroid { fields["Request-ID"] = moment.id }
        fields["Content-Type"] = "multipart/form-data; boundary=\(boundary)"
        let query = [("i", event.siteID), ("tr", "px"), ("t", "open"), ("v", "2")]
        return PushCall(
            .post,
            address.below("event/post", query: query),
            fields: fields,
            body: event.body(
                boundary,
                seconds: moment.seconds,
                minutesAhead: moment.device.minutesAheadOfUTC ?? 0,
                matching: authorization.matching
            )
        )
    }

    /// The SDKs differ in the name of custom fields; they put the platform before provider names.
    private func inWordsOfPlatform(_ subscription: JSONValue) -> JSONValue {
        guard let members = subscription.members else { return subscription }
        return .object(
            members.map { key, value in
                switch key {
                case "customFields", "custom_fields": (isAndroid ? "custom_fields" : "customFields", value)
                case "provider":
                    (key, value.string.flatMap { PushProvider(rawValue: $0) }.map { .string(name($0)) } ?? value)
                default: (key, value)
                }
            }
        )
    }

    // MARK: The device and the app

    private func device(_ device: PushDevice) -> [(key: String, value: JSONValue)] {
        let known: [(String, String?)] = [
            ("_os", isAndroid ? "Android" : "IOS"), ("_os_tz", device.minutesAheadOfUTC.map(Self.zone)),
            ("_os_language", device.language), ("_os_ver", device.systemVersion),
            ("_device_type", isAndroid ? "mob" : "Mobile"), ("_device_model", device.model),
            ("_device_name", device.alias.isEmpty ? nil : device.alias),
        ]
        return known.compactMap { name, value in value.map { (name, .string($0)) } } + [("_ad_track", .boolean(false))]
    }

    private func app(_ moment: PushRequestValues) -> [(key: String, value: JSONValue)] {
        let info = account.appInfo
        let known: [(String, String?)] = [
            ("_app_id", info.appID ?? moment.device.appID),
            ("_app_iid", info.appIID ?? (moment.device.alias.isEmpty ? nil : moment.device.alias)),
            ("_app_ver", info.appVersion ?? moment.device.appVersion),
        ]
        return known.compactMap { name, value in value.map { (name, .string($0)) } }
    }

    /// `+0300`.
    static func zone(_ minutes: Int) -> String {
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        return "\(minutes < 0 ? "-" : "+")\(hours < 10 ? "0" : "")\(hours)\(rest < 10 ? "0" : "")\(rest)"
    }

    /// The last of members with the same name counts.
    private static func unique(_ members: [(key: String, value: JSONValue)]) -> [(key: String, value: JSONValue)] {
        members.enumerated().filter { index, member in
            !members[(index + 1)...].contains { $0.key == member.key }
        }.map(\.element)
    }
}
