import Synchronization
import WireBase
import WireConfig
import WireHTTP

/// The events that an app has not read yet; an app that does not read is disconnected, which limits the memory they
/// take.
final class AppLine: Sendable {
    private struct State {
        var bytes = 0
        /// Since when an event has been waiting for the connection to accept it.
        var writingSince: Duration?
        /// Why the app is disconnected; nil while it is not.
        var end: String?
    }

    /// The maximum size of unread events; a single notification may always be queued.
    private static let room = ByteCount.mebibytes(1)

    static let unread = "the app does not read its events"

    let events: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let state = Mutex(State())
    private let ended = OneShot()

    init() { (events, continuation) = AsyncStream.makeStream(of: [UInt8].self) }

    /// Why the app was disconnected; nil where it was not.
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

    /// Notes that an event is about to be written.
    func begin(at now: Duration) { state.withLock { $0.writingSince = now } }

    /// Notes that the connection has accepted an event.
    func acknowledge(_ event: [UInt8]) {
        state.withLock { state in
            state.writingSince = nil
            state.bytes -= event.count
        }
    }

    /// Ends the stream after the queued events.
    func close() { continuation.finish() }

    /// Disconnects the app; the first reason counts.
    func end(_ reason: String) {
        state.withLock { $0.end = $0.end ?? reason }
        continuation.finish()
        ended.fire()
    }

    /// Returns when the app is disconnected, or the task is cancelled.
    func untilEnd() async { await ended.wait() }
}
