package import WireBase
import WireConfig
package import WireHTTP
package import WireService

/// Something that went wrong with a session, for programs by its kind and for people by its guidance.
package struct Trouble: JSONRecord {
    package let kind: String
    package let guidance: String
    /// What the log says: never a secret.
    package let detail: String
    package let origin: ValueOrigin?
    /// Whether trying again may help.
    package let isTransient: Bool

    package init(kind: String, guidance: String, detail: String, origin: ValueOrigin?, isTransient: Bool) {
        (self.kind, self.guidance, self.detail) = (kind, guidance, detail)
        (self.origin, self.isTransient) = (origin, isTransient)
    }

    package static let form = JSONForm<Self>(
        "AuthTrouble",
        "What goes wrong with signing in or staying signed in."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.required("kind", \.kind, "Its name.")
        guidance = try members.required("guidance", \.guidance, "What a person is told.")
        detail = try members.required("detail", \.detail, "What happened, for developers.")
        isTransient = try members.required("transient", \.isTransient, "Whether trying again may help.")
        origin = try members.optional("config", \.origin, "The value of the services file it comes from.")
    }
}

/// When and how everything about a session is withheld until it is unlocked.
package struct LockStanding: JSONRecord {
    package var isLocked = false
    /// What unlocks it.
    package let method: UnlockMethod
    /// Without one, method `pin` does not lock.
    package var hasPIN = false
    /// Why it could not be unlocked on this machine.
    package var obstacle: String?
    /// How long without use locks it.
    package let after: Duration
    /// How many wrong attempts in a row end the session.
    package let attempts: Int
    package var attemptsLeft: Int
    /// How long the next attempt must wait.
    package var wait = Duration.zero

    package init(_ method: UnlockMethod, after: Duration, attempts: Int) {
        (self.method, self.after, self.attempts, attemptsLeft) = (method, after, attempts, attempts)
    }

    package static let form = JSONForm<Self>(
        "AuthLock",
        "When and how everything is withheld until it is unlocked."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isLocked = try members.required("locked", \.isLocked, "Whether it is locked.")
        method = try members.required(
            "method",
            \.method,
            "What unlocks it: a PIN, or the password of the account corewire runs as."
        )
        hasPIN = try members.required(
            "pinSet",
            \.hasPIN,
            "Whether there is a PIN; without one method 'pin' does not lock."
        )
        obstacle = try members.optional("obstacle", \.obstacle, "Why it could not be unlocked on this machine.")
        let after = try members.required(
            "after",
            { Int($0.after.components.seconds) },
            "How many seconds without use lock it.",
            .count
        )
        attempts = try members.required("attempts", \.attempts, "How many wrong attempts end the session.", .count)
        attemptsLeft = try members.required("attemptsLeft", \.attemptsLeft, "How many are left.", .count)
        let wait = try members.required(
            "wait",
            \.wait.wholeSeconds,
            "How many seconds the next attempt must wait.",
            .count
        )
        (self.after, self.wait) = (.seconds(after), .seconds(wait))
    }
}

/// By the names the specifications give it (OpenID Connect Core, section 5.1).
extension SignedInUser {
    private func claim(_ names: String...) -> String? { names.firstFound { claims[$0]?.string } }

    /// A name to show.
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
        "The user who is signed in, as the identity server has said."
    )

    /// What is said besides of names and addresses stands among the claims as well.
    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let subject = try members.required(
            "subject",
            \.subject,
            "The name the server has for this user, for ever.",
            .example("248289761001")
        )
        let issuer = try members.required("issuer", \.issuer, "The server.", .example("https://id.example.com"))
        let session = try members.required("session", \.session, "The name of this very session.", .example("5f1c0a6e"))
        _ = try members.optional("name", \.name, "A name to show.")
        _ = try members.optional("userName", \.userName, "The name the user signs in with.")
        _ = try members.optional("email", \.email, "The address.", .example("ada@example.com"))
        _ = try members.optional("firstName", \.firstName, "The given name.")
        _ = try members.optional("lastName", \.lastName, "The family name.")
        let claims = try members.required(
            "claims",
            \.claims,
            "Everything the server has said of the user.",
            .example(.members(["email": .string("ada@example.com")]))
        )
        self.init(subject: subject, issuer: issuer, claims: claims, session: session)
    }
}

/// A token that is given to a caller.
package struct GivenToken: JSONRecord {
    package let token: SecretText
    package let type: String
    package let mode: TokenMode
    package let scopes: [String]
    package var expiresAt: String?
    package var expiresIn: Int?

    package init(_ token: AccessToken) {
        (self.token, type, mode, scopes) = (SecretText(token.value), token.type, token.mode, token.scopes)
    }

    package static let form = JSONForm<Self>("Token", "A token that may be sent.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        token = try members.required(
            "accessToken",
            \.token,
            "The token.",
            .example(SecretText(Secret("eyJhbGciOi...")))
        )
        type = try members.required("tokenType", \.type, "The scheme it is sent with.", .example("Bearer"))
        mode = try members.required("mode", \.mode, "Whose it is.")
        scopes = try members.required("scopes", \.scopes, "What it is good for.", .example(["openid"]))
        expiresAt = try members.optional("expiresAt", \.expiresAt, "When it ends, where the server has said.")
        expiresIn = try members.optional("expiresIn", \.expiresIn, "How many seconds that is from now.", .count)
    }
}

/// How signing out went; no user is signed in here in any case.
package struct SignedOut: JSONRecord {
    /// Where a browser must go to end the session at the server too.
    package let endSessionURL: String?
    /// What became of the tokens at the server; nil where no user was signed in.
    package let revocation: Revocation?

    package init(endSessionURL: String?, revocation: Revocation?) {
        (self.endSessionURL, self.revocation) = (endSessionURL, revocation)
    }

    package var isRevoked: Bool? { revocation.map { $0 == .revoked } }

    package static let form = JSONForm<Self>("SignOut", "How signing out went; no user is signed in here in any case.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        endSessionURL = try members.optional(
            "endSessionUrl",
            \.endSessionURL,
            "Where a browser must go to end the session at the server too."
        )
        _ = try members.optional(
            "revoked",
            \.isRevoked,
            "Whether the server has taken the tokens back; missing where no user was signed in."
        )
        revocation = try members.optional(
            "revocation",
            \.revocation,
            "What became of the tokens: taken back, not taken back by this server, to be tried again, or lost."
        )
    }
}
