import WireConfig
import WireMetrics
import WireService

extension Corewire {
    /// Why metrics are not sent.
    public struct MetricsError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind { case noMetrics, stopped, unavailable }
            private let kind: Kind

            /// The file has no section `metrics`, or it does not run.
            public static let noMetrics = Code(kind: .noMetrics)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// The file does not name the kind, or the store or the outbox cannot be used now.
            public static let unavailable = Code(kind: .unavailable)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence.
        public let description: String
        /// What to do about it.
        public let help: String?
        /// The setting of the services file that wants it so.
        public let setting: Corewire.Setting?

        init(
            _ code: Code,
            _ description: String,
            help: String? = nil,
            setting: Corewire.Setting? = nil
        ) {
            (self.code, self.description, self.help, self.setting) = (code, description, help, setting)
        }
    }
}

extension Corewire.MetricsError {
    static let stopped = Corewire.MetricsError(.stopped, "the services have been stopped")

    /// Nobody tells a metrics service anything.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(
            of: MetricsSection.name,
            in: status,
            help: "add the section 'metrics' with the 'url' of a metrics service"
        )
        self.init(.noMetrics, absence.description, help: absence.help)
    }

    init(_ fault: Fault) {
        self.init(.unavailable, fault.reason, help: fault.help, setting: fault.origin.map(\.setting))
    }
}
