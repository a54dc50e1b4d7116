import WireAuth
import WireAuthContract

extension Corewire {
    /// How a user signs in; as in the file's `auth.flow`.
    public enum SignInFlow: String, Sendable, Hashable, CaseIterable {
        /// In a browser.
        case browser
        /// With a code that is entered on another device.
        case device
        /// With name and password, where the file says so.
        case password
        /// By an add-on, where the file says so: ``CorewireAuthProvider``.
        case addon
    }

    /// A sign-in that was begun.
    ///
    /// It goes on whether or not anybody waits for it, and whoever lets go of it gives nothing up:
    /// ``Auth/cancelSignIn()`` does.
    public struct SignIn: Sendable {
        /// How it is done.
        public let flow: SignInFlow
        /// What the person must do.
        public let step: SignInStep
        /// How much time there is for it, from when it was begun or joined.
        public let timeLeft: Duration
        private let verdict: SignInVerdict

        init(_ task: SignInTask, now: Duration) {
            flow = SignInFlow(task.flow)
            step = SignInStep(task.ask)
            timeLeft = max(.zero, task.ends - now)
            verdict = task.verdict
        }

        /// The user it has signed in, as soon as it has; throws when it comes to nothing.
        ///
        /// Any number of tasks may wait. A reload that makes another service of `auth` gives the sign-in up.
        @concurrent
        public func user() async throws(CorewireError) -> User {
            switch await verdict.outcome() {
            case .signedIn(let user): return User(user)
            case .failed(let failure, let trouble): throw CorewireError(AuthFailure(failure, trouble))
            case .cancelled: throw CorewireError(.givenUp, "the sign-in was given up", help: "begin another one")
            case .replaced: throw CorewireError(.givenUp, "another sign-in has taken the place of this one")
            case nil: throw CorewireError(.cancelled, "the task was cancelled; the sign-in goes on")
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
