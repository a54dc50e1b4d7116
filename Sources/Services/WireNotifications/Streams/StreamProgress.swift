import Synchronization

/// How far one connection has come: the position for the next request, and what it has stored already.
final class StreamProgress: Sendable {
    private struct State {
        var last: String?
        var caughtUp: Set<String> = []
        var skipped = 0
    }

    private let state: Mutex<State>

    /// Begins at the stored position; empty or nil is none.
    init(after last: String?) { state = Mutex(State(last: last.flatMap { $0.isEmpty ? nil : $0 })) }

    var last: String? { state.withLock { $0.last } }

    func moved(to id: String) { state.withLock { $0.last = id.isEmpty ? nil : id } }

    // MARK: Missed messages

    /// The number of ids that are remembered.
    private static let mostIDs = 10_000

    /// Notes a missed message, which may arrive over the stream as well.
    func caughtUp(_ id: String) {
        state.withLock { state in
            if state.caughtUp.count < Self.mostIDs { state.caughtUp.insert(id) }
        }
    }

    /// Whether a message of the stream has been stored as a missed one; each is asked for once.
    func takeCaughtUp(_ id: String) -> Bool { state.withLock { $0.caughtUp.remove(id) != nil } }

    // MARK: Skipped messages

    /// Counts a skipped message; false once so many were skipped that further ones are not logged.
    func mayLogSkipped() -> Bool {
        state.withLock { state in
            state.skipped += 1
            return state.skipped <= 20
        }
    }
}
