package import WireBase
package import WireConfig

/// The signed-in user, from verified claims of the identity server.
package struct SignedInUser: Sendable {
    /// The permanent id of the user at the server (`sub`).
    package let subject: String
    package let issuer: String
    /// All claims, in order.
    package let claims: JSONValue
    /// The session id; each app of a group, and each sign-in, has its own.
    package let session: String

    package init(subject: String, issuer: String, claims: JSONValue, session: String) {
        self.subject = subject
        self.issuer = issuer
        self.claims = claims
        self.session = session
    }
}

/// Provides the signed-in user.
package protocol UserPresence: Sendable {
    /// The user who is signed in now; also while the session is locked.
    var user: SignedInUser? { get }
    /// Whether services may run before a user signs in (`policy: anonymous`, or with tokens of the app).
    var allowsAnonymous: Bool { get }
    /// Why there is no ``user``; only meaningful while there is none, and never a secret.
    var absence: MissingUser { get }
    /// Yields the current user and every change; ends with the service that signs users in.
    ///
    /// ``user`` has already changed when the stream yields. Nil is yielded again where the ``absence`` changes. Several
    /// subscribers are allowed.
    func changes() -> AsyncStream<SignedInUser?>
}

extension UserPresence {
    package var absence: MissingUser { .signedOut }
}

/// Why no user is available, and what to do.
package struct MissingUser: Sendable, Equatable {
    package enum Kind: Sendable {
        case signedOut
        /// A security rule blocks the session.
        case withheld
        /// The file declares that no user signs in.
        case undeclared
    }

    package let kind: Kind
    package let reason: String
    package let help: String
    /// The services file value to change, where no user can ever sign in.
    package let origin: ValueOrigin?

    private init(_ kind: Kind, _ reason: String, help: String, origin: ValueOrigin? = nil) {
        (self.kind, self.reason, self.help, self.origin) = (kind, reason, help, origin)
    }

    package static let signedOut = Self(
        .signedOut,
        "no user is signed in",
        help: "sign in with 'corewire auth login' or in the console"
    )

    package static func withheld(_ distrust: TrustFailure) -> Self {
        Self(
            .withheld,
            "the session is blocked by the security rule \(distrust.rule.quoted): \(distrust.reason)",
            help: "run 'corewire security report' for details"
        )
    }

    package static func undeclared(_ origin: ValueOrigin?) -> Self {
        Self(
            .undeclared,
            "no user can sign in: the file declares 'mode: app'",
            help: "set 'auth.mode' to 'appPlus' or 'user'",
            origin: origin
        )
    }

    package var fault: Fault { Fault(reason, help: help, origin: origin) }
}

extension ServiceAbility where Value == any UserPresence {
    package static var userPresence: Self { Self(Provision(.accessTokens, "user")) }
}
