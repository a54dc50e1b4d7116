import Synchronization
import WireService

/// Tells those who wait for a user who it is, from now on.
final class UserWatch: Sendable {
    private struct State {
        var user: SignedInUser?
        var watchers: [Int: AsyncStream<SignedInUser?>.Continuation] = [:]
        var last = 0
        var isOver = false
    }

    private let state = Mutex(State())

    var user: SignedInUser? { state.withLock { $0.user } }

    /// Tells everybody; the same user of the same session is no news.
    func become(_ user: SignedInUser?) {
        let watchers = state.withLock { state -> [AsyncStream<SignedInUser?>.Continuation] in
            guard state.user?.session != user?.session else {
                state.user = user
                return []
            }
            state.user = user
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.yield(user) }
    }

    /// Who it is now, and whenever it changes; a slow watcher sees the latest.
    func changes() -> AsyncStream<SignedInUser?> {
        let (stream, watcher) = AsyncStream.makeStream(of: SignedInUser?.self, bufferingPolicy: .bufferingNewest(1))
        let isOver = state.withLock { state in
            watcher.yield(state.user)
            guard !state.isOver else { return true }
            state.last += 1
            let number = state.last
            state.watchers[number] = watcher
            watcher.onTermination = { [weak self] _ in self?.leave(number) }
            return false
        }
        if isOver { watcher.finish() }
        return stream
    }

    private func leave(_ number: Int) { state.withLock { _ = $0.watchers.removeValue(forKey: number) } }

    func finish() {
        let watchers = state.withLock { state in
            state.isOver = true
            defer { state.watchers = [:] }
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.finish() }
    }
}
