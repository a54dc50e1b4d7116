import WireAuth
import WireBase
import WireConfig
import WireService

extension Corewire {
    /// Why something about who is signed in was not done.
    public struct AuthError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind {
                case noAuth, stopped, noUser, signedOut, signedIn, locked, blocked, distrusted, unavailable, undeclared,
                    signInFailed
                case noSignIn, givenUp, noLock, noPIN, badPIN, wrongPIN, notLocked, otherMethod, tooSoon, wiped,
                    badLifetime, unrenewable, malformed
                case cancelled, failed
            }
            private let kind: Kind

            /// The file has no section `auth`, or it does not run.
            public static let noAuth = Code(kind: .noAuth)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// The file says `mode: app`: no user signs in.
            public static let noUser = Code(kind: .noUser)
            /// Nobody is signed in.
            public static let signedOut = Code(kind: .signedOut)
            /// Somebody is signed in already.
            public static let signedIn = Code(kind: .signedIn)
            /// It is locked.
            public static let locked = Code(kind: .locked)
            /// The server has closed the account.
            public static let blocked = Code(kind: .blocked)
            /// A security rule says that this machine is not to be trusted now.
            public static let distrusted = Code(kind: .distrusted)
            /// There is no token now; trying again helps.
            public static let unavailable = Code(kind: .unavailable)
            /// The file declares no such mode, or no such flow.
            public static let undeclared = Code(kind: .undeclared)
            /// A sign-in did not come about; `kind` says why.
            public static let signInFailed = Code(kind: .signInFailed)
            /// No sign-in waits, or the answer is of another one.
            public static let noSignIn = Code(kind: .noSignIn)
            /// The sign-in was given up, or another one has taken its place.
            public static let givenUp = Code(kind: .givenUp)
            /// The file declares no lock.
            public static let noLock = Code(kind: .noLock)
            /// There is no PIN to lock with, or nothing is locked.
            public static let noPIN = Code(kind: .noPIN)
            /// A PIN has 4 to 12 digits and nothing else.
            public static let badPIN = Code(kind: .badPIN)
            /// The PIN, or the password of the account, is wrong.
            public static let wrongPIN = Code(kind: .wrongPIN)
            /// There is nothing to unlock.
            public static let notLocked = Code(kind: .notLocked)
            /// The file says that it is unlocked in another way.
            public static let otherMethod = Code(kind: .otherMethod)
            /// The next attempt must wait, or the next renewal of a token that was refused.
            public static let tooSoon = Code(kind: .tooSoon)
            /// The PIN was wrong too often, and the session has ended.
            public static let wiped = Code(kind: .wiped)
            /// No token is good for so long.
            public static let badLifetime = Code(kind: .badLifetime)
            /// The token cannot be renewed: the server gave nothing to do that with.
            public static let unrenewable = Code(kind: .unrenewable)
            /// A claim is not what the type expects.
            public static let malformed = Code(kind: .malformed)
            /// The task was cancelled.
            public static let cancelled = Code(kind: .cancelled)
            /// It cannot be kept or checked on this machine now.
            public static let failed = Code(kind: .failed)
        }

        /// The kind of reason.
        public let code: Code
        /// What happened, in one sentence for developers; never a secret.
        public let description: String
        /// What a person is told, in the words of the file where it has some.
        public let guidance: String
        /// The class of error at the server or on the way to it, such as `invalidClient` or `offline`; nil for any other.
        public let kind: String?
        /// The setting of the services file it comes from, and its place: `app.yaml:12:8`.
        public let setting: (path: String, place: String)?
        /// Whether trying again, with nothing changed, may help.
        public let helpsToRetry: Bool
        /// How long to wait before trying again; nil where nothing is known.
        public let retryAfter: Duration?
        /// What to do about it, for developers.
        public let help: String?

        init(
            _ code: Code,
            _ description: String,
            guidance: String? = nil,
            kind: String? = nil,
            origin: ValueOrigin? = nil,
            helpsToRetry: Bool = false,
            retryAfter: Duration? = nil,
            help: String? = nil
        ) {
            self.code = code
            self.description = description
            self.guidance = guidance ?? "This did not work: \(description)."
            self.kind = kind
            setting = origin.map(\.setting)
            self.helpsToRetry = helpsToRetry
            self.retryAfter = retryAfter
            self.help = help
        }
    }
}
