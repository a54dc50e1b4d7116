import Synchronization
import WireHTTP

extension Work {
    /// The connection once it has left HTTP; nil where it was gone before.
    func upgraded() async -> UpgradedStream? {
        await withCheckedContinuation { waiting in
            let known: UpgradedStream?? = withState { state in
                switch state.upgraded {
                case .yes(let stream): return stream
                case .no where !state.isGone:
                    state.upgraded = .awaited(waiting)
                    return nil
                case .no, .gone, .awaited: return .some(nil)
                }
            }
            if let known { waiting.resume(returning: known) }
        }
    }

    /// The library has handed the connection over; false where nobody is there to take it.
    func upgraded(to stream: UpgradedStream) -> Bool {
        let (isTaken, waiting) = withState { state -> (Bool, CheckedContinuation<UpgradedStream?, Never>?) in
            guard !state.isGone else { return (false, nil) }
            defer { state.upgraded = .yes(stream) }
            if case .awaited(let waiting) = state.upgraded { return (true, waiting) }
            return (true, nil)
        }
        waiting?.resume(returning: stream)
        return isTaken
    }
}

extension Work.State {
    /// Whoever waits for a connection that will not come.
    mutating func loseUpgrade() -> CheckedContinuation<UpgradedStream?, Never>? {
        defer { upgraded = .gone }
        if case .awaited(let waiting) = upgraded { return waiting }
        return nil
    }
}
