package import WireAuthContract
package import WireHTTP

/// Why a sign-in or a renewal did not come about, named for programs and with what a person can do.
package struct SignInFailure: Error, Sendable {
    /// Every class of error there is: those of the specifications by their own names, and ours.
    package let kind: Kind
    /// What went wrong, for logs and developers; never a token, code or secret.
    package let detail: String
    /// What the server called it, where it did.
    package var serverCode: String?
    /// The setting it most likely comes from, such as `auth.url`.
    package var setting: Setting?
    /// How long the server asks to be left alone (`Retry-After`).
    package var retryAfter: Duration?
    /// Whether the server may have done what was asked without its answer having come: a token may have been replaced.
    package var mayHaveTakenEffect = false
    /// Whether the connection could not be made, or broke off.
    package var isOfConnection = false
    /// How far the clock of this machine seems to be ahead of the server's, where that is what is wrong.
    package var clockOffset: Duration?
    /// Whether what was granted is not for who asked: nothing of it may be used.
    package var isAboutAnotherUser = false
    /// The status of the answer, where there was one.
    package var status: Status?

    /// The settings failures point at.
    package enum Setting: String, Sendable {
        case url, realm, flow, clientID, clientSecret, redirectURI, scopes, audience, audiences, username, password
        case parameters

        /// The key as the file writes it.
        package var key: String {
            switch self {
            case .clientID: "clientId"
            case .redirectURI: "redirectUri"
            default: rawValue
            }
        }
    }

    /// Points at the setting that failures of the kind most often come from, unless another is named.
    package init(_ kind: Kind, _ detail: String, serverCode: String? = nil, setting: Setting? = nil) {
        self.kind = kind
        self.detail = detail
        self.serverCode = serverCode
        self.setting = setting ?? kind.usualSetting
    }
}

extension SignInFailure {
    package typealias Kind = SignInFailureKind
}

extension SignInFailure {
    /// The failure of a second attempt, with the one that made it necessary.
    func following(_ first: SignInFailure?) -> Self {
        guard let first, first.detail != detail else { return self }
        var both = SignInFailure(
            kind,
            "\(detail); the attempt before it: \(first.detail)",
            serverCode: serverCode,
            setting: setting
        )
        both.retryAfter = retryAfter
        both.mayHaveTakenEffect = mayHaveTakenEffect
        both.status = status
        return both
    }
}
