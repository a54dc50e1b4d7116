package import WireBase
package import WireConfig

/// The user who is signed in: what the identity server has said, checked.
package struct SignedInUser: Sendable {
    /// The name the server has for this user, for ever (`sub`).
    package let subject: String
    package let issuer: String
    /// All claims, in their order.
    package let claims: JSONValue
    /// Apps of the same group, and the same user signed in anew, have another one.
    package let session: String

    package init(subject: String, issuer: String, claims: JSONValue, session: String) {
        self.subject = subject
        self.issuer = issuer
        self.claims = claims
        self.session = session
    }
}

/// Knows who is signed in.
package protocol UserPresence: Sendable {
    /// Who is signed in now; somebody whose session is locked is.
    var user: SignedInUser? { get }
    /// Whether services may run before a user has signed in (`policy: anonymous`, or with tokens of the app).
    var allowsAnonymous: Bool { get }
    /// Why there is no ``user``; asked while there is none, and never a secret.
    var absence: UserAbsence { get }
    /// Who is signed in from now on, beginning with who is now; ends when the service that knows it ends, and not before.
    ///
    /// ``user`` is that already when it is told here. Nil is told again where there is another ``absence``. Several may
    /// listen.
    func changes() -> AsyncStream<SignedInUser?>
}

extension UserPresence {
    package var absence: UserAbsence { .signedOut }
}

/// Why there is no user to work for, and what can be done about that.
package struct UserAbsence: Sendable, Equatable {
    package enum Kind: Sendable {
        case signedOut
        /// A security rule withholds the session of the user.
        case withheld
        /// The file says that no user signs in.
        case undeclared
    }

    package let kind: Kind
    package let reason: String
    package let help: String
    /// The value of the file that has to be another one, where no user can ever be there.
    package let origin: ValueOrigin?

    private init(_ kind: Kind, _ reason: String, help: String, origin: ValueOrigin? = nil) {
        (self.kind, self.reason, self.help, self.origin) = (kind, reason, help, origin)
    }

    package static let signedOut = Self(
        .signedOut,
        "no user is signed in",
        help: "sign in first: 'corewire auth login', or the page of the console"
    )

    package static func withheld(_ distrust: Distrust) -> Self {
        Self(
            .withheld,
            "the session is withheld by the security rule \(distrust.rule.quoted): \(distrust.reason)",
            help: "'corewire security report' shows what the rule has found"
        )
    }

    package static func undeclared(_ origin: ValueOrigin?) -> Self {
        Self(
            .undeclared,
            "no user signs in here: the file declares mode: app",
            help: "set 'mode' of 'auth' to 'appPlus' or 'user'",
            origin: origin
        )
    }

    package var fault: Fault { Fault(reason, help: help, origin: origin) }
}

extension ServiceAbility where Value == any UserPresence {
    package static var userPresence: Self { Self(Provision(.accessTokens, "user")) }
}
