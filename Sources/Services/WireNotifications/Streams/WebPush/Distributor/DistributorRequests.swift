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
        /// The distributor may still execute it.
        case unanswered
        /// A retry would fail too, unless a person acts.
        case rejected(String)
        case failed(String)
    }

    private static let longestDescription = 100

    // MARK: Registering

    /// Registers a channel; the reply of a distributor that is offline may take days.
    func result(of channel: WebPushState.Channel) async -> Result {
        do throws(BusFailure) { return try await register(channel) } catch {
            switch error.kind {
            case .timedOut, .cancelled, .lost: return .unanswered
            // The distributor is about to leave the bus.
            case .refused where error.isWithoutServer: return .unanswered
            default: return .failed(error.reason)
            }
        }
    }

    private func register(_ channel: WebPushState.Channel) async throws(BusFailure) -> Result {
        switch version {
        case .second:
            var options: [(name: String, value: BusValue)] = [
                ("service", .string(app.id)), ("token", .string(channel.id)), ("description", .string(description)),
            ]
            if let sender = channel.sender { options.append(("vapid", .string(sender))) }
            let fields = try await register(channel, [.options(options)]).first?.options ?? [:]
            return result(fields["success"]?.text, fields["reason"]?.text, channel)
        case .first:
            let arguments = [app.id, channel.id, description].map(BusValue.string)
            let reply: [BusValue]
            do throws(BusFailure) { reply = try await register(channel, arguments) } catch {
                // Some do not have the description.
                guard error.isOfSignature else { throw error }
                reply = try await register(channel, Array(arguments.prefix(2)))
            }
            return result(reply.first?.text, reply.dropFirst().first?.text, channel)
        }
    }

    private func register(_ channel: WebPushState.Channel, _ arguments: [BusValue]) async throws(BusFailure)
        -> [BusValue]
    {
        try await call("Register", of: channel.id, arguments, within: Distributor.registrationLimit)
    }

    /// The app in the distributor's list.
    private var description: String {
        var text = app.name.prefix(Self.longestDescription)
        while text.utf8.count > Self.longestDescription { text.removeLast() }
        return text.filter { $0 != "\0" }
    }

    private func result(_ success: String?, _ reason: String?, _ channel: WebPushState.Channel) -> Result {
        let name = "the distributor \(distributor.title)"
        let reason = reason?.replacing(channel.id, with: "…")
        switch (success, reason) {
        case ("REGISTRATION_SUCCEEDED", _): return .accepted
        case ("NEW_ENDPOINT", _) where version == .first: return .accepted
        case ("REGISTRATION_FAILED", "VAPID_REQUIRED"):
            let registrar = "the registrar \(channel.registrar.quoted)"
            return .rejected("\(name) requires the key of the sender (VAPID_REQUIRED): write 'vapid' in \(registrar)")
        case ("REGISTRATION_FAILED", "ACTION_REQUIRED"):
            return .rejected("\(name) waits for an action of its user (ACTION_REQUIRED)")
        case ("REGISTRATION_FAILED", "UNAUTHORIZED"):
            return .rejected("\(name) does not allow this app (UNAUTHORIZED)")
        case ("REGISTRATION_REFUSED", let reason):
            return .rejected("\(name) rejected the registration\(Self.given(reason))")
        case ("REGISTRATION_FAILED", let reason):
            return .failed("\(name) failed to register\(Self.given(reason))")
        default: return .failed("\(name) sent an invalid reply to 'Register'")
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
            case .second:
                let arguments = [BusValue.options([("token", .string(token))])]
                _ = try await call("Unregister", of: token, arguments, within: Distributor.endLimit)
            case .first: _ = try await call("Unregister", of: token, [.string(token)], within: Distributor.limit)
            }
        } catch {
            // A method of the first version may have no reply.
            let isDone = error.isOfSignature || error.isOfMethod || error.kind == .timedOut && version == .first
            guard isDone else { throw error }
        }
    }

    /// Calls a method; what the distributor says does not repeat the token, which is a secret.
    private func call(_ member: String, of token: String, _ arguments: [BusValue], within limit: Duration)
        async throws(BusFailure) -> [BusValue]
    {
        let call = BusCall(
            member,
            of: version.distributor,
            at: UnifiedPush.distributorPath,
            on: distributor.owner,
            arguments
        )
        do throws(BusFailure) { return try await bus.call(call, within: limit).values } catch {
            let isSilent = error.kind == .timedOut
            throw BusFailure(
                error.kind,
                isSilent
                    ? "the distributor \(distributor.title) did not reply" : error.reason.replacing(token, with: "…")
            )
        }
    }
}

extension BusFailure {
    /// Whether the peer has the method with other arguments.
    fileprivate var isOfSignature: Bool { isError("InvalidArgs", "InvalidSignature", "UnknownMethod") }
}
