import Synchronization
import WireService

/// Tells those who wait for a user who it is, from now on.
final class UserWatch: Sendable {
    private struct State {
        var user: SignedInUser?
        /// Whether nobody is to hear of the user, though somebody is signed in.
        var isWithheld = false
        var watchers: [Int: AsyncStream<SignedInUser?>.Continuation] = [:]
        var last = 0
        var isOver = false

        var told: SignedInUser? { isWithheld ? nil : user }
    }

    private let state = Mutex(State())

    var user: SignedInUser? { state.withLock(\.told) }

    /// Lets nobody hear of a user from now on, or all of them again.
    func withhold(_ isWithheld: Bool) {
        let (watchers, told) = state.withLock {
            state -> ([AsyncStream<SignedInUser?>.Continuation], SignedInUser?) in
            let former = state.told
            state.isWithheld = isWithheld
            guard former?.session != state.told?.session else { return ([], nil) }
            return (Array(state.watchers.values), state.told)
        }
        for watcher in watchers { watcher.yield(told) }
    }

    /// Tells everybody; the same user of the same session is no news.
    func become(_ user: SignedInUser?) {
        let watchers = state.withLock { state -> [AsyncStream<SignedInUser?>.Continuation] in
            let former = state.user
            state.user = user
            let isNews = former?.session != user?.session && !state.isWithheld
            return isNews ? Array(state.watchers.values) : []
        }
        for watcher in watchers { watcher.yield(user) }
    }

    /// Who it is now, and whenever it changes; a slow watcher sees the latest.
    func changes() -> AsyncStream<SignedInUser?> {
        let (stream, watcher) = AsyncStream.makeStream(of: SignedInUser?.self, bufferingPolicy: .bufferingNewest(1))
        let isOver = state.withLock { state in
            watcher.yield(state.told)
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
