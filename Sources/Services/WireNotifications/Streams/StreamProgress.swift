import Synchronization
import WireBase

/// How far one connection has come: the position for the next request, and what it has stored already.
final class StreamProgress: Sendable {
    private struct State {
        var last: String?
        var caughtUp: Set<String> = []
        /// Until when the stream may bring missed messages as well; nil while they are requested.
        var overlapEnd: Duration?
        var skipped = 0
    }

    private let state: Mutex<State>
    private let clock: TimeSource

    /// Begins at the stored position; empty or nil is none.
    init(after last: String?, _ clock: TimeSource) {
        state = Mutex(State(last: last.flatMap { $0.isEmpty ? nil : $0 }))
        self.clock = clock
    }

    var last: String? { state.withLock { $0.last } }

    func moved(to id: String) { state.withLock { $0.last = id.isEmpty ? nil : id } }

    // MARK: Missed messages

    /// The number of ids that are remembered.
    private static let mostIDs = 10_000
    /// How long after the last missed message the stream may repeat one: what it brings later with such an id is an
    /// update.
    private static let overlap = Duration.seconds(60)

    /// Notes a missed message, which may arrive over the stream as well.
    func caughtUp(_ id: String) {
        state.withLock { state in
            if state.caughtUp.count < Self.mostIDs { state.caughtUp.insert(id) }
        }
    }

    /// Notes that all missed messages are stored.
    func endCatchUp() {
        let end = clock.monotonic() + Self.overlap
        state.withLock { $0.overlapEnd = end }
    }

    /// Whether a message of the stream has been stored as a missed one; each is asked for once.
    func takeCaughtUp(_ id: String) -> Bool {
        let now = clock.monotonic()
        return state.withLock { state in
            if let end = state.overlapEnd, now > end { state.caughtUp = [] }
            return state.caughtUp.remove(id) != nil
        }
    }

    // MARK: Skipped messages

    /// Counts a skipped message; false once so many were skipped that further ones are not logged.
    func mayLogSkipped() -> Bool {
        state.withLock { state in
            state.skipped += 1
            return state.skipped <= 20
        }
    }
}
