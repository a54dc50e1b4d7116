import Synchronization
package import WireAuthContract
import WireBase
package import WireService

/// The result of one sign-in, for all callers that wait for it.
package final class SignInVerdict: Sendable {
    package enum Outcome: Sendable {
        case signedIn(SignedInUser)
        case failed(SignInFailure, Trouble)
        /// The sign-in was cancelled, or its service has ended.
        case cancelled
        /// Another sign-in has replaced this one.
        case replaced
    }

    private let settled = Mutex<Outcome?>(nil)
    private let ending = OneShot()

    init() {}

    /// Sets the result; later calls have no effect.
    func settle(_ outcome: Outcome) {
        settled.withLock { settled in if settled == nil { settled = outcome } }
        ending.fire()
    }

    /// Waits for the result; nil for a cancelled task.
    package func outcome() async -> Outcome? {
        await ending.wait()
        return settled.withLock { $0 }
    }
}
