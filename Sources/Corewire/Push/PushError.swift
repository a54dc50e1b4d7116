import WireBase
import WireConfig
import WirePush
import WireService

extension Corewire {
    /// Why something is not done about pushes.
    public struct PushError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind {
                case noPush, stopped, noSuchRegistrar, notSupported, notNow, invalid, refused, unavailable
            }
            private let kind: Kind

            /// The file has no section `push`, or it does not run.
            public static let noPush = Code(kind: .noPush)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// The file has no such registrar.
            public static let noSuchRegistrar = Code(kind: .noSuchRegistrar)
            /// The server has no such thing, or the file says otherwise.
            public static let notSupported = Code(kind: .notSupported)
            /// Nobody knows whose it would be: somebody must sign in.
            public static let notNow = Code(kind: .notNow)
            /// It cannot be so.
            public static let invalid = Code(kind: .invalid)
            /// The server refused, or could not be asked.
            public static let refused = Code(kind: .refused)
            /// The store or the outbox cannot be used now; later may do.
            public static let unavailable = Code(kind: .unavailable)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence; never a token.
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

extension Corewire.PushError {
    static let stopped = Corewire.PushError(.stopped, "the services have been stopped")

    /// Nobody registers.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(
            of: PushSection.name,
            in: status,
            help: "write a section 'push' with the servers that are to know this device"
        )
        self.init(.noPush, absence.description, help: absence.help)
    }

    init(_ refusal: PushRefusal) {
        let code: Code =
            switch refusal.kind {
            case .noSuchRegistrar, .noSuchProvider: .noSuchRegistrar
            case .notSupported: .notSupported
            case .notNow: .notNow
            case .invalid: .invalid
            case .refused: .refused
            case .notKept: .unavailable
            }
        self.init(code, refusal.reason, help: refusal.help, setting: refusal.origin.map(\.setting))
    }
}
