import WireAuth
import WireAuthContract

extension Corewire {
    /// The sign-in flow, as in `auth.flow` of the file.
    public enum SignInFlow: String, Sendable, Hashable, CaseIterable {
        /// In a browser.
        case browser
        /// With a code that is entered on another device.
        case device
        /// With name and password, where the file allows it.
        case password
        /// By an add-on, where the file allows it: ``CorewireAuthProvider``.
        case addon
    }

    /// A pending sign-in.
    ///
    /// The sign-in continues even if no task waits for it. Releasing this value does not cancel it;
    /// ``Auth/cancelSignIn()`` does.
    public struct SignIn: Sendable {
        /// The flow.
        public let flow: SignInFlow
        /// What the user must do.
        public let step: SignInStep
        /// The remaining time when the sign-in was started or joined.
        public let timeLeft: Duration
        private let verdict: SignInVerdict

        init(_ task: SignInTask, now: Duration) {
            flow = SignInFlow(task.flow)
            step = SignInStep(task.ask)
            timeLeft = max(.zero, task.ends - now)
            verdict = task.verdict
        }

        /// Waits for the signed-in user; throws where the sign-in fails.
        ///
        /// Several tasks may wait. A reload that replaces the auth service cancels the sign-in.
        @concurrent
        public func user() async throws(CorewireError) -> User {
            switch await verdict.outcome() {
            case .signedIn(let user): return User(user)
            case .failed(let failure, let trouble): throw CorewireError(AuthFailure(failure, trouble))
            case .cancelled: throw CorewireError(.givenUp, "the sign-in was cancelled", help: "start another one")
            case .replaced: throw CorewireError(.givenUp, "the sign-in was replaced by another one")
            case nil: throw CorewireError(.cancelled, "the task was cancelled; the sign-in continues")
            }
        }
    }
}

extension Corewire.SignInFlow {
    fileprivate init(_ flow: WireAuthContract.SignInFlow) {
        self =
            switch flow {
            case .browser: .browser
            case .device: .device
            case .password: .password
            case .addon: .addon
            }
    }

    var service: WireAuthContract.SignInFlow {
        switch self {
        case .browser: .browser
        case .device: .device
        case .password: .password
        case .addon: .addon
        }
    }
}
