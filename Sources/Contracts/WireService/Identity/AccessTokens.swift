import WireConfig
package import WireBase
import WireHTTP

/// Hands out access tokens, to whichever service sends a request.
package protocol AccessTokens: Sendable {
    /// A token that is still good for as long as was wished; renewed first where it is not.
    ///
    /// Whoever cannot have one now is told why; waiting is the caller's, within its own deadline.
    func token(_ wish: TokenWish) async throws(TokenRefusal) -> AccessToken

    /// Tells that a server has refused a token though it looked fresh; the next wish renews it first.
    func refused(_ token: AccessToken) async

    /// Why nothing may be shown now that was got with such a token: the session is locked, no user is signed in.
    ///
    /// Nil where it may, whether or not a token is at hand. Nobody is asked, and it is no use of the session.
    func refusal(_ mode: TokenMode?) -> TokenRefusal?

    /// Tells, beginning with now, whenever there is a token again after one was refused as unavailable; ends with the service
    /// that gives tokens.
    func recoveries() -> AsyncStream<Void>
}

extension AccessTokens {
    package func refusal(_ mode: TokenMode?) -> TokenRefusal? { nil }
    package func recoveries() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}

/// Which token is wished for.
package struct TokenWish: Sendable {
    /// Whose token; the one of the file's `auth.mode` where nil.
    package var mode: TokenMode?
    /// How much longer it must be good for.
    package var minimumLifetime: Duration

    package init(_ mode: TokenMode? = nil, minimumLifetime: Duration = .seconds(60)) {
        self.mode = mode
        self.minimumLifetime = minimumLifetime
    }
}

/// Whose tokens requests carry (HALO's modes).
package enum TokenMode: String, Sendable, CaseIterable, JSONWord, PlainCodable {
    /// The app itself.
    case app
    /// The app, with the user it has identified.
    case appPlus
    /// The signed-in user.
    case user
}

/// A token that may be sent.
package struct AccessToken: Sendable {
    package let value: Secret<String>
    /// The scheme it is sent with, `Bearer` nearly always.
    package let type: String
    /// Milliseconds since 1970; nil for one whose end the server did not tell.
    package let expires: Int64?
    package let mode: TokenMode
    package let scopes: [String]

    package init(value: Secret<String>, type: String, expires: Int64?, mode: TokenMode, scopes: [String]) {
        self.value = value
        self.type = type
        self.expires = expires
        self.mode = mode
        self.scopes = scopes
    }

    /// The value of the `Authorization` field.
    package var authorization: Secret<String> { Secret("\(type) \(value.reveal())") }
}

/// Why there is no token now.
package struct TokenRefusal: Error, Sendable {
    package enum Reason: String, Sendable {
        /// No user has signed in, or the sign-in was ended.
        case signedOut
        /// The user has locked the session.
        case locked
        /// The account was blocked.
        case blocked
        /// A security rule says that this machine is not to be trusted now.
        case distrusted
        /// The server cannot be reached, or failed; trying again helps.
        case unavailable
        /// The file declares no such mode.
        case undeclared
    }

    package let reason: Reason
    /// In words for people; never a secret.
    package let guidance: String
    /// The value of the file it comes from, where it comes from one.
    package let origin: ValueOrigin?

    package init(_ reason: Reason, guidance: String, origin: ValueOrigin? = nil) {
        self.reason = reason
        self.guidance = guidance
        self.origin = origin
    }

    package init(_ distrust: Distrust) {
        self.init(
            .distrusted,
            guidance: "Withheld by the security rule \(distrust.rule): \(distrust.reason).",
            origin: distrust.origin
        )
    }
}

extension ServiceAbility where Value == any AccessTokens {
    /// The tokens of whoever is signed in, and of the app.
    package static var accessTokens: Self { Self(Provision(.accessTokens)) }
}
