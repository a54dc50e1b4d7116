import Synchronization
import WireService

/// Tells those who wait for a user who it is, from now on.
final class UserWatch: Sendable {
    private struct State {
        var user: SignedInUser?
        /// Why nobody is to hear of the user, though somebody is signed in.
        var distrust: Distrust?
        var watchers: [Int: AsyncStream<SignedInUser?>.Continuation] = [:]
        var last = 0
        var isOver = false

        var told: SignedInUser? { distrust == nil ? user : nil }
        var withheld: Distrust? { user == nil ? nil : distrust }
    }

    private let state = Mutex(State())

    var user: SignedInUser? { state.withLock(\.told) }

    /// Why nobody hears of the user who is signed in.
    var withheld: Distrust? { state.withLock(\.withheld) }

    /// Lets nobody hear of a user from now on, or all of them again.
    func withhold(because distrust: Distrust?) { change { $0.distrust = distrust } }

    /// Tells everybody; the same user of the same session is no news.
    func become(_ user: SignedInUser?) { change { $0.user = user } }

    private func change(_ change: (inout State) -> Void) {
        let (watchers, told) = state.withLock {
            state -> ([AsyncStream<SignedInUser?>.Continuation], SignedInUser?) in
            let former = (session: state.told?.session, withheld: state.withheld)
            change(&state)
            let isNews = former.session != state.told?.session || former.withheld != state.withheld
            return (isNews ? Array(state.watchers.values) : [], state.told)
        }
        for watcher in watchers { watcher.yield(told) }
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
