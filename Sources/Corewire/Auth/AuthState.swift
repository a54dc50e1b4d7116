import WireAuth
import WireAuthContract
import WireBase
import WireConfig

extension Corewire {
    /// Where a session stands.
    public enum AuthState: Sendable {
        /// No user is signed in; why not any more, where somebody was or was about to be.
        case signedOut(SignOutReason?)
        /// Somebody is about to sign in, and must do something for it.
        case signingIn(SignInStep)
        /// There is a user, and tokens.
        case signedIn(User)
        /// The app itself is signed in: the file says `mode: app`.
        case appSignedIn
        /// There is a user, and everything about it is withheld until the PIN is entered.
        case locked
        /// The server has closed the account; the guidance is what the person is told.
        case blocked(guidance: String)
    }

    /// Why no user is signed in any more; more may be added.
    public struct SignOutReason: Sendable, Hashable, CustomStringConvertible {
        /// The name of the reason, as the local API has it.
        public let description: String

        /// Somebody asked for it.
        public static let user = Self(description: "user")
        /// The server has ended the session, or its tokens have ended and there is no way to new ones.
        public static let expired = Self(description: "expired")
        /// The account was closed.
        public static let blocked = Self(description: "blocked")
        /// The PIN was wrong too often.
        public static let wiped = Self(description: "wiped")
        /// Another program of the group did it.
        public static let elsewhere = Self(description: "elsewhere")
        /// A sign-in did not come about.
        public static let failed = Self(description: "failed")
        /// A sign-in was given up.
        public static let cancelled = Self(description: "cancelled")
        /// The file names another server or client than the one that was signed in at.
        public static let otherServer = Self(description: "otherServer")
    }

    /// What the person who signs in must do.
    public enum SignInStep: Sendable, Hashable {
        /// To open this address in a browser.
        case open(url: String)
        /// To enter a code at an address, on whatever device; `complete` has the code in it, for a QR code.
        case enter(code: String, at: String, complete: String?)
        /// Nothing: the server, or an add-on, has been asked.
        case none
    }

    /// What goes wrong, for programs by its kind and for people by its guidance.
    public struct AuthTrouble: Sendable {
        /// Its name, such as `offline` or `invalidGrant`.
        public let kind: String
        /// What a person is told, in the words of the file where it has some.
        public let guidance: String
        /// What happened, for developers; never a secret.
        public let detail: String
        /// The setting of the services file it comes from.
        public let setting: Corewire.Setting?
        /// Whether trying again may help.
        public let isTransient: Bool
    }

    /// When and how everything is withheld until it is unlocked.
    public struct AuthLock: Sendable {
        /// Whether it is locked.
        public let isLocked: Bool
        /// Whether there is a PIN; without one it does not lock.
        public let hasPIN: Bool
        /// How long without use locks it.
        public let after: Duration
        /// How many wrong attempts in a row end the session.
        public let attempts: Int
        /// How many are left.
        public let attemptsLeft: Int
        /// How long the next attempt must wait.
        public let wait: Duration
    }

    /// How signing out went; no user is signed in here in any case.
    public struct SignOut: Sendable {
        /// Where a browser must go to end the session at the server too.
        public let endSessionURL: String?
        /// Whether the server has taken the tokens back; nil where nobody was signed in.
        public var isRevoked: Bool? { revocation.map { $0 == .revoked } }
        /// What became of the tokens at the server; nil where nobody was signed in.
        public let revocation: Revocation?

        init(_ end: SignedOut) {
            endSessionURL = end.endSessionURL
            revocation = end.revocation.map(Revocation.init)
        }
    }

    /// What became of the tokens of a session that has ended; more may be added.
    public struct Revocation: Sendable, Hashable, CustomStringConvertible {
        /// As the local API has it.
        public let description: String

        /// The server has taken them back.
        public static let revoked = Revocation(.revoked)
        /// The server takes none back; they end by themselves.
        public static let notOffered = Revocation(.notOffered)
        /// The server could not be told yet, and is until it has been.
        public static let pending = Revocation(.pending)
        /// The server could not be told, and the store does not keep that it must be.
        public static let failed = Revocation(.failed)

        init(_ revocation: WireAuthContract.Revocation) { description = revocation.rawValue }
    }
}

extension Corewire.AuthState {
    init(_ session: AuthStanding.Session) {
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
    init(_ lock: LockStanding) {
        isLocked = lock.isLocked
        hasPIN = lock.hasPIN
        after = lock.after
        attempts = lock.attempts
        attemptsLeft = lock.attemptsLeft
        wait = lock.wait
    }
}
