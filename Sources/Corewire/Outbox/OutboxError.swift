import WireBackground
import WireService

extension Corewire {
    /// Why something is not done with the outbox.
    public struct OutboxError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            let kind: String

            /// The file has no section `background`, or it does not run.
            public static let noOutbox = absent
            /// The services have been stopped, or are being.
            public static let stopped = ending
            /// The request could never be sent.
            public static let invalid = Code(.invalid)
            /// As much waits as the file allows.
            public static let full = Code(.full)
            /// The request is being sent; later may do.
            public static let underWay = Code(.underWay)
            /// The store cannot be used now; later may do.
            public static let unavailable = Code(.storeUnavailable)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence; never a secret.
        public let description: String
        /// What to do about it.
        public let help: String?
        /// The setting of the services file that wants it so, and its place: `app.yaml:12:8`.
        public let setting: (path: String, place: String)?
    }
}

extension Corewire.OutboxError.Code: CallErrorCode {
    static let badInput = Self(.invalid)

    init(_ kind: OutboxFailureKind) { self.init(kind: kind.rawValue) }
}

extension Corewire.OutboxError: CallError {
    static let section = (
        name: BackgroundSection.name, help: "add the section 'background' to have requests sent for certain"
    )

    init(_ code: Code, _ description: String, help: String? = nil, setting: (path: String, place: String)? = nil) {
        (self.code, self.description, self.help, self.setting) = (code, description, help, setting)
    }
}
