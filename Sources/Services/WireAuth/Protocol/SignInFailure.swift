package import WireAuthContract
package import WireHTTP

/// A failed sign-in or renewal, with a kind for programs and a remedy for the user.
package struct SignInFailure: Error, Sendable {
    /// The kind of the error, by the name of its specification where there is one.
    package let kind: Kind
    /// The cause, for logs and developers; never a token, code or secret.
    package let detail: String
    /// The server's error code, if it sent one.
    package var serverCode: String?
    /// The setting most likely at fault, such as `auth.url`.
    package var setting: Setting?
    /// The pause that the server asks for (`Retry-After`).
    package var retryAfter: Duration?
    /// Whether the server may have processed the request although no answer came: a token may have been replaced.
    package var mayHaveTakenEffect = false
    /// Whether the connection failed or was lost.
    package var isOfConnection = false
    /// How far this machine's clock is ahead of the server's, where the clock is wrong.
    package var clockOffset: Duration?
    /// Whether the grant is for another user; nothing of it may be used.
    package var isAboutAnotherUser = false
    /// The status of the response, if there was one.
    package var status: Status?

    /// The settings that failures point at.
    package enum Setting: String, Sendable {
        case url, realm, flow, clientID, clientSecret, redirectURI, scopes, audience, audiences, username, password
        case parameters

        /// The key in the file.
        package var key: String {
            switch self {
            case .clientID: "clientId"
            case .redirectURI: "redirectUri"
            default: rawValue
            }
        }
    }

    /// Points at the usual setting for the kind, unless another is given.
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
    /// The failure of a second attempt, with that of the first one.
    func following(_ first: SignInFailure?) -> Self {
        guard let first, first.detail != detail else { return self }
        var both = SignInFailure(
            kind,
            "\(detail); the previous attempt: \(first.detail)",
            serverCode: serverCode,
            setting: setting
        )
        both.retryAfter = retryAfter
        both.mayHaveTakenEffect = mayHaveTakenEffect
        both.status = status
        return both
    }
}
