import Synchronization
package import WireAuthContract
import WireBase
package import WireService

/// How one sign-in has ended, for everybody who waits for it.
package final class SignInVerdict: Sendable {
    package enum Outcome: Sendable {
        case signedIn(SignedInUser)
        case failed(SignInFailure, Trouble)
        /// Somebody gave it up, or the service that waited for it has ended.
        case cancelled
        /// Another sign-in has taken its place.
        case replaced
    }

    private let settled = Mutex<Outcome?>(nil)
    private let ending = OneShot()

    init() {}

    /// The first word counts.
    func settle(_ outcome: Outcome) {
        settled.withLock { settled in if settled == nil { settled = outcome } }
        ending.fire()
    }

    /// How it has ended, as soon as it has; nil for a cancelled task.
    package func outcome() async -> Outcome? {
        await ending.wait()
        return settled.withLock { $0 }
    }
}
