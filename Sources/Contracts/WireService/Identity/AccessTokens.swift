import WireConfig
package import WireBase
import WireHTTP

/// Provides access tokens to services that send requests.
package protocol AccessTokens: Sendable {
    /// Returns a token valid for at least the requested time, and refreshes it first where needed.
    ///
    /// Throws the reason where no token is available now; the caller waits within its own deadline.
    func token(_ query: TokenQuery) async throws(TokenRefusal) -> AccessToken

    /// Reports that a server has rejected a valid-looking token, so that the next request refreshes it first.
    func refused(_ token: AccessToken) async

    /// Why data obtained with such a token must not be shown now: the session is locked, or no user is signed in.
    ///
    /// Nil where it may be shown, even without a token at hand. Makes no request, and does not count as use of the
    /// session.
    func refusal(_ mode: TokenMode?) -> TokenRefusal?

    /// Yields now, and whenever a token is available again after `unavailable`; ends with the service that provides
    /// tokens.
    func recoveries() -> AsyncStream<Void>
}

extension AccessTokens {
    package func refusal(_ mode: TokenMode?) -> TokenRefusal? { nil }
    package func recoveries() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}

/// A request for a token.
package struct TokenQuery: Sendable {
    /// The kind of token; `auth.mode` of the file where nil.
    package var mode: TokenMode?
    /// The minimum remaining lifetime.
    package var minimumLifetime: Duration

    package init(_ mode: TokenMode? = nil, minimumLifetime: Duration = .seconds(60)) {
        self.mode = mode
        self.minimumLifetime = minimumLifetime
    }
}

/// The kind of token in requests (modes as in HALO).
package enum TokenMode: String, Sendable, CaseIterable, JSONWord, PlainCodable {
    /// A token of the app itself.
    case app
    /// A token of the app with an identified user.
    case appPlus
    /// A token of the signed-in user.
    case user
}

/// An access token.
package struct AccessToken: Sendable {
    package let value: Secret<String>
    /// The authentication scheme, usually `Bearer`.
    package let type: String
    /// The expiry in milliseconds since 1970; nil where the server has not sent one.
    package let expires: Int64?
    package let mode: TokenMode
    package let scopes: [String]
    /// The permanent id of the user it was issued for; nil for a token of the app itself.
    package let subject: String?

    package init(
        value: Secret<String>,
        type: String,
        expires: Int64?,
        mode: TokenMode,
        scopes: [String],
        subject: String? = nil
    ) {
        self.value = value
        self.type = type
        self.expires = expires
        self.mode = mode
        self.scopes = scopes
        self.subject = subject
    }

    /// The value of the `Authorization` field.
    package var authorization: Secret<String> { Secret("\(type) \(value.reveal())") }
}

/// Why no token is available now.
package struct TokenRefusal: Error, Sendable {
    package enum Reason: String, Sendable {
        /// No user is signed in, or the session has ended.
        case signedOut
        /// The user has locked the session.
        case locked
        /// The account is blocked.
        case blocked
        /// A security rule does not trust this machine now.
        case distrusted
        /// The server cannot be reached or fails; a retry may help.
        case unavailable
        /// The file does not declare this mode.
        case undeclared
    }

    package let reason: Reason
    /// The message for users; never a secret.
    package let guidance: String
    /// The services file value that causes the refusal, if any.
    package let origin: ValueOrigin?

    package init(_ reason: Reason, guidance: String, origin: ValueOrigin? = nil) {
        self.reason = reason
        self.guidance = guidance
        self.origin = origin
    }

    package init(_ distrust: TrustFailure) {
        self.init(
            .distrusted,
            guidance: "Blocked by the security rule \(distrust.rule.quoted): \(distrust.reason).",
            origin: distrust.origin
        )
    }
}

extension ServiceAbility where Value == any AccessTokens {
    /// The tokens of the signed-in user and of the app.
    package static var accessTokens: Self { Self(Provision(.accessTokens)) }
}
