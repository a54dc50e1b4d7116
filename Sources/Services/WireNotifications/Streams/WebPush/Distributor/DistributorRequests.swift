import WireBase
import WireMessageBus
import WirePushContract

/// The requests of the connector to a distributor, in the version that it has.
struct DistributorRequests: Sendable {
    let distributor: Distributor
    let version: UnifiedPush.Version
    let bus: any MessageBus
    let app: (id: String, name: String)

    /// What became of a registration.
    enum Result: Sendable, Equatable {
        /// The endpoint has come, or comes later.
        case accepted
        /// A retry would fail too, unless a person acts.
        case rejected(String)
        case failed(String)
    }

    private static let longestDescription = 100

    // MARK: Registering

    func register(_ channel: WebPushState.Channel) async throws(BusFailure) -> Result {
        switch version {
        case .second:
            var options: [(name: String, value: BusValue)] = [
                ("service", .string(app.id)), ("token", .string(channel.id)), ("description", .string(description)),
            ]
            if let sender = channel.sender { options.append(("vapid", .string(sender))) }
            let fields = try await call("Register", [.options(options)]).first?.options ?? [:]
            return result(fields["success"]?.text, fields["reason"]?.text)
        case .first:
            let arguments = [app.id, channel.id, description].map(BusValue.string)
            let reply: [BusValue]
            do throws(BusFailure) { reply = try await call("Register", arguments) } catch {
                // Some do not have the description.
                guard error.isOfSignature else { throw error }
                reply = try await call("Register", Array(arguments.prefix(2)))
            }
            return result(reply.first?.text, reply.dropFirst().first?.text)
        }
    }

    /// The app in the distributor's list.
    private var description: String {
        var text = app.name.prefix(Self.longestDescription)
        while text.utf8.count > Self.longestDescription { text.removeLast() }
        return text.filter { $0 != "\0" }
    }

    private func result(_ success: String?, _ reason: String?) -> Result {
        let name = "the distributor \(distributor.title)"
        switch (success, reason) {
        case ("REGISTRATION_FAILED", "VAPID_REQUIRED"):
            return .rejected("\(name) requires the key of the sender (VAPID_REQUIRED): write 'vapid' in the registrar")
        case ("REGISTRATION_FAILED", "ACTION_REQUIRED"):
            return .rejected("\(name) waits for an action of its user (ACTION_REQUIRED)")
        case ("REGISTRATION_FAILED", "UNAUTHORIZED"):
            return .rejected("\(name) does not allow this app (UNAUTHORIZED)")
        case ("REGISTRATION_REFUSED", let reason):
            return .rejected("\(name) rejected the registration\(Self.given(reason))")
        case ("REGISTRATION_FAILED", let reason):
            return .failed("\(name) failed to register\(Self.given(reason))")
        case (nil, _): return .failed("\(name) sent an invalid reply to 'Register'")
        default: return .accepted
        }
    }

    private static func given(_ reason: String?) -> String {
        guard let reason, !reason.isEmpty else { return "" }
        return ": \(reason.shown(upTo: 100))"
    }

    // MARK: Unregistering

    /// Ends a registration; one that the distributor does not know has ended.
    func unregister(_ token: String) async throws(BusFailure) {
        do throws(BusFailure) {
            switch version {
            case .second: _ = try await call("Unregister", [.options([("token", .string(token))])])
            case .first: _ = try await call("Unregister", [.string(token)], within: Distributor.limit)
            }
        } catch {
            // A method of the first version may have no reply.
            let isDone = error.isRefusal && !error.isWithoutServer || error.kind == .timedOut && version == .first
            guard isDone else { throw error }
        }
    }

    private func call(_ member: String, _ arguments: [BusValue], within limit: Duration = Distributor.registrationLimit)
        async throws(BusFailure) -> [BusValue]
    {
        let call = BusCall(
            member,
            of: version.distributor,
            at: UnifiedPush.distributorPath,
            on: distributor.owner,
            arguments
        )
        return try await bus.call(call, within: limit).values
    }
}

extension BusFailure {
    /// Whether the peer has the method with other arguments.
    fileprivate var isOfSignature: Bool {
        let errors = ["InvalidArgs", "InvalidSignature", "UnknownMethod"]
        return errors.contains { kind == .refused(name: "org.freedesktop.DBus.Error.\($0)") }
    }
}
