import WireBase
import WireConfig
import WireHTTP
import WireNetwork
import WireService

extension Corewire {
    /// Why there is no answer to a request, or not all of it.
    public struct NetworkError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            let kind: String

            /// The file has no section `network`, or it does not run.
            public static let noNetwork = absent
            /// The services have been stopped, or are being.
            public static let stopped = ending
            /// The request could never be sent, or the environment has no base URL.
            public static let invalid = Code(kind: RequestFailureKind.invalid.rawValue)
            /// There is no network.
            public static let offline = Code(kind: RequestFailureKind.offline.rawValue)
            /// Only what is stored was wanted, and nothing is.
            public static let notStored = Code(kind: RequestFailureKind.notStored.rawValue)
            /// There is no token now.
            public static let noToken = Code(kind: "no-token")
            /// The host has failed so often that it is left alone for a while.
            public static let resting = Code(kind: RequestFailureKind.resting.rawValue)
            /// Too many requests are under way.
            public static let busy = Code(kind: RequestFailureKind.busy.rawValue)
            /// The file does not allow it.
            public static let forbidden = Code(kind: RequestFailureKind.forbidden.rawValue)
            /// Its time is over.
            public static let timeout = Code(kind: RequestFailureKind.timeout.rawValue)
            /// The server could not be reached, is not who it should be, or its answer broke off.
            public static let failed = Code(kind: "failed")
            /// The task was cancelled.
            public static let cancelled = Code(kind: RequestFailureKind.cancelled.rawValue)
            /// The body is larger than allowed.
            public static let tooLarge = Code(kind: "too-large")
            /// The server answered another status than one from 200 to 299.
            public static let status = Code(kind: "status")
            /// The JSON is not what the type expects.
            public static let malformed = Code(kind: "malformed")
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence; never a secret, never the query.
        public let description: String
        /// What to do about it.
        public let help: String?
        /// Whether nothing of the request can have reached the server.
        public let wasNotSent: Bool
        /// When to come again, where that is known.
        public let retryAfter: Duration?
        /// The setting of the services file that it comes from, and its place: `app.yaml:12:8`.
        public let setting: (path: String, place: String)?
    }
}

extension Corewire.NetworkError: CallError {
    static let section = (name: NetworkSection.name, help: "add the section 'network' to have requests sent")

    init(_ code: Code, _ description: String, help: String? = nil, setting: (path: String, place: String)? = nil) {
        (self.code, self.description, self.help, self.setting) = (code, description, help, setting)
        (wasNotSent, retryAfter) = (code == .noNetwork || code == .stopped, nil)
    }

    init(_ failure: CallFailure) {
        (code, description) = (Code(failure.kind.requestFailure), failure.reason)
        (help, setting) = (failure.help, failure.origin?.setting)
        (wasNotSent, retryAfter) = (failure.wasNotSent, failure.retryAfter)
    }

    init(_ mismatch: JSONMismatch) { self.init(.invalid, "\(mismatch.member.quoted): \(mismatch.detail)") }

    /// What kept a body from being read to its end.
    init(reading error: any Error) {
        switch error {
        case let failure as TransferFailure: self.init(Code(failure.kind.requestFailure), failure.reason)
        case let large as BodyTooLarge: self.init(.tooLarge, "the body is larger than \(large.limit)")
        case is CancellationError: self.init(.cancelled, "the task was cancelled")
        default: self.init(.failed, "the body broke off")
        }
    }
}

extension Corewire.NetworkError.Code: CallErrorCode {
    static let badInput = invalid

    fileprivate init(_ kind: RequestFailureKind) {
        self =
            switch kind {
            case .signedOut, .locked, .blocked, .distrusted, .tokenUnavailable, .undeclaredMode: .noToken
            case .unreachable, .unresolved, .tls, .pin, .interrupted, .protocolError, .tooManyRedirects, .exhausted:
                .failed
            case .noAddress: .invalid
            case .ended: .stopped
            case .invalid, .offline, .notStored, .resting, .busy, .forbidden, .timeout, .cancelled:
                Self(kind: kind.rawValue)
            }
    }
}
