import Synchronization
import WireBase

/// Lets one at a time do something; whoever comes meanwhile waits until it is done.
final class SyncTurn: Sendable {
    private struct State {
        var running: OneShot?
        var begun = 0
    }

    private let state = Mutex(State())

    /// How many turns there have been, with the one that is being taken.
    var begun: Int { state.withLock(\.begun) }

    /// The number of the turn, for who is to take it and must say when it is over; nil for who has waited for somebody else's.
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
