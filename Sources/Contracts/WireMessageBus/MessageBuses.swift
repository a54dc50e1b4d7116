import WireConfig
package import WireService

/// Connects to the message buses of this machine (D-Bus), over which the programs of a session call each other.
package protocol MessageBuses: Sendable {
    /// Connects to the bus of the session, wherever it is now; each call is a connection of its own.
    ///
    /// Its address is in `DBUS_SESSION_BUS_ADDRESS`; without it, it is the socket `bus` in `XDG_RUNTIME_DIR`, or in
    /// `/run/user/` and the user's number.
    func openSession(within limit: Duration) async throws(BusFailure) -> any MessageBus
}

/// A connection to a message bus.
///
/// Messages leave in the order in which they are given to it. It lives until it is closed, lost, or no one holds it.
package protocol MessageBus: Sendable {
    /// What the bus calls this connection: `:1.7`.
    var name: String { get }

    /// Sends a method call, and returns with its reply.
    ///
    /// Cancelling the task ends the wait; the call itself may have been sent.
    func call(_ call: BusCall, within limit: Duration) async throws(BusFailure) -> BusReply

    /// The signals that a rule lets through, from the moment at which this returns; they end with the connection.
    ///
    /// Of those that are not read, the latest 1,000 are kept. The sender is a well-known name, whose owner may change, so that the
    /// receiver has to compare the sender of each signal with the owner it expects: any program may send any signal to a
    /// connection whose name it knows.
    func signals(_ rule: BusRule) async throws(BusFailure) -> AsyncStream<BusSignal>

    func emit(_ signal: BusSignal) throws(BusFailure)

    /// The calls of other programs to the methods of an interface of an object; they end with the connection.
    ///
    /// Each has to be answered; letting go of one answers it with an error.
    func calls(to path: String, interface: String) -> AsyncStream<BusIncomingCall>

    /// Takes a well-known name; throws where another program has it.
    func own(_ name: String) async throws(BusFailure)

    /// Returns when the connection has ended, or the task is cancelled.
    func ended() async

    func close()
}

/// A call of a method.
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

/// What a call was answered with.
package struct BusReply: Sendable {
    /// The unique name of the connection that answered: `:1.3`.
    package let sender: String
    package let values: [BusValue]

    package init(sender: String, values: [BusValue]) { (self.sender, self.values) = (sender, values) }
}

/// A signal that was received, or is to be sent to all who want it.
package struct BusSignal: Sendable, Equatable {
    /// The unique name of the sender, or `org.freedesktop.DBus` for the bus itself; empty in one that is to be sent.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let values: [BusValue]

    package init(_ member: String, of interface: String, at path: String, _ values: [BusValue], sender: String = "") {
        (self.member, self.interface, self.path, self.values, self.sender) = (member, interface, path, values, sender)
    }
}

/// Which signals are wanted.
package struct BusRule: Sendable, Equatable {
    package var interface: String
    package var path: String
    /// All signals of the interface where nil.
    package var member: String?
    /// A well-known name; its owner's signals alone are asked for.
    package var sender: String?
    /// What the first argument has to be.
    package var firstArgument: String?

    package init(
        interface: String,
        path: String,
        member: String? = nil,
        sender: String? = nil,
        firstArgument: String? = nil
    ) {
        (self.interface, self.path, self.member, self.sender) = (interface, path, member, sender)
        self.firstArgument = firstArgument
    }

    package func lets(_ signal: BusSignal) -> Bool {
        signal.interface == interface && signal.path == path && (member == nil || signal.member == member)
            && (firstArgument == nil || signal.values.first?.text == firstArgument)
    }
}

/// A call that another program has made.
package final class BusIncomingCall: Sendable {
    package enum Answer: Sendable {
        case values([BusValue])
        /// An error by its name, `org.example.Error.Busy`, and what it says.
        case error(name: String, text: String)
    }

    /// The unique name of the caller.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: [BusValue]
    private let reply: @Sendable (Answer) -> Void

    /// The closure hears every answer, the last of which comes when the call is let go of; the first one counts.
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
