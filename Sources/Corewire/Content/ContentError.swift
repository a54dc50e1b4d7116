import WireBase
import WireConfig
import WireContent
import WireHTTP
import WireService

extension Corewire {
    /// Why something is not done with content.
    public struct ContentError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind {
                case noContent, stopped, invalid, notFound, notStored, offline, unreachable, noToken, refused, conflict
                case malformed, failed, cancelled
            }
            private let kind: Kind

            /// The file has no section `content`, or it does not run.
            public static let noContent = Code(kind: .noContent)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// What was asked for cannot be.
            public static let invalid = Code(kind: .invalid)
            /// There is no such module or instance.
            public static let notFound = Code(kind: .notFound)
            /// Only what is stored was wanted, and it has no answer.
            public static let notStored = Code(kind: .notStored)
            /// There is no network, or the policy keeps everything here.
            public static let offline = Code(kind: .offline)
            /// The server does not answer.
            public static let unreachable = Code(kind: .unreachable)
            /// There is no token: nobody is signed in, or the session is locked.
            public static let noToken = Code(kind: .noToken)
            /// The server, or the file, says no.
            public static let refused = Code(kind: .refused)
            /// Somebody else has changed it.
            public static let conflict = Code(kind: .conflict)
            /// The JSON is not what the type expects, or the type has no JSON.
            public static let malformed = Code(kind: .malformed)
            /// The server, or the store, failed.
            public static let failed = Code(kind: .failed)
            /// The task was cancelled.
            public static let cancelled = Code(kind: .cancelled)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence; never content.
        public let description: String
        /// What to do about it.
        public let help: String?
        /// When to come again, where somebody knows.
        public let retryAfter: Duration?
        /// The setting of the services file that wants it so, and its place: `app.yaml:12:8`.
        public let setting: (path: String, place: String)?
        /// What the coder said of a value that is not as expected; it may quote the value.
        public let cause: (any Error)?

        init(
            _ code: Code,
            _ description: String,
            help: String? = nil,
            retryAfter: Duration? = nil,
            setting: (path: String, place: String)? = nil,
            cause: (any Error)? = nil
        ) {
            (self.code, self.description, self.help) = (code, description, help)
            (self.retryAfter, self.setting, self.cause) = (retryAfter, setting, cause)
        }
    }
}

extension Corewire.ContentError {
    static let stopped = Corewire.ContentError(.stopped, "the services have been stopped")

    /// Nobody has content.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(of: ContentSection.name, in: status, help: "add the section 'content' to have content")
        self.init(.noContent, absence.description, help: absence.help)
    }

    init(_ failure: ContentFailure) {
        let code: Code =
            switch failure.kind {
            case .invalid: .invalid
            case .noSuchModule, .noSuchInstance: .notFound
            case .notStored, .notAnswerable: .notStored
            case .offline: .offline
            case .unreachable: .unreachable
            case .noToken: .noToken
            case .refused(let status) where status.code == 404: .notFound
            case .refused, .forbidden: .refused
            case .conflict: .conflict
            case .serverFailed, .malformed, .tooLarge, .store: .failed
            case .ended: .stopped
            case .cancelled: .cancelled
            }
        self.init(
            code,
            failure.reason,
            help: failure.help,
            retryAfter: failure.retryAfter,
            setting: failure.origin.map(\.setting)
        )
    }
}
