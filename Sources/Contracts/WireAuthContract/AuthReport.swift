import WireConfig
package import WireHTTP
package import WireService

/// The state of the session for the local API; never contains a token.
package struct AuthReport: JSONRecord {
    package var state = SessionState.signedOut
    package var reason: SignOutReason?
    package let mode: TokenMode
    package let flow: SignInFlow
    package let policy: String
    package var session: String?
    package var token: AuthTokenFacts?
    package var signIn: SignInReport?
    package var lock: LockState?
    package var withheld: TrustFailure?
    package var trouble: Trouble?
    package var app: AuthAppReport?
    package var pendingRevocations: Int?

    package init(_ mode: TokenMode, _ flow: SignInFlow, policy: String) {
        (self.mode, self.flow, self.policy) = (mode, flow, policy)
    }

    package static let form = JSONForm<Self>("Auth", "The state of the session.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.required("state", \.state, "The state of the session.", .example(.signedIn))
        reason = try members.optional("reason", \.reason, "Why the session has ended.")
        mode = try members.required(
            "mode",
            \.mode,
            "The default kind of token in requests.",
            .example(.user)
        )
        flow = try members.required(
            "flow",
            \.flow,
            "The default sign-in flow.",
            .schema(.text),
            .example(.browser)
        )
        policy = try members.required(
            "policy",
            \.policy,
            "Whether services run before a user has signed in.",
            .example("authentication")
        )
        session = try members.optional("session", \.session, "The session id.")
        token = try members.optional(
            "token",
            \.token,
            "Facts about the token of the session, without the token."
        )
        signIn = try members.optional("signIn", \.signIn, "What the user must do to sign in.")
        lock = try members.optional("lock", \.lock, "The lock, where the file declares one.")
        withheld = try members.optional(
            "withheld",
            \.withheld,
            "The security rule that blocks the session, if any."
        )
        trouble = try members.optional("trouble", \.trouble, "The current failure.")
        app = try members.optional("app", \.app, "The session of the app itself, in modes that have one.")
        pendingRevocations = try members.optional(
            "pendingRevocations",
            \.pendingRevocations,
            "The number of ended sessions whose tokens are not revoked yet.",
            .count
        )
    }
}

/// The lifetime and scopes of the token, for display; reading them does not count as use of the session.
package struct AuthTokenFacts: JSONRecord {
    package let scopes: [String]
    package let expiresAt: String?

    package init(scopes: [String], expiresAt: String?) { (self.scopes, self.expiresAt) = (scopes, expiresAt) }

    package static let form = JSONForm<Self>("AuthTokenFacts", "The lifetime and scopes of a token.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        scopes = try members.required("scopes", \.scopes, "The scopes.")
        expiresAt = try members.optional(
            "expiresAt",
            \.expiresAt,
            "The expiry, where the server has sent one; the token is refreshed before."
        )
    }
}

/// A pending sign-in, and what the user must do.
package struct SignInReport: JSONRecord {
    package let state: SessionState
    package let flow: SignInFlow
    package var url, userCode, verificationURI, completeURI: String?
    package let expiresIn: Int

    package init(_ state: SessionState, _ flow: SignInFlow, expiresIn: Int) {
        (self.state, self.flow, self.expiresIn) = (state, flow, expiresIn)
    }

    package static let form = JSONForm<Self>("SignIn", "A pending sign-in, and what the user must do.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.required("state", \.state, "The state of the session.", .example(.signingIn))
        flow = try members.required("flow", \.flow, "The sign-in flow.", .schema(.text), .example(.browser))
        url = try members.optional(
            "url",
            \.url,
            "The URL to open in a browser.",
            .example("https://id.example.com/auth?client_id=notes&state=2b7e")
        )
        userCode = try members.optional("userCode", \.userCode, "The code to enter.")
        verificationURI = try members.optional(
            "verificationUri",
            \.verificationURI,
            "The URL at which to enter the code."
        )
        completeURI = try members.optional(
            "completeUri",
            \.completeURI,
            "The URL that includes the code, for a QR code."
        )
        expiresIn = try members.required(
            "expiresIn",
            \.expiresIn,
            "The remaining time in seconds.",
            .count,
            .example(300)
        )
    }
}

/// The session of the app itself.
package struct AuthAppReport: JSONRecord {
    package let state: SessionState
    package let trouble: Trouble?

    package init(_ state: SessionState, _ trouble: Trouble?) { (self.state, self.trouble) = (state, trouble) }

    package static let form = JSONForm<Self>("AuthApp", "The session of the app itself.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.required("state", \.state, "The state of the session.")
        trouble = try members.optional("trouble", \.trouble, "The current failure.")
    }
}

extension TrustFailure: JSONRecord {
    package static let form = JSONForm<Self>(
        "AuthWithheld",
        "The security rule that blocks the session: services do not see the user, and tokens are blocked."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            rule: try members.required("rule", \.rule, "The name of the rule."),
            reason: try members.required("reason", \.reason, "The finding."),
            origin: try members.optional("config", \.origin, "The declaration in the services file.")
        )
    }
}
