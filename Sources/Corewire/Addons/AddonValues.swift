import WireAddonContract
import WireBase

extension Corewire {
    /// The decision about a notification.
    public enum NotificationDecision: Sendable, Hashable {
        /// Handle it by the file.
        case handle
        /// Handle it, with this presentation.
        case show(PresentationOptions)
        /// Discard it, for this reason.
        case veto(String)
    }

    /// A request as visible to add-ons.
    public struct AddonRequest: Sendable, Hashable {
        /// The method.
        public let method: String
        /// The URL without its query.
        public let url: String
        /// The service that sends the request.
        public let service: String

        /// The result of the request.
        public struct End: Sendable, Hashable {
            /// The status of the response; nil where there is none.
            public let status: Int?
            /// Why there is no response.
            public let failure: String?
            /// The number of attempts.
            public let attempts: Int
            /// The total duration.
            public let duration: Duration
        }

        init(_ request: WireAddonContract.AddonRequest) {
            (method, url, service) = (request.method, request.url, request.service)
        }
    }

    /// A sign-in for an add-on to perform.
    public struct WantedSignIn: Sendable {
        /// What to do.
        public let step: Step
        /// How long the caller waits; nil where no caller asked, so that no user interaction is allowed.
        public let timeLeft: Duration?

        /// The step of a sign-in.
        public enum Step: Sendable, Hashable {
            /// Open this address; the answer is the resulting URL, which begins with the redirect URI.
            case open(url: String, redirectURI: String)
            /// Enter this code there, or open the complete address; no answer is needed.
            case enter(code: String, verificationURI: String, completeURI: String?)
            /// Provide credentials: name and password, or a token of another network.
            case identify
        }
    }

    /// The answer of an add-on to a sign-in.
    public enum SignInProof: Sendable {
        /// The complete redirect URL.
        case callback(String)
        /// Name and password.
        case password(userName: String, password: Corewire.Secret)
        /// A token of another network, such as `google`, for HALO servers in mode `appPlus`.
        case network(String, token: Corewire.Secret)
        /// Why no user is signed in.
        case refused(String)
    }
}

extension Corewire.WantedSignIn {
    init(_ signInRequest: AddonSignIn) {
        timeLeft = signInRequest.patience
        step =
            switch signInRequest.way {
            case .open(let url, let redirectURI): .open(url: url, redirectURI: redirectURI)
            case .enter(let code, let uri, let complete):
                .enter(code: code, verificationURI: uri, completeURI: complete)
            case .credentials: .identify
            }
    }
}

extension Corewire.SignInProof {
    var answer: AddonSignInAnswer {
        switch self {
        case .callback(let url): .callback(url)
        case .password(let name, let password): .credentials(.password(name: name, password.custody))
        case .network(let network, let token): .credentials(.network(network, token: token.custody))
        case .refused(let reason): .refusal(reason)
        }
    }
}

extension Corewire.AddonRequest.End {
    init(_ end: WireAddonContract.AddonRequest.End) {
        (status, failure) = (end.status, end.reason)
        (attempts, duration) = (end.attempts, end.duration)
    }
}
