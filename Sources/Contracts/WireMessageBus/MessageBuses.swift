import WireConfig
package import WireService

/// Connects to the D-Bus message buses of this machine.
package protocol MessageBuses: Sendable {
    /// Connects to the session bus; each call makes a new connection.
    ///
    /// Throws `.absent` without a bus, and `.timedOut` where it does not respond.
    ///
    /// The address is `DBUS_SESSION_BUS_ADDRESS`, or else the socket `bus` in `XDG_RUNTIME_DIR` or in `/run/user/UID`.
    func openSession(within limit: Duration) async throws(BusFailure) -> any MessageBus

    /// A variable of the session's environment, on which its programs agree.
    func variable(_ name: String) -> String?
}

/// A connection to a message bus.
///
/// Messages are sent in order. The connection lives until it is closed, lost, or released.
package protocol MessageBus: Sendable {
    /// The unique name of this connection: `:1.7`.
    var name: String { get }

    /// Calls a method and returns the reply.
    ///
    /// Cancelling the task ends the wait; the call may already have been sent.
    func call(_ call: BusCall, within limit: Duration) async throws(BusFailure) -> BusReply

    /// Subscribes to the signals that match a rule, beginning when this returns; ends with the connection.
    ///
    /// At most 1,000 unread signals are stored. The owner of a well-known name may change, and any program may send any
    /// signal to a connection whose name it knows, so the receiver must check the sender of each signal.
    func signals(_ rule: BusRule) async throws(BusFailure) -> AsyncStream<BusSignal>

    func emit(_ signal: BusSignal) throws(BusFailure)

    /// The method calls of other programs to an interface of an object; ends with the connection.
    ///
    /// Each call must be answered; releasing one answers it with an error. A call has at most 64 KiB, and one program at
    /// most 64 unanswered calls; others are refused. So is a call without an interface, where the object has several.
    func calls(to path: String, interface: String) -> AsyncStream<BusIncomingCall>

    /// Acquires a well-known name; throws where another program owns it.
    func requestName(_ name: String) async throws(BusFailure)

    /// Returns when the connection has ended, or the task is cancelled.
    func ended() async

    func close()
}

/// A method call.
package struct BusCall: Sendable {
    package var destination: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]

    package init(
        _ member: String,
        of interface: String,
        at path: String,
        on destination: String,
        _ arguments: [BusValue] = []
    ) {
        (self.destination, self.path, self.interface, self.member) = (destination, path, interface, member)
        self.arguments = arguments
    }
}

/// The reply to a call.
package struct BusReply: Sendable {
    /// The unique name of the connection that answered: `:1.3`.
    package let sender: String
    package let values: [BusValue]

    package init(sender: String, values: [BusValue]) { (self.sender, self.values) = (sender, values) }
}

/// A received signal, or one to broadcast.
package struct BusSignal: Sendable, Equatable {
    /// The unique name of the sender, or `org.freedesktop.DBus` for the bus; empty for a signal to send.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let values: [BusValue]

    package init(_ member: String, of interface: String, at path: String, _ values: [BusValue], sender: String = "") {
        (self.member, self.interface, self.path, self.values, self.sender) = (member, interface, path, values, sender)
    }
}

/// Selects signals.
package struct BusRule: Sendable, Equatable {
    package var interface: String
    package var path: String
    /// The signal name; nil for all signals of the interface.
    package var member: String?
    /// A well-known name, to receive only signals of its owner.
    package var sender: String?
    /// The required value of the first argument.
    package var firstArgument: String?
    /// The required beginning of the first argument: this name, or one below it.
    package var firstNamespace: String?

    package init(
        interface: String,
        path: String,
        member: String? = nil,
        sender: String? = nil,
        firstArgument: String? = nil,
        firstNamespace: String? = nil
    ) {
        (self.interface, self.path, self.member, self.sender) = (interface, path, member, sender)
        (self.firstArgument, self.firstNamespace) = (firstArgument, firstNamespace)
    }

    package func lets(_ signal: BusSignal) -> Bool {
        signal.interface == interface && signal.path == path && (member == nil || signal.member == member)
            && (firstArgument == nil || signal.values.first?.text == firstArgument)
            && (firstNamespace.map { signal.values.first?.text?.isName(in: $0) ?? false } ?? true)
    }
}

extension String {
    fileprivate func isName(in namespace: String) -> Bool { self == namespace || hasPrefix("\(namespace).") }
}

/// A method call from another program.
package final class BusIncomingCall: Sendable {
    package enum Answer: Sendable {
        case values([BusValue])
        /// An error with its name, `org.example.Error.Busy`, and its text.
        case error(name: String, text: String)
    }

    /// The unique name of the caller.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: [BusValue]
    private let reply: @Sendable (Answer) -> Void

    /// Makes a call; the first answer that the closure receives counts, and releasing the call sends a last one.
    package init(
        _ member: String,
        of interface: String,
        at path: String,
        _ arguments: [BusValue],
        from sender: String,
        reply: @escaping @Sendable (Answer) -> Void
    ) {
        (self.member, self.interface, self.path, self.arguments) = (member, interface, path, arguments)
        (self.sender, self.reply) = (sender, reply)
    }

    package func answer(_ answer: Answer) { reply(answer) }

    deinit { reply(.error(name: "org.freedesktop.DBus.Error.Failed", text: "the call was not answered")) }
}

extension Ability where Value == any MessageBuses {
    package static var messageBuses: Ability<any MessageBuses> { Ability(Provision(.runner, "message buses")) }
}
