import Synchronization
import WireBase
import WireConfig
import WireHTTP

/// What an app is still to be told, as far as it reads: one that does not is let go, and takes no more memory than this.
final class AppLine: Sendable {
    private struct State {
        var bytes = 0
        /// Since when some of it waits for room in the connection.
        var writingSince: Duration?
        /// Why it is let go; nil while it is not.
        var end: String?
    }

    /// How much may wait for an app to read it; one notification always may.
    private static let room = ByteCount.mebibytes(1)

    static let unread = "it does not read what it is told"

    let events: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let state = Mutex(State())
    private let ended = OneShot()

    init() { (events, continuation) = AsyncStream.makeStream(of: [UInt8].self) }

    /// Why it was let go; nil where it was not.
    var end: String? { state.withLock { $0.end } }

    func ask(_ question: ConnectedApps.Question) {
        let event = ServerSentEvent(id: question.id, event: "notification", data: question.json.text()).bytes
        let hasRoom = state.withLock { state in
            guard state.bytes == 0 || state.bytes + event.count <= Self.room.bytes else { return false }
            state.bytes += event.count
            return true
        }
        guard hasRoom else { return end(Self.unread) }
        continuation.yield(event)
    }

    var writingSince: Duration? { state.withLock { $0.writingSince } }

    /// One of them is about to be written.
    func begin(at now: Duration) { state.withLock { $0.writingSince = now } }

    /// It was taken by the connection.
    func took(_ event: [UInt8]) {
        state.withLock { state in
            state.writingSince = nil
            state.bytes -= event.count
        }
    }

    /// Nothing more comes; what was told already is written.
    func close() { continuation.finish() }

    /// Lets the app go; the first reason counts.
    func end(_ reason: String) {
        state.withLock { $0.end = $0.end ?? reason }
        continuation.finish()
        ended.fire()
    }

    /// Returns when the app is let go, or the task is cancelled.
    func untilEnd() async { await ended.wait() }
}
