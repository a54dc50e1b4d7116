package import WireBase
import WireConfig
package import WireHTTP
package import WireService

/// A failure of the session, with its kind for programs and guidance for users.
package struct Trouble: JSONRecord {
    package let kind: String
    package let guidance: String
    /// The detail for logs; never a secret.
    package let detail: String
    package let origin: ValueOrigin?
    /// Whether a retry may help.
    package let isTransient: Bool

    package init(kind: String, guidance: String, detail: String, origin: ValueOrigin?, isTransient: Bool) {
        (self.kind, self.guidance, self.detail) = (kind, guidance, detail)
        (self.origin, self.isTransient) = (origin, isTransient)
    }

    package static let form = JSONForm<Self>(
        "AuthTrouble",
        "A failure of signing in or of keeping the session."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.required("kind", \.kind, "The name.")
        guidance = try members.required("guidance", \.guidance, "The message for the user.")
        detail = try members.required("detail", \.detail, "The details for developers.")
        isTransient = try members.required("transient", \.isTransient, "Whether a retry may help.")
        origin = try members.optional("config", \.origin, "The value of the services file that causes the failure.")
    }
}

/// The settings and the state of the session lock.
package struct LockState: JSONRecord {
    package var isLocked = false
    /// The unlock method.
    package let method: UnlockMethod
    /// Whether a PIN is set; method `pin` does not lock without one.
    package var hasPIN = false
    /// Why the session could not be unlocked on this machine.
    package var obstacle: String?
    /// The idle time after which the session is locked.
    package let after: Duration
    /// The number of consecutive wrong attempts that ends the session.
    package let attempts: Int
    package var attemptsLeft: Int
    /// The delay before the next attempt.
    package var wait = Duration.zero

    package init(_ method: UnlockMethod, after: Duration, attempts: Int) {
        (self.method, self.after, self.attempts, attemptsLeft) = (method, after, attempts, attempts)
    }

    package static let form = JSONForm<Self>(
        "AuthLock",
        "The settings and the state of the session lock."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isLocked = try members.required("locked", \.isLocked, "Whether the session is locked.")
        method = try members.required(
            "method",
            \.method,
            "The unlock method: a PIN, or the password of the account of corewire."
        )
        hasPIN = try members.required(
            "pinSet",
            \.hasPIN,
            "Whether a PIN is set; method 'pin' does not lock without one."
        )
        obstacle = try members.optional("obstacle", \.obstacle, "Why the session could not be unlocked here.")
        let after = try members.required(
            "after",
            { Int($0.after.components.seconds) },
            "The idle time in seconds after which the session is locked.",
            .count
        )
        attempts = try members.required("attempts", \.attempts, "The maximum number of wrong attempts.", .count)
        attemptsLeft = try members.required("attemptsLeft", \.attemptsLeft, "The remaining attempts.", .count)
        let wait = try members.required(
            "wait",
            \.wait.wholeSeconds,
            "The delay in seconds before the next attempt.",
            .count
        )
        (self.after, self.wait) = (.seconds(after), .seconds(wait))
    }
}

/// Reads claims by their standard names (OpenID Connect Core, section 5.1).
extension SignedInUser {
    private func claim(_ names: String...) -> String? { names.firstFound { claims[$0]?.string } }

    /// The display name.
    package var name: String? { claim("name", "preferred_username", "nickname", "email") }
    /// The name the user signs in with.
    package var userName: String? { claim("preferred_username", "name") }
    package var email: String? { claim("email") }
    package var firstName: String? { claim("given_name") }
    package var lastName: String? { claim("family_name") }
}

extension SignedInUser: JSONRecord {
    package static let form = JSONForm<Self>(
        "AuthUser",
        "The signed-in user, from claims of the identity server."
    )

    /// Names and addresses are also among the claims.
    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let subject = try members.required(
            "subject",
            \.subject,
            "The permanent id of the user at the server.",
            .example("248289761001")
        )
        let issuer = try members.required("issuer", \.issuer, "The server.", .example("https://id.example.com"))
        let session = try members.required("session", \.session, "The session id.", .example("5f1c0a6e"))
        _ = try members.optional("name", \.name, "The display name.")
        _ = try members.optional("userName", \.userName, "The name the user signs in with.")
        _ = try members.optional("email", \.email, "The address.", .example("ada@example.com"))
        _ = try members.optional("firstName", \.firstName, "The given name.")
        _ = try members.optional("lastName", \.lastName, "The family name.")
        let claims = try members.required(
            "claims",
            \.claims,
            "All claims of the server.",
            .example(.members(["email": .string("ada@example.com")]))
        )
        self.init(subject: subject, issuer: issuer, claims: claims, session: session)
    }
}

/// A token returned to a caller.
package struct TokenResponse: JSONRecord {
    package let token: SecretText
    package let type: String
    package let mode: TokenMode
    package let scopes: [String]
    package var expiresAt: String?
    package var expiresIn: Int?

    package init(_ token: AccessToken) {
        (self.token, type, mode, scopes) = (SecretText(token.value), token.type, token.mode, token.scopes)
    }

    package static let form = JSONForm<Self>("Token", "An access token.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        token = try members.required(
            "accessToken",
            \.token,
            "The token.",
            .example(SecretText(Secret("eyJhbGciOi...")))
        )
        type = try members.required("tokenType", \.type, "The authentication scheme.", .example("Bearer"))
        mode = try members.required("mode", \.mode, "The mode.", .example(.user))
        scopes = try members.required("scopes", \.scopes, "The scopes.", .example(["openid"]))
        expiresAt = try members.optional("expiresAt", \.expiresAt, "The expiry, where the server has sent one.")
        expiresIn = try members.optional("expiresIn", \.expiresIn, "The remaining lifetime in seconds.", .count)
    }
}

/// The result of a sign-out, after which no user is signed in.
package struct SignedOut: JSONRecord {
    /// The URL that ends the session at the server in a browser.
    package let endSessionURL: String?
    /// The result of the revocation; nil where no user was signed in.
    package let revocation: Revocation?

    package init(endSessionURL: String?, revocation: Revocation?) {
        (self.endSessionURL, self.revocation) = (endSessionURL, revocation)
    }

    package var isRevoked: Bool? { revocation.map { $0 == .revoked } }

    package static let form = JSONForm<Self>("SignOut", "The result of a sign-out.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        endSessionURL = try members.optional(
            "endSessionUrl",
            \.endSessionURL,
            "The URL that ends the session at the server in a browser."
        )
        _ = try members.optional(
            "revoked",
            \.isRevoked,
            "Whether the server has revoked the tokens; absent where no user was signed in."
        )
        revocation = try members.optional(
            "revocation",
            \.revocation,
            "The result of the revocation: done, not supported by the server, to be retried, or failed."
        )
    }
}
