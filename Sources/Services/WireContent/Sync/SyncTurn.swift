import Synchronization
import WireBase

/// Serializes syncs; callers that come during one wait until it ends.
final class SyncTurn: Sendable {
    private struct State {
        var running: OneShot?
        var begun = 0
    }

    private let state = Mutex(State())

    /// The number of turns so far, with the present one.
    var begun: Int { state.withLock(\.begun) }

    /// Begins a turn and returns its number; nil for a caller that has waited for another's turn.
    func begin() async -> Int? {
        let (number, other) = state.withLock { state -> (Int, OneShot?) in
            if let running = state.running { return (state.begun, running) }
            state.running = OneShot()
            state.begun += 1
            return (state.begun, nil)
        }
        guard let other else { return number }
        await other.wait()
        return nil
    }

    func end() {
        state.withLock { state in
            defer { state.running = nil }
            return state.running
        }?.fire()
    }

    var isTaken: Bool { state.withLock { $0.running != nil } }
}
