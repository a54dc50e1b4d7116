import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// `POST /altcraft/corewire/send`: lets corewire make the platform send, which real platforms do from their own
/// pages.
struct AltcraftSender: Sendable {
    let context: PushRequestContext

    typealias Sent = UnifiedPushSender.Sent

    private struct Order {
        var message = Message()
        var profiles: [String] = []
        var categories: [String] = []
        var tokens: [String] = []
        var providers: [String] = []

        init(_ members: inout JSONMembers) throws(Problem) {
            message = try members.object("message", Message.init) ?? Message()
            let target = try members.object("to") { to throws(Problem) in
                (
                    try to.texts("profiles") ?? [], try to.texts("categories") ?? [],
                    try to.texts("subscriptions") ?? [], try to.texts("providers") ?? []
                )
            }
            if let target { (profiles, categories, tokens, providers) = target }
        }
    }

    struct Message {
        var title: String?
        var body: String?
        var icon: String?
        var media: String?
        var link: String?
        var buttons: [JSONValue] = []
        var sound: String?
        var badge: Int?
        var isSilent = false
        var data: [(key: String, value: JSONValue)] = []
        var lifetime: Int?

        init() {}
    }

    func send(_ request: Request) async throws -> Sent {
        guard try await context.isSender(request) else {
            throw EmbeddedError.altcraft(.unauthorized, "expected the application's id and its master secret")
        }
        let order = try request.altcraftJSON { members throws(Problem) in try Order(&members) }
        let id = try context.machine.uuid()
        for provider in AltcraftProvider.all(in: context.admitted) {
            guard DeviceMailbox.PendingPush.carries(order.message.payload(for: provider, id: id)) else {
                let limit = DeviceMailbox.PendingPush.limit
                throw EmbeddedError.altcraft(
                    .badRequest,
                    "message: expected \(limit) bytes at most in the form of \(provider.name)"
                )
            }
        }
        let pendingPushes = try await pendingPushes(order, id)
        let mailing = JSONValue.members([
            "id": .string(id), "sent": context.now, "devices": .integer(pendingPushes.count), "delivered": .integer(0),
            "opened": .integer(0),
        ])
        try await context.records.put(mailing, id, on: .mailings)
        return try await context.deliver(pendingPushes, id, via: "altcraft")
    }

    /// Returns one push for each device, even where several profiles have that device.
    private func pendingPushes(_ order: Order, _ id: String) async throws -> [DeviceMailbox.PendingPush] {
        var pendingPushes: [DeviceMailbox.PendingPush] = []
        let admitted = context.admitted
        var known: Set<String> = []
        try await context.records.each(on: .profiles) { _, json in
            guard let profile = AltcraftProfile(json), order.profiles.isEmpty || order.profiles.contains(profile.id)
            else { return }
            for subscription in profile.subscriptions where subscription.status == .subscribed {
                guard subscription.wants(order.categories),
                    order.tokens.isEmpty || order.tokens.contains(subscription.token),
                    order.providers.isEmpty || order.providers.contains(subscription.provider),
                    let provider = AltcraftProvider(subscription.provider, in: admitted),
                    let carrier = provider.carrier,
                    known.insert("\(subscription.provider)\n\(subscription.token)").inserted
                else { continue }
                pendingPushes.append(
                    DeviceMailbox.PendingPush(
                        provider: carrier,
                        token: subscription.token,
                        payload: order.message.payload(for: provider, id: id),
                        lifetime: order.message.lifetime
                    )
                )
            }
        }
        return pendingPushes
    }
}

extension AltcraftSender.Message {
    fileprivate init(_ members: inout JSONMembers) throws(Problem) {
        title = try members.textIfAny("title")
        body = try members.textIfAny("body")
        icon = try members.textIfAny("icon")
        media = try members.textIfAny("media")
        link = try members.textIfAny("clickUrl")
        sound = try members.textIfAny("sound")
        badge = try members.integerIfAny("badge", in: 0...Int(Int32.max))
        isSilent = try members.booleanIfAny("silent") ?? false
        lifetime = try members.integerIfAny("ttl", in: 0...Int(Int32.max))
        buttons =
            try members.objects("buttons") { button throws(Problem) in
                JSONValue.members([
                    "label": .string(try button.text("label")), "link": .string(try button.textIfAny("link") ?? ""),
                ])
            } ?? []
        guard buttons.count <= 3 else { throw members.failure("expected 3 at most", "buttons") }
        data = try members.object("data") { data throws(Problem) in try data.all() } ?? []
        guard !data.contains(where: { $0.key == "aps" || $0.key.hasPrefix("_") }) else {
            throw members.failure("'aps' and names that begin with '_' are reserved for the platform", "data")
        }
    }

    /// The payload as the provider delivers it to a device.
    fileprivate func payload(for provider: AltcraftProvider, id: String) -> JSONValue {
        if provider.isApple { return applePayload(id) }
        let data = JSONValue.object(androidData(id).map { ($0.key, $0.value.asPushText) })
        // Huawei delivers a string.
        return .members(["data": provider.carrier == "huawei" ? .string(data.text()) : data])
    }

    private var buttonsText: JSONValue? { buttons.isEmpty ? nil : .string(JSONValue.array(buttons).text()) }

    private func applePayload(_ id: String) -> JSONValue {
        let alert = JSONValue.members(["title": title.map(JSONValue.string), "body": body.map(JSONValue.string)])
        let aps = JSONValue.members([
            "alert": isSilent ? nil : alert, "sound": isSilent ? nil : .string(sound ?? "default"),
            "badge": badge.map(JSONValue.integer), "mutable-content": isSilent ? nil : .integer(1),
            "content-available": isSilent ? .integer(1) : nil,
        ])
        let own = JSONValue.members([
            "_ac_push": .string("1"), "_uid": .string(id), "_buttons": buttonsText,
            "_media": media.map(JSONValue.string), "_click-url": link.map(JSONValue.string),
        ])
        return .object([("aps", aps)] + (own.members ?? []) + data)
    }

    private func androidData(_ id: String) -> [(key: String, value: JSONValue)] {
        let own = JSONValue.members([
            "_ac_push": .string("1"), "_uid": .string(id), "_message_id": .string(id),
            "_title": isSilent ? nil : title.map(JSONValue.string),
            "_body": isSilent ? nil : body.map(JSONValue.string), "_icon": icon.map(JSONValue.string),
            "_image": media.map(JSONValue.string), "_click_action": link.map(JSONValue.string),
            "_buttons": buttonsText, "_soundless": isSilent ? .string("true") : nil,
        ])
        return (own.members ?? []) + data
    }
}
