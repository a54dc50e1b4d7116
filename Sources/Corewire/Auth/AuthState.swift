import WireAuth
import WireAuthContract
import WireBase
import WireConfig

extension Corewire {
    /// The state of a session.
    public enum AuthState: Sendable {
        /// No user is signed in; with the reason where a session or a sign-in has ended.
        case signedOut(SignOutReason?)
        /// A sign-in is pending, and the user must act.
        case signingIn(SignInStep)
        /// A user is signed in.
        case signedIn(User)
        /// The app itself is signed in: the file says `mode: app`.
        case appSignedIn
        /// A user is signed in, but tokens and user are blocked until the PIN is entered.
        case locked
        /// The account is blocked; the guidance is the message for the user.
        case blocked(guidance: String)
    }

    /// Why the session has ended; more may be added.
    public struct SignOutReason: Sendable, Hashable, CustomStringConvertible {
        /// The name of the reason, as in the local API.
        public let description: String

        /// A caller signed the user out.
        public static let user = Self(description: "user")
        /// The server has ended the session, or the tokens have expired and cannot be refreshed.
        public static let expired = Self(description: "expired")
        /// The account is blocked.
        public static let blocked = Self(description: "blocked")
        /// Too many wrong PINs.
        public static let wiped = Self(description: "wiped")
        /// Another program of the group signed the user out.
        public static let elsewhere = Self(description: "elsewhere")
        /// A sign-in failed.
        public static let failed = Self(description: "failed")
        /// A sign-in was cancelled.
        public static let cancelled = Self(description: "cancelled")
        /// The file names another server or client than that of the session.
        public static let otherServer = Self(description: "otherServer")
    }

    /// What the user must do to sign in.
    public enum SignInStep: Sendable, Hashable {
        /// Open this address in a browser.
        case open(url: String)
        /// Enter a code at an address, on any device; `complete` includes the code, for a QR code.
        case enter(code: String, at: String, complete: String?)
        /// Nothing: the server or an add-on handles it.
        case none
    }

    /// A failure of the session, with its kind for programs and guidance for users.
    public struct AuthTrouble: Sendable {
        /// The name of the kind, such as `offline` or `invalidGrant`.
        public let kind: String
        /// The message for the user, in the words of the file where it has some.
        public let guidance: String
        /// The details for developers; never a secret.
        public let detail: String
        /// The services file value that causes the failure.
        public let setting: Corewire.Setting?
        /// Whether a retry may help.
        public let isTransient: Bool
    }

    /// The settings and the state of the session lock.
    public struct AuthLock: Sendable {
        /// Whether the session is locked.
        public let isLocked: Bool
        /// Whether a PIN is set; the session cannot be locked without one.
        public let hasPIN: Bool
        /// The idle time after which the session is locked.
        public let after: Duration
        /// The number of consecutive wrong attempts that ends the session.
        public let attempts: Int
        /// The remaining attempts.
        public let attemptsLeft: Int
        /// The delay before the next attempt.
        public let wait: Duration
    }

    /// The result of a sign-out, after which no user is signed in.
    public struct SignOut: Sendable {
        /// The URL that ends the session at the server in a browser.
        public let endSessionURL: String?
        /// Whether the server has revoked the tokens; nil where no user was signed in.
        public var isRevoked: Bool? { revocation.map { $0 == .revoked } }
        /// The result of the revocation; nil where no user was signed in.
        public let revocation: Revocation?

        init(_ end: SignedOut) {
            endSessionURL = end.endSessionURL
            revocation = end.revocation.map(Revocation.init)
        }
    }

    /// The result of revoking the tokens of a session; more may be added.
    public struct Revocation: Sendable, Hashable, CustomStringConvertible {
        /// The name, as in the local API.
        public let description: String

        /// The server has revoked the tokens.
        public static let revoked = Revocation(.revoked)
        /// The server does not support revocation; the tokens expire by themselves.
        public static let notOffered = Revocation(.notOffered)
        /// The server could not be reached yet; the revocation is retried.
        public static let pending = Revocation(.pending)
        /// The server could not be reached, and the store cannot record the retry.
        public static let failed = Revocation(.failed)

        init(_ revocation: WireAuthContract.Revocation) { description = revocation.rawValue }
    }
}

extension Corewire.AuthState {
    init(_ session: AuthSnapshot.Session) {
        self =
            switch session {
            case .signedOut(let reason): .signedOut(reason.map { Corewire.SignOutReason(description: $0.rawValue) })
            case .signingIn(let task): .signingIn(Corewire.SignInStep(task.ask))
            case .signedIn(let user): .signedIn(Corewire.User(user))
            case .appSignedIn: .appSignedIn
            case .locked: .locked
            case .blocked(let trouble): .blocked(guidance: trouble.guidance)
            }
    }
}

extension Corewire.SignInStep {
    init(_ ask: SignInTask.Ask) {
        self =
            switch ask {
            case .open(let url): .open(url: url)
            case .enter(let code, let uri, let complete): .enter(code: code, at: uri, complete: complete)
            case .wait, .addon: .none
            }
    }
}

extension Corewire.AuthTrouble {
    init(_ trouble: Trouble) {
        kind = trouble.kind
        guidance = trouble.guidance
        detail = trouble.detail
        setting = trouble.origin.map(\.setting)
        isTransient = trouble.isTransient
    }
}

extension Corewire.AuthLock {
    init(_ lock: LockState) {
        isLocked = lock.isLocked
        hasPIN = lock.hasPIN
        after = lock.after
        attempts = lock.attempts
        attemptsLeft = lock.attemptsLeft
        wait = lock.wait
    }
}
