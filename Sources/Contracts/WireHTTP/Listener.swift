package import WireBase

/// Accepts connections and passes their requests to a responder.
package protocol Listener: Sendable {
    /// The bound endpoint; includes the port that the system chose when port 0 was requested.
    var endpoint: Endpoint { get }
    /// Binds the socket and accepts connections until stopped; serves responses that need no asynchronous work.
    func start() throws
    /// Runs asynchronous handlers until the listener has stopped or the task is cancelled.
    func run() async
    /// Stops accepting, drains requests until the deadline, then closes all connections. May be called more than once.
    func stop(within deadline: Duration) async
    /// A snapshot of the listener's counters.
    var counts: ListenerCounts { get }
}

/// The address of a listener.
package enum Endpoint: Sendable, Hashable {
    /// A Unix socket at a path, with its file mode.
    case unix(path: String, mode: UInt32)
    /// A TCP address; port 0 lets the system choose.
    case tcp(host: String, port: Int)
    /// A socket that another process has opened and bound (socket activation).
    case inherited(descriptor: Int32)
}

/// The limits of a listener.
package struct ListenerLimits: Sendable {
    package var connections = 256
    package var connectionsPerCaller = 64
    /// The size limit of the request target, and of all bytes before the body.
    package var target: ByteCount = .kibibytes(8)
    package var header: ByteCount = .kibibytes(16)
    /// The idle timeout of a connection between requests.
    package var idle: Duration = .seconds(60)
    /// The time a request may take to arrive.
    package var receive: Duration = .seconds(10)

    package init() {}
}

/// The counters of a listener.
package struct ListenerCounts: Sendable {
    package var openConnections = 0
    package var acceptedConnections = 0
    package var refusedConnections = 0
    package var requests = 0
    /// The number of reports of the system that a connection has ended in one direction or both.
    package var hangUps = 0
    /// The time of the last activity on the listener's threads, in monotonic nanoseconds; waiting does not count.
    package var lastProgress: UInt64 = 0

    package init() {}
}
