import Synchronization
import WireBase
import WireService

/// Notifies subscribers of the signed-in user.
final class UserWatch: Sendable {
    private struct State {
        var user: SignedInUser?
        /// Why the user is withheld.
        var distrust: TrustFailure?

        var told: SignedInUser? { distrust == nil ? user : nil }
        var withheld: TrustFailure? { user == nil ? nil : distrust }
    }

    private let state = Mutex(State())
    private let listeners = Subscribers<SignedInUser?>()

    var user: SignedInUser? { state.withLock(\.told) }

    /// Why the signed-in user is withheld.
    var withheld: TrustFailure? { state.withLock(\.withheld) }

    /// Withholds the user from subscribers, or ends that.
    func withhold(because distrust: TrustFailure?) { change { $0.distrust = distrust } }

    /// Sets the user and notifies subscribers, unless the user and the session are the same.
    func update(_ user: SignedInUser?) { change { $0.user = user } }

    private func change(_ change: (inout State) -> Void) {
        let isChange = state.withLock { state in
            let former = (session: state.told?.session, withheld: state.withheld)
            change(&state)
            return former.session != state.told?.session || former.withheld != state.withheld
        }
        if isChange { listeners.notify(user) }
    }

    /// The present user and each change; slow subscribers see the latest.
    func changes() -> AsyncStream<SignedInUser?> { listeners.listen(beginningWith: user) }

    func finish() { listeners.finish() }
}
