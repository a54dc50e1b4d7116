import WireConfig
import WireBase
import WirePersistence
import WireService
import WireStore

extension Corewire {
    /// Why something is not done with what apps store.
    public struct StateError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind {
                case noStore, stopped, badName, badLifetime, badType, badLimit, tooLarge, undeclared, conflict, full
                case unavailable, sealed, malformed, cancelled, failed
            }
            private let kind: Kind

            /// The file has no section `persistence`, or it does not run.
            public static let noStore = Code(kind: .noStore)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// The namespace or the key cannot be a name.
            public static let badName = Code(kind: .badName)
            /// Nothing is kept for so long there, or for so short a time.
            public static let badLifetime = Code(kind: .badLifetime)
            /// The media type is none.
            public static let badType = Code(kind: .badType)
            /// A page has from 1 to 1000 elements.
            public static let badLimit = Code(kind: .badLimit)
            /// The value is larger than `persistence.maxValueSize`.
            public static let tooLarge = Code(kind: .tooLarge)
            /// The file has `onlyDeclared: true`, and leaves the namespace out.
            public static let undeclared = Code(kind: .undeclared)
            /// The condition does not hold: somebody has changed the entry, or it is not there, or is.
            public static let conflict = Code(kind: .conflict)
            /// A limit of the file, or the disk.
            public static let full = Code(kind: .full)
            /// The store cannot be used now; later may do.
            public static let unavailable = Code(kind: .unavailable)
            /// Sealed with a key that is not at hand.
            public static let sealed = Code(kind: .sealed)
            /// The JSON is not what the type expects, or the type has no JSON.
            public static let malformed = Code(kind: .malformed)
            /// The task was cancelled, and nothing was changed.
            public static let cancelled = Code(kind: .cancelled)
            /// Anything else the store says.
            public static let failed = Code(kind: .failed)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence; never a value.
        public let description: String
        /// What to do about it.
        public let help: String?
        /// The setting of the services file that wants it so.
        public let setting: Corewire.Setting?
        /// What the coder said of a value that is not as expected; it may quote the value.
        public let cause: (any Error)?

        init(
            _ code: Code,
            _ description: String,
            help: String? = nil,
            setting: Corewire.Setting? = nil,
            cause: (any Error)? = nil
        ) {
            self.code = code
            self.description = description
            self.help = help
            self.setting = setting
            self.cause = cause
        }
    }
}

extension Corewire.StateError {
    static let stopped = Corewire.StateError(.stopped, "the services have been stopped")

    /// Nobody keeps what apps store.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(
            of: PersistenceSection.name,
            in: status,
            help: "add the section 'persistence' to store values"
        )
        self.init(.noStore, absence.description, help: absence.help)
    }

    init(_ failure: StateFailure) {
        let code: Code =
            switch failure.kind {
            case .badName: .badName
            case .badLifetime: .badLifetime
            case .tooLarge: .tooLarge
            case .undeclared: .undeclared
            case .conflict: .conflict
            case .full: .full
            case .unavailable: Task.isCancelled ? .cancelled : .unavailable
            case .sealed: .sealed
            case .store: .failed
            }
        let setting = failure.origin.map(\.setting)
        self.init(code, failure.reason, help: failure.help, setting: setting)
    }

    /// What the store says to who watches.
    init(_ failure: StoreFailure) {
        let code: Code =
            switch failure.kind {
            case .readOnly, .broken, .lost, .busy: .unavailable
            case .closed: .stopped
            case .cancelled: .cancelled
            case .conflict, .full, .corrupt, .newer, .foreign, .sealed, .refused, .other: .failed
            }
        self.init(code, failure.reason, help: failure.help)
    }
}
