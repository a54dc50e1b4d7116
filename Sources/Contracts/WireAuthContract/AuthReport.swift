import WireConfig
package import WireHTTP
package import WireService

/// Where the session stands, as the local API says it; never a token.
package struct AuthReport: JSONRecord {
    package var state = SessionState.signedOut
    package var reason: SignOutReason?
    package let mode: TokenMode
    package let flow: SignInFlow
    package let policy: String
    package var session: String?
    package var token: AuthTokenFacts?
    package var signIn: SignInReport?
    package var lock: LockStanding?
    package var withheld: Distrust?
    package var trouble: Trouble?
    package var app: AuthAppReport?
    package var pendingRevocations: Int?

    package init(_ mode: TokenMode, _ flow: SignInFlow, policy: String) {
        (self.mode, self.flow, self.policy) = (mode, flow, policy)
    }

    package static let form = JSONForm<Self>("Auth", "Who is signed in, and how.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.required("state", \.state, "Where the session stands.", .example(.signedIn))
        reason = try members.optional("reason", \.reason, "Why no user is signed in any more.")
        mode = try members.required("mode", \.mode, "Whose tokens requests carry unless they say otherwise.")
        flow = try members.required(
            "flow",
            \.flow,
            "How a user signs in unless asked otherwise.",
            .schema(.text),
            .example(.browser)
        )
        policy = try members.required(
            "policy",
            \.policy,
            "Whether anything runs before a user has signed in.",
            .example("authentication")
        )
        session = try members.optional("session", \.session, "The name of this very session.")
        token = try members.optional(
            "token",
            \.token,
            "What is known of the token of this session, and never the token."
        )
        signIn = try members.optional("signIn", \.signIn, "What the person who signs in must do.")
        lock = try members.optional("lock", \.lock, "The lock, where the file declares one.")
        withheld = try members.optional(
            "withheld",
            \.withheld,
            "The security rule that withholds the session, where one does."
        )
        trouble = try members.optional("trouble", \.trouble, "What goes wrong.")
        app = try members.optional("app", \.app, "The session of the app itself, in modes that have one.")
        pendingRevocations = try members.optional(
            "pendingRevocations",
            \.pendingRevocations,
            "How many sessions have ended whose tokens the server has not taken back yet.",
            .count
        )
    }
}

/// How long the token is good, and for what: for people who look, which is no use of the session.
package struct AuthTokenFacts: JSONRecord {
    package let scopes: [String]
    package let expiresAt: String?

    package init(scopes: [String], expiresAt: String?) { (self.scopes, self.expiresAt) = (scopes, expiresAt) }

    package static let form = JSONForm<Self>("AuthTokenFacts", "How long the token is good, and for what.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        scopes = try members.required("scopes", \.scopes, "What it is good for.")
        expiresAt = try members.optional(
            "expiresAt",
            \.expiresAt,
            "When it ends, where the server has said; it is renewed before."
        )
    }
}

/// A sign-in, and what the person must do for it.
package struct SignInReport: JSONRecord {
    package let state: SessionState
    package let flow: SignInFlow
    package var url, userCode, verificationURI, completeURI: String?
    package let expiresIn: Int

    package init(_ state: SessionState, _ flow: SignInFlow, expiresIn: Int) {
        (self.state, self.flow, self.expiresIn) = (state, flow, expiresIn)
    }

    package static let form = JSONForm<Self>("SignIn", "A sign-in, and what the person must do for it.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.required("state", \.state, "Where the session stands.")
        flow = try members.required("flow", \.flow, "How it is done.", .schema(.text), .example(.browser))
        url = try members.optional("url", \.url, "The address to open in a browser.")
        userCode = try members.optional("userCode", \.userCode, "The code to enter.")
        verificationURI = try members.optional("verificationUri", \.verificationURI, "Where to enter it.")
        completeURI = try members.optional(
            "completeUri",
            \.completeURI,
            "The same with the code in it, for a QR code."
        )
        expiresIn = try members.required("expiresIn", \.expiresIn, "How many seconds there are left for it.", .count)
    }
}

/// The session of the app itself.
package struct AuthAppReport: JSONRecord {
    package let state: SessionState
    package let trouble: Trouble?

    package init(_ state: SessionState, _ trouble: Trouble?) { (self.state, self.trouble) = (state, trouble) }

    package static let form = JSONForm<Self>("AuthApp", "The session of the app itself.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.required("state", \.state, "Where it stands.")
        trouble = try members.optional("trouble", \.trouble, "What goes wrong.")
    }
}

extension Distrust: JSONRecord {
    package static let form = JSONForm<Self>(
        "AuthWithheld",
        "The security rule that withholds the session: no service hears of the user, and no token is handed out."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            rule: try members.required("rule", \.rule, "The name of the rule."),
            reason: try members.required("reason", \.reason, "What the rule has found."),
            origin: try members.optional("config", \.origin, "The value of the services file it comes from.")
        )
    }
}
