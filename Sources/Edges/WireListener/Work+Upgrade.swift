import Synchronization
import WireHTTP

extension RequestTask {
    /// Returns the connection after the upgrade; nil where it ended before.
    func upgraded() async -> SocketStream? {
        await withCheckedContinuation { waiting in
            let known: SocketStream?? = withState { state in
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

    /// Passes the connection to the handler; returns false where none waits.
    func upgraded(to stream: SocketStream) -> Bool {
        let (isTaken, waiting) = withState { state -> (Bool, CheckedContinuation<SocketStream?, Never>?) in
            guard !state.isGone else { return (false, nil) }
            defer { state.upgraded = .yes(stream) }
            if case .awaited(let waiting) = state.upgraded { return (true, waiting) }
            return (true, nil)
        }
        waiting?.resume(returning: stream)
        return isTaken
    }
}

extension RequestTask.State {
    /// Returns the waiter of an upgrade that has failed.
    mutating func loseUpgrade() -> CheckedContinuation<SocketStream?, Never>? {
        defer { upgraded = .gone }
        if case .awaited(let waiting) = upgraded { return waiting }
        return nil
    }
}
