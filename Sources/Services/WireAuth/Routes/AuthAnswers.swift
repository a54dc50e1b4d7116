import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService

/// How the session is, as the local API tells it.
struct AuthStatus: JSONObject {
    let state: String
    let reason: String?
    let mode: TokenMode
    let flow: String
    let policy: String
    let session: String?
    let token: TokenFactsAnswer?
    let signIn: SignInAnswer?
    let lock: LockAnswer?
    let trouble: TroubleAnswer?
    let app: AppAnswer?
    let pendingRevocations: Int?
    let withheld: WithheldAnswer?

    init(_ service: AuthService, isTrusted: Bool) {
        let pending = [service.userKeeper, service.appKeeper].reduce(0) { $0 + ($1?.revocations.count ?? 0) }
        pendingRevocations = pending > 0 ? pending : nil
        withheld = service.watch.withheld.map(WithheldAnswer.init)
        let settings = service.present.settings
        (mode, flow, policy) = (TokenMode(settings.mode), settings.flow.rawValue, settings.policy.rawValue)
        app = service.appKeeper.map { keeper in
            keeper.state.withLock { AppAnswer(state: $0.gate.name, trouble: $0.gate.trouble.map(TroubleAnswer.init)) }
        }
        guard let keeper = service.userKeeper else {
            (state, reason, session, token) = (app?.state ?? "signedOut", nil, nil, nil)
            (signIn, lock) = (nil, nil)
            trouble = app?.trouble
            return
        }
        let clock = keeper.clock
        let now = keeper.state.withLock { $0 }
        let isLocked = now.gate.isLocked || now.isOverdue(clock)
        state = isLocked ? "locked" : now.gate.name
        if case .signedOut(let why) = now.gate.state { reason = why?.rawValue } else { reason = nil }
        session = isTrusted && !isLocked ? now.gate.facts?.session : nil
        token = isTrusted && !isLocked ? now.snapshot.map { TokenFactsAnswer($0, clock) } : nil
        // Whoever has the code or the URL takes part in the sign-in.
        signIn = isTrusted ? now.gate.task.map { SignInAnswer($0, clock, state: now.gate.name) } : nil
        lock = service.standing.lock.map(LockAnswer.init)
        trouble = now.gate.trouble.map(TroubleAnswer.init)
    }

    static let shape = JSONShape<Self>(
        "Auth",
        "Who is signed in, and how.",
        [
            .member("state", "Where the session stands.", as: .words(Gate.names)) { $0.state },
            .member("reason", "Why nobody is signed in any more.", as: .words(SignOutReason.allCases.map(\.rawValue))) {
                $0.reason
            },
            .member("mode", "Whose tokens requests carry unless they say otherwise.") { $0.mode },
            .member("flow", "How a user signs in unless asked otherwise.") { $0.flow },
            .member("policy", "Whether anything runs before a user has signed in.") { $0.policy },
            .member("session", "The name of this very session.") { $0.session },
            .member("token", "What is known of the token of this session, and never the token.") { $0.token },
            .member("signIn", "What the person who signs in must do.") { $0.signIn },
            .member("lock", "The lock, where the file declares one.") { $0.lock },
            .member("withheld", "The security rule that withholds the session, where one does.") { $0.withheld },
            .member("trouble", "What goes wrong.") { $0.trouble },
            .member("app", "The session of the app itself, in modes that have one.") { $0.app },
            .member(
                "pendingRevocations",
                "How many sessions have ended whose tokens the server has not taken back yet.",
                as: .count()
            ) { $0.pendingRevocations },
        ]
    )
}

/// How long the token is good, and for what: for people who look, which is no use of the session.
struct TokenFactsAnswer: JSONObject {
    let scopes: [String]
    let end: Int64?

    init(_ snapshot: TokenSnapshot, _ clock: Clockwork) {
        scopes = snapshot.token.scopes
        end = snapshot.life.end(clock)
    }

    static let shape = JSONShape<Self>(
        "AuthTokenFacts",
        "How long the token is good, and for what.",
        [
            .member("scopes", "What it is good for.") { $0.scopes },
            .member("expiresAt", "When it ends, where the server has said; it is renewed before.") {
                $0.end.map { Timestamp(milliseconds: $0).description }
            },
        ]
    )
}

/// What a person must do to sign in.
struct SignInAnswer: JSONObject {
    let state: String
    let task: SignInTask
    let expiresIn: Int

    init(_ task: SignInTask, _ clock: Clockwork, state: String) {
        self.state = state
        self.task = task
        expiresIn = Int(max(0, (task.ends - clock.monotonic()).components.seconds))
    }

    private var url: String? { if case .open(let url) = task.ask { url } else { nil } }

    private var code: (code: String, uri: String, complete: String?)? {
        if case .enter(let code, let uri, let complete) = task.ask { (code, uri, complete) } else { nil }
    }

    static let shape = JSONShape<Self>(
        "SignIn",
        "A sign-in, and what the person must do for it.",
        [
            .member("state", "Where the session stands.", as: .words(Gate.names)) { $0.state },
            .member("flow", "How it is done.") { $0.task.flow.rawValue },
            .member("url", "The address to open in a browser.") { $0.url },
            .member("userCode", "The code to enter.") { $0.code?.code },
            .member("verificationUri", "Where to enter it.") { $0.code?.uri },
            .member("completeUri", "The same with the code in it, for a QR code.") { $0.code?.complete },
            .member("expiresIn", "How many seconds there are left for it.", as: .count()) { $0.expiresIn },
        ]
    )
}

/// The lock as it is told.
struct LockAnswer: JSONObject {
    let lock: LockStanding

    static let shape = JSONShape<Self>(
        "AuthLock",
        "When and how everything is withheld until it is unlocked.",
        [
            .member("locked", "Whether it is locked.") { $0.lock.isLocked },
            .member(
                "method",
                "What unlocks it: a PIN, or the password of the account corewire runs as.",
                as: .words(UnlockMethod.allCases.map(\.rawValue))
            ) { $0.lock.method.rawValue },
            .member("pinSet", "Whether there is a PIN; without one method 'pin' does not lock.") { $0.lock.hasPIN },
            .member("obstacle", "Why it could not be unlocked on this machine.") { $0.lock.obstacle },
            .member("after", "How many seconds without use lock it.", as: .count()) {
                Int($0.lock.after.components.seconds)
            },
            .member("attempts", "How many wrong attempts end the session.", as: .count()) { $0.lock.attempts },
            .member("attemptsLeft", "How many are left.", as: .count()) { $0.lock.attemptsLeft },
            .member("wait", "How many seconds the next attempt must wait.", as: .count()) { $0.lock.wait.wholeSeconds },
        ]
    )
}

/// What goes wrong, with what a person can do.
struct TroubleAnswer: JSONObject {
    let trouble: Trouble

    init(_ trouble: Trouble) { self.trouble = trouble }

    static let shape = JSONShape<Self>(
        "AuthTrouble",
        "What goes wrong with signing in or staying signed in.",
        [
            .member("kind", "Its name.") { $0.trouble.kind },
            .member("guidance", "What a person is told.") { $0.trouble.guidance },
            .member("detail", "What happened, for developers.") { $0.trouble.detail },
            .member("transient", "Whether trying again may help.") { $0.trouble.isTransient },
            .member("config", "The value of the services file it comes from.", as: ValueOrigin.schema) {
                $0.trouble.origin
            },
        ]
    )
}

/// The security rule that withholds the session.
struct WithheldAnswer: JSONObject {
    let distrust: Distrust

    static let shape = JSONShape<Self>(
        "AuthWithheld",
        "The security rule that withholds the session: no service hears of the user, and no token is handed out.",
        [
            .member("rule", "The name of the rule.") { $0.distrust.rule },
            .member("reason", "What the rule has found.") { $0.distrust.reason },
            .member("config", "The value of the services file it comes from.", as: ValueOrigin.schema) {
                $0.distrust.origin
            },
        ]
    )
}

/// The session of the app itself.
struct AppAnswer: JSONObject {
    let state: String
    let trouble: TroubleAnswer?

    static let shape = JSONShape<Self>(
        "AuthApp",
        "The session of the app itself.",
        [
            .member("state", "Where it stands.", as: .words(Gate.names)) { $0.state },
            .member("trouble", "What goes wrong.") { $0.trouble },
        ]
    )
}

/// The user who is signed in.
struct SignedInUserAnswer: JSONObject {
    let user: SignedInUser

    static let shape = JSONShape<Self>(
        "AuthUser",
        "The user who is signed in, as the identity server has said.",
        [
            .member("subject", "The name the server has for this user, for ever.") { $0.user.subject },
            .member("issuer", "The server.") { $0.user.issuer },
            .member("session", "The name of this very session.") { $0.user.session },
            .member("name", "A name to show.") { $0.user.name },
            .member("userName", "The name the user signs in with.") { $0.user.userName },
            .member("email", "The address.") { $0.user.email },
            .member("firstName", "The given name.") { $0.user.firstName },
            .member("lastName", "The family name.") { $0.user.lastName },
            .member("claims", "Everything the server has said of the user.") { $0.user.claims },
        ]
    )
}

/// How signing out went.
struct SignOutAnswer: JSONObject {
    let end: SignedOut

    static let shape = JSONShape<Self>(
        "SignOut",
        "How signing out went; nobody is signed in here in any case.",
        [
            .member("endSessionUrl", "Where a browser must go to end the session at the server too.") {
                $0.end.endSessionURL
            },
            .member("revoked", "Whether the server has taken the tokens back; missing where nobody was signed in.") {
                $0.end.revocation.map { $0 == .revoked }
            },
            .member(
                "revocation",
                "What became of the tokens: taken back, not taken back by this server, to be tried again, or lost."
            ) { $0.end.revocation },
        ]
    )
}

extension Duration {
    /// Seconds, rounded up.
    var wholeSeconds: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}
