import WireBase
import WireMessageBus

/// The work of a connection's thread, which makes all calls of sd-bus.
struct BusEngine: ~Copyable {
    private struct Pending {
        let ticket: Int
        let destination: String
        let due: UInt64
        let answered: @Sendable (Result<BusReply, BusFailure>) -> Void
    }

    private struct Served {
        let path: String
        let interface: String
        let calls: AsyncStream<BusIncomingCall>.Continuation
    }

    /// The largest numbers of calls of this side and of other programs that wait for replies, and of one program's.
    private static let limit = 1_024
    private static let unansweredLimit = 256
    private static let senderLimit = 64
    private static let driver = "org.freedesktop.DBus"
    /// The largest number of messages read before the orders are handled again.
    private static let turn = 64

    private let mailbox: BusMailbox
    private let socket: BusSocket
    private var pending: [UInt64: Pending] = [:]
    private var hearers: [Int: (rule: BusRule, signals: AsyncStream<BusSignal>.Continuation)] = [:]
    private var served: [Int: Served] = [:]
    private var unanswered: [Int: (message: BusMessage, sender: String)] = [:]

    private init(_ mailbox: BusMailbox, _ socket: consuming BusSocket) {
        self.mailbox = mailbox
        self.socket = socket
    }

    /// Connects, reports the result, and runs until the connection ends.
    static func run(
        _ mailbox: BusMailbox,
        _ address: String,
        due: UInt64,
        _ connected: @Sendable (Result<String, BusFailure>) -> Void
    ) {
        do throws(BusFailure) {
            let socket = try BusSocket.open(address)
            while !socket.isReady {
                guard Monotonic.now < due else { throw BusFailure(.timedOut, "the bus does not respond") }
                guard !mailbox.dequeue().isClosing else { throw BusFailure(.cancelled, "the connection is closed") }
                if try !socket.process().isBusy { try socket.wait(mailbox.wakeup, until: due) }
            }
            connected(.success(socket.name))
            var engine = BusEngine(mailbox, socket)
            engine.run()
            _ = consume engine
            mailbox.ended.fire()
        } catch {
            let failure = error.kind == .lost ? BusFailure(.absent, error.reason) : error
            _ = mailbox.end(failure)
            mailbox.ended.fire()
            connected(.failure(failure))
        }
    }

    private mutating func run() {
        do throws(BusFailure) {
            while true {
                let (orders, isClosing) = mailbox.dequeue()
                for order in orders { obey(order) }
                if isClosing { throw BusFailure(.lost, "the connection is closed") }
                var isBusy = true
                for _ in 0..<Self.turn where isBusy {
                    let step = try socket.process()
                    isBusy = step.isBusy
                    if let message = step.message { take(message) }
                }
                let due = expire()
                if !isBusy { try socket.wait(mailbox.wakeup, until: due) }
            }
        } catch {
            end(error)
        }
    }

    // MARK: Orders

    private mutating func obey(_ order: BusMailbox.Order) {
        switch order {
        case .call(let ticket, let call, let due, let answered):
            guard pending.count < Self.limit else {
                return answered(.failure(BusFailure(.full, "\(Self.limit) calls are waiting for replies")))
            }
            do throws(BusFailure) {
                pending[try socket.send(call)] = Pending(
                    ticket: ticket,
                    destination: call.destination,
                    due: due,
                    answered: answered
                )
            } catch {
                answered(.failure(error))
            }
        case .forget(let ticket):
            guard let (cookie, call) = pending.first(where: { $0.value.ticket == ticket }) else { return }
            pending[cookie] = nil
            call.answered(.failure(BusFailure(.cancelled, "the call was cancelled")))
        case .emit(let signal): try? socket.send(signal)
        case .subscribe(let ticket, let rule, let signals): hearers[ticket] = (rule, signals)
        case .serve(let ticket, let path, let interface, let calls):
            served[ticket] = Served(path: path, interface: interface, calls: calls)
        case .leave(let ticket): (hearers[ticket], served[ticket]) = (nil, nil)
        case .answer(let number, let answer):
            guard let call = unanswered.removeValue(forKey: number) else { return }
            self.answer(call.message, answer)
        }
    }

    private func answer(_ call: BusMessage, _ answer: BusIncomingCall.Answer) {
        guard call.expectsReply else { return }
        do throws(BusFailure) {
            try socket.send(answer, to: call)
        } catch {
            // The caller waits, so a reply that cannot be sent is replaced by an error.
            try? socket.send(.error(name: "org.freedesktop.DBus.Error.Failed", text: error.reason), to: call)
        }
    }

    /// Ends expired calls; returns the next deadline.
    private mutating func expire() -> UInt64 {
        let now = Monotonic.now
        for (cookie, call) in pending where call.due <= now {
            pending[cookie] = nil
            call.answered(.failure(BusFailure(.timedOut, "no reply")))
        }
        return pending.values.lazy.map(\.due).min() ?? Monotonic.never
    }

    // MARK: Messages

    private mutating func take(_ message: BusMessage) {
        switch message.kind {
        case .reply, .error:
            guard let cookie = message.replyCookie, let call = pending[cookie],
                Self.may(message.sender, replyFor: call.destination)
            else { return }
            pending[cookie] = nil
            call.answered(Self.reply(message))
        case .signal: hear(message)
        case .call: serve(message)
        case nil: break
        }
    }

    /// Whether a program may reply to a call; the bus replies in place of a program that is gone.
    ///
    /// A bus delivers any program's replies, whose serials can be guessed. The owner of a well-known name is looked up
    /// afterwards.
    private static func may(_ sender: String, replyFor destination: String) -> Bool {
        sender == destination || sender == driver || !destination.hasPrefix(":") && destination != driver
    }

    private static func reply(_ message: BusMessage) -> Result<BusReply, BusFailure> {
        if message.kind == .error {
            let (name, text) = message.error
            return .failure(BusFailure(.refused(name: name), "\(name.shown(upTo: 120)): \(text.shown(upTo: 300))"))
        }
        do throws(BusFailure) {
            return .success(BusReply(sender: message.sender, values: try message.values(upTo: .ofReplies)))
        } catch {
            return .failure(error)
        }
    }

    private func hear(_ message: BusMessage) {
        let (path, interface, member) = (message.path, message.interface, message.member)
        // Signals without a subscriber are not parsed.
        let sender = message.sender
        let isHeard = hearers.values.contains {
            $0.rule.path == path && $0.rule.interface == interface
                && ($0.rule.sender != Self.driver || sender == Self.driver)
        }
        guard isHeard, let values = try? message.values(upTo: .ofOthers) else { return }
        let signal = BusSignal(member, of: interface, at: path, values, sender: sender)
        for hearer in hearers.values where hearer.rule.lets(signal) { hearer.signals.yield(signal) }
    }

    private mutating func serve(_ message: BusMessage) {
        let (path, interface, member, sender) = (message.path, message.interface, message.member, message.sender)
        let atPath = served.values.filter { $0.path == path }
        // A call may omit the interface where the method is unambiguous (D-Bus Specification, "Method Calls").
        let found = interface.isEmpty && atPath.count == 1 ? atPath.first : atPath.first { $0.interface == interface }
        guard let found else {
            let name = "org.freedesktop.DBus.Error.\(atPath.isEmpty ? "UnknownObject" : "UnknownInterface")"
            return answer(message, .error(name: name, text: "unknown \(atPath.isEmpty ? "object" : "interface")"))
        }
        guard unanswered.count < Self.unansweredLimit,
            unanswered.values.count(where: { $0.sender == sender }) < Self.senderLimit
        else {
            return answer(
                message,
                .error(name: "org.freedesktop.DBus.Error.LimitsExceeded", text: "too many calls are waiting")
            )
        }
        do throws(BusFailure) {
            let (values, number) = (try message.values(upTo: .ofOthers), mailbox.ticket)
            unanswered[number] = (message, sender)
            let call = BusIncomingCall(
                member,
                of: found.interface,
                at: path,
                values,
                from: sender,
                reply: { [mailbox] answer in try? mailbox.put(.answer(number, answer)) }
            )
            // A call that is not accepted is released here, which answers it.
            found.calls.yield(call)
        } catch {
            answer(message, .error(name: "org.freedesktop.DBus.Error.InvalidArgs", text: error.reason))
        }
    }

    // MARK: End

    private mutating func end(_ failure: BusFailure) {
        let failure = failure.kind == .lost ? failure : BusFailure(.lost, failure.reason)
        for order in mailbox.end(failure) {
            switch order {
            case .call(_, _, _, let answered): answered(.failure(failure))
            case .subscribe(_, _, let signals): signals.finish()
            case .serve(_, _, _, let calls): calls.finish()
            case .forget, .emit, .leave, .answer: break
            }
        }
        for call in pending.values { call.answered(.failure(failure)) }
        for hearer in hearers.values { hearer.signals.finish() }
        for object in served.values { object.calls.finish() }
    }
}
