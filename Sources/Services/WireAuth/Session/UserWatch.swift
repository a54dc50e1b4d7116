import Synchronization
import WireBase
import WireService

/// Tells those who wait for a user who it is, from now on.
final class UserWatch: Sendable {
    private struct State {
        var user: SignedInUser?
        /// Why nobody is to hear of the user, though somebody is signed in.
        var distrust: Distrust?

        var told: SignedInUser? { distrust == nil ? user : nil }
        var withheld: Distrust? { user == nil ? nil : distrust }
    }

    private let state = Mutex(State())
    private let listeners = Listeners<SignedInUser?>()

    var user: SignedInUser? { state.withLock(\.told) }

    /// Why nobody hears of the user who is signed in.
    var withheld: Distrust? { state.withLock(\.withheld) }

    /// Lets nobody hear of a user from now on, or all of them again.
    func withhold(because distrust: Distrust?) { change { $0.distrust = distrust } }

    /// Tells everybody; the same user of the same session is no news.
    func become(_ user: SignedInUser?) { change { $0.user = user } }

    private func change(_ change: (inout State) -> Void) {
        let isNews = state.withLock { state in
            let former = (session: state.told?.session, withheld: state.withheld)
            change(&state)
            return former.session != state.told?.session || former.withheld != state.withheld
        }
        if isNews { listeners.tell(user) }
    }

    /// Who it is now, and whenever it changes; a slow watcher sees the latest.
    func changes() -> AsyncStream<SignedInUser?> { listeners.listen(beginningWith: user) }

    func finish() { listeners.finish() }
}
