import WireAddonContract
import WireBase

extension Corewire {
    /// What is to become of a notification.
    public enum NotificationDecision: Sendable, Hashable {
        /// It is handled as the file says.
        case handle
        /// It is handled, and shown like this.
        case show(PresentationOptions)
        /// Nothing is done with it, for this reason.
        case veto(String)
    }

    /// A request, as add-ons see it.
    public struct AddonRequest: Sendable, Hashable {
        /// Its method.
        public let method: String
        /// Where it goes, without the query.
        public let url: String
        /// The service that asks.
        public let service: String

        /// How it ended.
        public struct End: Sendable, Hashable {
            /// The status of the answer; nil where there is none.
            public let status: Int?
            /// Why there is none.
            public let failure: String?
            /// How often it was sent.
            public let attempts: Int
            /// How long all of it took.
            public let duration: Duration
        }

        init(_ request: WireAddonContract.AddonRequest) {
            (method, url, service) = (request.method, request.url, request.service)
        }
    }

    /// A sign-in, for whoever can carry it out.
    public struct WantedSignIn: Sendable {
        /// What is to be done.
        public let step: Step
        /// How long somebody waits for it; nil where nobody has asked, and no person may be needed for it.
        public let timeLeft: Duration?

        /// What is to be done for a sign-in.
        public enum Step: Sendable, Hashable {
            /// This address is to be opened; the answer is the one, beginning with the redirect URI, that it leads to.
            case open(url: String, redirectURI: String)
            /// This code is to be entered there, or the complete address opened; there is nothing to answer.
            case enter(code: String, verificationURI: String, completeURI: String?)
            /// To say who it is: name and password, or what another network has given.
            case identify
        }
    }

    /// What an add-on says to a sign-in.
    public enum SignInProof: Sendable {
        /// The whole address the browser was led to.
        case callback(String)
        /// Name and password.
        case password(userName: String, password: Corewire.Secret)
        /// What another network, such as `google`, has given for its user, for HALO servers in mode `appPlus`.
        case network(String, token: Corewire.Secret)
        /// Why no user is signed in.
        case refused(String)
    }
}

extension Corewire.WantedSignIn {
    init(_ wish: AddonSignIn) {
        timeLeft = wish.patience
        step =
            switch wish.way {
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
