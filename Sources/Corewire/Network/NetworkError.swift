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
            private enum Kind {
                case noNetwork, stopped, invalid, offline, notStored, noToken, resting, busy, forbidden, timeout
                case failed, cancelled, tooLarge, status, malformed
            }
            private let kind: Kind

            /// The file has no section `network`, or it does not run.
            public static let noNetwork = Code(kind: .noNetwork)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// The request could never be sent, or the environment has no base URL.
            public static let invalid = Code(kind: .invalid)
            /// There is no network.
            public static let offline = Code(kind: .offline)
            /// Only what is stored was wanted, and nothing is.
            public static let notStored = Code(kind: .notStored)
            /// There is no token now.
            public static let noToken = Code(kind: .noToken)
            /// The host has failed so often that it is left alone for a while.
            public static let resting = Code(kind: .resting)
            /// Too many requests are under way.
            public static let busy = Code(kind: .busy)
            /// The file does not allow it.
            public static let forbidden = Code(kind: .forbidden)
            /// Its time is over.
            public static let timeout = Code(kind: .timeout)
            /// The server could not be reached, is not who it should be, or its answer broke off.
            public static let failed = Code(kind: .failed)
            /// The task was cancelled.
            public static let cancelled = Code(kind: .cancelled)
            /// The body is larger than allowed.
            public static let tooLarge = Code(kind: .tooLarge)
            /// The server answered another status than one from 200 to 299.
            public static let status = Code(kind: .status)
            /// The JSON is not what the type expects.
            public static let malformed = Code(kind: .malformed)
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
        /// The setting of the services file that it comes from.
        public let setting: Corewire.Setting?

        init(
            _ code: Code,
            _ description: String,
            help: String? = nil,
            wasNotSent: Bool = false,
            retryAfter: Duration? = nil,
            setting: Corewire.Setting? = nil
        ) {
            (self.code, self.description, self.help, self.setting) = (code, description, help, setting)
            (self.wasNotSent, self.retryAfter) = (wasNotSent, retryAfter)
        }
    }
}

extension Corewire.NetworkError {
    static let stopped = Corewire.NetworkError(.stopped, "the services have been stopped", wasNotSent: true)

    /// Nobody sends requests.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(
            of: NetworkSection.name,
            in: status,
            help: "add the section 'network' to have requests sent"
        )
        self.init(.noNetwork, absence.description, help: absence.help, wasNotSent: true)
    }

    init(_ failure: CallFailure) {
        self.init(
            Code(failure.kind),
            failure.reason,
            help: failure.help,
            wasNotSent: failure.wasNotSent,
            retryAfter: failure.retryAfter,
            setting: failure.origin.map(\.setting)
        )
    }

    /// What kept a body from being read to its end.
    init(reading error: any Error) {
        switch error {
        case let failure as TransferFailure: self.init(Code(.transfer(failure.kind)), failure.reason)
        case let large as BodyTooLarge: self.init(.tooLarge, "the body is larger than \(large.limit)")
        case is CancellationError: self.init(.cancelled, "the task was cancelled")
        default: self.init(.failed, "the body broke off")
        }
    }
}

extension Corewire.NetworkError.Code {
    fileprivate init(_ kind: CallFailure.Kind) {
        self =
            switch kind {
            case .offline: .offline
            case .notStored: .notStored
            case .noToken: .noToken
            case .resting: .resting
            case .busy: .busy
            case .noAddress, .transfer(.invalidURL), .transfer(.invalidRequest): .invalid
            case .forbidden, .transfer(.forbidden): .forbidden
            case .timeout, .transfer(.timeout): .timeout
            case .transfer(.cancelled), .cancelled: .cancelled
            case .transfer: .failed
            case .ended: .stopped
            }
    }
}
