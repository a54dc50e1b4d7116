import WireBase
import WireMessageBus

/// A connection to a message bus by sd-bus, on its own thread.
final class BusConnection: MessageBus {
    let name: String
    private let mailbox: BusMailbox

    private static let bus = "org.freedesktop.DBus"
    /// The timeout for replies of the bus itself.
    private static let patience = Duration.seconds(5)

    private init(_ name: String, _ mailbox: BusMailbox) { (self.name, self.mailbox) = (name, mailbox) }

    deinit { mailbox.close() }

    static func open(_ address: String, within limit: Duration) async throws(BusFailure) -> BusConnection {
        let (mailbox, due) = (BusMailbox(), Monotonic.after(limit))
        guard mailbox.wakeup >= 0 else { throw BusFailure(.absent, "the system has no descriptors left") }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasBegun = SystemThread.start("message bus") {
                    BusEngine.run(mailbox, address, due: due) { continuation.resume(returning: $0) }
                }
                guard !hasBegun else { return }
                continuation.resume(
                    returning: Result<String, BusFailure>.failure(
                        BusFailure(.absent, "no more threads can be started")
                    )
                )
            }
        } onCancel: {
            mailbox.close()
        }
        return BusConnection(try result.get(), mailbox)
    }

    func call(_ call: BusCall, within limit: Duration) async throws(BusFailure) -> BusReply {
        let (mailbox, ticket, due) = (mailbox, mailbox.ticket, Monotonic.after(limit))
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(BusFailure) {
                    try mailbox.put(.call(ticket, call, due: due) { continuation.resume(returning: $0) })
                } catch {
                    continuation.resume(returning: Result<BusReply, BusFailure>.failure(error))
                }
                // The cancellation handler may have run before the order was queued.
                if Task.isCancelled { try? mailbox.put(.forget(ticket)) }
            }
        } onCancel: {
            try? mailbox.put(.forget(ticket))
        }
        let reply = try result.get()
        // The engine knows the sender of a reply, but not the owner of a well-known name.
        if call.destination != Self.bus, !call.destination.hasPrefix(":") {
            let owner = try await ask("GetNameOwner", [.string(call.destination)]).first?.text
            guard owner == reply.sender else {
                throw BusFailure(.invalid, "the reply is of another program than the called one")
            }
        }
        return reply
    }

    private func ask(_ member: String, _ arguments: [BusValue]) async throws(BusFailure) -> [BusValue] {
        let call = BusCall(member, of: Self.bus, at: "/org/freedesktop/DBus", on: Self.bus, arguments)
        return try await self.call(call, within: Self.patience).values
    }

    func signals(_ rule: BusRule) async throws(BusFailure) -> AsyncStream<BusSignal> {
        let (signals, continuation) = AsyncStream.makeStream(
            of: BusSignal.self,
            bufferingPolicy: .bufferingNewest(1_000)
        )
        let (mailbox, ticket) = (mailbox, mailbox.ticket)
        try mailbox.put(.subscribe(ticket, rule, continuation))
        let match = BusValue.string(rule.match)
        continuation.onTermination = { reason in
            guard case .cancelled = reason else { return }
            try? mailbox.put(.leave(ticket))
            let remove = BusCall("RemoveMatch", of: Self.bus, at: "/org/freedesktop/DBus", on: Self.bus, [match])
            try? mailbox.put(.call(mailbox.ticket, remove, due: Monotonic.after(Self.patience)) { _ in })
        }
        do throws(BusFailure) {
            _ = try await ask("AddMatch", [match])
        } catch {
            continuation.finish()
            try? mailbox.put(.leave(ticket))
            throw error
        }
        return signals
    }

    func emit(_ signal: BusSignal) throws(BusFailure) { try mailbox.put(.emit(signal)) }

    func calls(to path: String, interface: String) -> AsyncStream<BusIncomingCall> {
        let (calls, continuation) = AsyncStream.makeStream(
            of: BusIncomingCall.self,
            bufferingPolicy: .bufferingOldest(1_000)
        )
        let (mailbox, ticket) = (mailbox, mailbox.ticket)
        continuation.onTermination = { _ in try? mailbox.put(.leave(ticket)) }
        do throws(BusFailure) {
            try mailbox.put(.serve(ticket, path: path, interface: interface, continuation))
        } catch {
            continuation.finish()
        }
        return calls
    }

    func requestName(_ name: String) async throws(BusFailure) {
        // DBUS_NAME_FLAG_DO_NOT_QUEUE; 1 means new owner, 4 means owner already.
        let answer = try await ask("RequestName", [.string(name), .uint32(4)]).first?.number
        guard answer == 1 || answer == 4 else {
            throw BusFailure(.refused(name: ""), "another program has the name \(name.quoted)")
        }
    }

    func ended() async { await mailbox.ended.wait() }

    func close() { mailbox.close() }
}

extension BusRule {
    /// The match rule (D-Bus Specification, "Match Rules").
    var match: String {
        var parts = [
            "type=\(Self.quoted("signal"))", "interface=\(Self.quoted(interface))", "path=\(Self.quoted(path))",
        ]
        if let member { parts.append("member=\(Self.quoted(member))") }
        if let sender { parts.append("sender=\(Self.quoted(sender))") }
        if let firstArgument { parts.append("arg0=\(Self.quoted(firstArgument))") }
        if let firstNamespace { parts.append("arg0namespace=\(Self.quoted(firstNamespace))") }
        return parts.joined(separator: ",")
    }

    private static func quoted(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
