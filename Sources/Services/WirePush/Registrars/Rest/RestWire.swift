import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
package import WirePushContract

/// Builds the requests to a server from the templates of the file.
package struct RestWire: Sendable {
    private let address: PushAddress
    private let authorization: ServerCall.Authorization
    private let key: (header: String, value: Secret<String>)?
    private let register: RestTemplate
    private let update: RestTemplate?
    private let unregister: RestTemplate?
    private let events: [PushEvent: RestTemplate]

    package init(_ account: RestRegistrar, at address: String) {
        self.address = PushAddress(address)
        authorization = .init(account.authorization)
        key = account.apiKey.map { (account.apiKeyHeader.text, $0.text) }
        register = RestTemplate(account.register)
        update = account.update.map(RestTemplate.init)
        unregister = account.unregister.map(RestTemplate.init)
        let told: [(PushEvent, RestRequest?)] = [
            (.delivery, account.events.delivery), (.open, account.events.open), (.dismiss, account.events.dismiss),
        ]
        events = Dictionary(
            told.compactMap { event, request in request.map { (event, RestTemplate($0)) } },
            uniquingKeysWith: { $1 }
        )
    }

    init(
        at address: String,
        authorization: ServerCall.Authorization,
        key: (header: String, value: Secret<String>)?,
        register: RestTemplate,
        update: RestTemplate,
        unregister: RestTemplate
    ) {
        (self.address, self.authorization, self.key) = (PushAddress(address), authorization, key)
        (self.register, self.update, self.unregister, events) = (register, update, unregister, [:])
    }

    package func register(_ moment: PushRequestValues) -> PushCall {
        let isUpdate = moment.former != nil && moment.former != moment.token
        return call(isUpdate ? update ?? register : register, moment)
    }

    package func unregister(_ moment: PushRequestValues) -> PushCall? { unregister.map { call($0, moment) } }

    package func tell(_ event: PushEvent, of push: String, _ moment: PushRequestValues) -> PushCall? {
        events[event].map { call($0, moment, besides: ["pushId": push, "event": event.rawValue]) }
    }

    private func call(_ template: RestTemplate, _ moment: PushRequestValues, besides: [String: String] = [:])
        -> PushCall
    {
        let values = RestValues(moment).all.merging(besides) { $1 }
        var fields = template.fields(values)
        if let key { fields[key.header] = key.value.reveal() }
        let path = template.path(values)
        let tokens = [moment.token, moment.former].compactMap(\.self)
        let secrets = Set(tokens.flatMap(\.secretParts).map(\.percentEncoded)).filter(path.contains)
        return PushCall(
            template.method,
            address.below(path),
            fields: fields,
            body: template.body(values),
            authorization: authorization,
            // Of several, the whole path is one.
            secretInPath: secrets.first.map { Secret(secrets.count > 1 ? path : $0) }
        )
    }
}

extension RestWire: PushWire {
    var server: String { address.below("") }

    func facts(_ moment: PushRequestValues) -> String {
        var moment = moment
        (moment.token, moment.former, moment.time, moment.id) = (nil, nil, 0, "")
        let call = call(register, moment)
        let fields = call.fields.all.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        return "\(call.method.name) \(call.address)\n\(fields)\n\n\(String(decoding: call.body, as: UTF8.self))"
    }

    func call(_ operation: PushOperation, _ moment: PushRequestValues) -> PushCall? {
        switch operation.kind {
        case .register, .update: return moment.token == nil ? nil : register(moment)
        case .unregister:
            var moment = moment
            moment.token = moment.known
            return unregister(moment)
        case .delivery, .open, .dismiss:
            guard let event = operation.kind.event, let push = operation.push else { return nil }
            return tell(event, of: push, moment)
        default: return nil
        }
    }
}

/// The variables of request templates, and their values.
struct RestValues {
    let all: [String: String]

    static let names = [
        "token", "provider", "oldToken", "oldProvider", "endpoint", "p256dh", "auth", "oldEndpoint", "deviceId",
        "alias", "haloId", "user", "app", "appVersion",
        "environment", "platform", "osVersion", "deviceType", "model", "language", "requestId", "time",
    ]
    /// The variables of the requests that report push events.
    static let eventNames = ["pushId", "event"]

    init(_ moment: PushRequestValues) {
        let device = moment.device
        let subscription = moment.token?.subscription
        // A server that removes the old token must not remove the new one.
        let former = moment.former == moment.token ? nil : moment.former
        let values: [(String, String?)] = [
            ("token", moment.token?.text), ("provider", moment.token?.provider.rawValue),
            ("endpoint", subscription?.endpoint), ("p256dh", subscription?.keys.publicKey),
            ("auth", subscription?.keys.auth), ("oldEndpoint", former?.subscription?.endpoint),
            ("oldToken", former?.text), ("oldProvider", former?.provider.rawValue),
            ("deviceId", device.alias), ("alias", device.alias), ("haloId", device.id), ("user", moment.user),
            ("app", device.appID), ("appVersion", device.appVersion), ("environment", device.environment),
            ("platform", device.platform), ("osVersion", device.systemVersion), ("deviceType", device.type),
            ("model", device.model), ("language", device.language), ("requestId", moment.id),
            ("time", "\(moment.seconds)"),
        ]
        all = Dictionary(values.compactMap { name, value in value.map { (name, $0) } }, uniquingKeysWith: { $1 })
    }
}
