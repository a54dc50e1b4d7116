package import WireBase

/// Accepts connections and answers their requests by a responder.
package protocol Listener: Sendable {
    /// Where it can be reached; with the port the system chose where it was asked for any.
    var endpoint: Endpoint { get }
    /// Binds and accepts, until it is stopped; answers what needs no waiting.
    func start() throws
    /// Does the work that waits, until the listener has stopped or the task is cancelled.
    func run() async
    /// Accepts nothing more, lets what is under way end until the deadline, then closes what is left. Safe twice.
    func stop(within deadline: Duration) async
    /// What it counts, as a snapshot.
    var counts: ListenerCounts { get }
}

/// Where a listener listens.
package enum Endpoint: Sendable, Hashable {
    /// A Unix socket at a path, with the permissions of its file.
    case unix(path: String, mode: UInt32)
    /// A TCP address; port 0 lets the system choose.
    case tcp(host: String, port: Int)
    /// A socket that somebody else has opened and bound already (socket activation).
    case inherited(descriptor: Int32)
}

/// What a listener allows.
package struct ListenerLimits: Sendable {
    package var connections = 256
    package var connectionsPerCaller = 64
    /// Each of the request line's target, and of all that comes before the body.
    package var target: ByteCount = .kibibytes(8)
    package var header: ByteCount = .kibibytes(16)
    /// How long a connection may be silent between requests.
    package var idle: Duration = .seconds(60)
    /// How long a request may take to arrive.
    package var receive: Duration = .seconds(10)

    package init() {}
}

/// What a listener counts.
package struct ListenerCounts: Sendable {
    package var openConnections = 0
    package var acceptedConnections = 0
    package var refusedConnections = 0
    package var requests = 0
    /// When its threads last did anything they were not waiting for, in monotonic nanoseconds.
    package var lastProgress: UInt64 = 0

    package init() {}
}
