import WireBackground
import WireBase
import WireConfig
import WireService

extension Corewire {
    /// Why something is not done with the outbox.
    public struct OutboxError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind { case noOutbox, stopped, invalid, full, unavailable }
            private let kind: Kind

            /// The file has no section `background`, or it does not run.
            public static let noOutbox = Code(kind: .noOutbox)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// The request could never be sent.
            public static let invalid = Code(kind: .invalid)
            /// As much waits as the file allows.
            public static let full = Code(kind: .full)
            /// The store cannot be used now; later may do.
            public static let unavailable = Code(kind: .unavailable)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence; never a secret.
        public let description: String
        /// What to do about it.
        public let help: String?
        /// The setting of the services file that wants it so, and its place: `app.yaml:12:8`.
        public let setting: (path: String, place: String)?

        init(
            _ code: Code,
            _ description: String,
            help: String? = nil,
            setting: (path: String, place: String)? = nil
        ) {
            (self.code, self.description, self.help, self.setting) = (code, description, help, setting)
        }
    }
}

extension Corewire.OutboxError {
    static let stopped = Corewire.OutboxError(.stopped, "the services have been stopped")

    /// Nobody takes requests.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(
            of: BackgroundSection.name,
            in: status,
            help: "add the section 'background' to have requests sent for certain"
        )
        self.init(.noOutbox, absence.description, help: absence.help)
    }

    init(_ refusal: OutboxRefusal) {
        let code: Code =
            switch refusal.kind {
            case .full: .full
            case .invalid: .invalid
            case .notWritten: .unavailable
            case .ended: .stopped
            }
        let setting = refusal.origin.map(\.setting)
        self.init(code, refusal.reason, help: refusal.help, setting: setting)
    }
}
