import WireService

/// Why something could not be started or changed.
public struct CorewireError: Error, Sendable, CustomStringConvertible {
    /// The kinds of reasons; more may be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case invalid, unreadable, taken, state, service, guarded, host, stopped }
        private let kind: Kind

        /// The services file is not valid, or refers to what is not here.
        public static let invalid = Code(kind: .invalid)
        /// The services file cannot be read.
        public static let unreadable = Code(kind: .unreadable)
        /// Another runner has this app; to try again later may help.
        public static let taken = Code(kind: .taken)
        /// The store or its folders cannot be used.
        public static let state = Code(kind: .state)
        /// A service that must run did not become ready.
        public static let service = Code(kind: .service)
        /// A security rule says that nothing may run here.
        public static let guarded = Code(kind: .guarded)
        /// The machine does not let it happen.
        public static let host = Code(kind: .host)
        /// It has been stopped, or is being.
        public static let stopped = Code(kind: .stopped)
    }

    /// The kind of reason.
    public let code: Code
    /// The reason in one sentence; never a secret.
    public let description: String
    /// What to do about it.
    public let help: String?
    /// The problems of the file with their places, as `corewire validate-config` shows them.
    public let diagnostics: String?

    init(_ failure: StartFailure) {
        code =
            switch failure.kind {
            case .invalid: .invalid
            case .unreadable: .unreadable
            case .taken: .taken
            case .state: .state
            case .service: .service
            case .guarded: .guarded
            case .host: .host
            }
        description = failure.reason
        help = failure.help
        diagnostics = failure.diagnostics
    }

    /// A change that was not made.
    init(_ report: ChangeReport) {
        switch report.outcome {
        case .rolledBack: code = .service
        case .conflict: code = .stopped
        default: code = .invalid
        }
        description = report.reason ?? "it was refused"
        help = report.services.compactMap(\.fault).compactMap(\.help).first
        diagnostics = report.diagnosticsText
    }
}
