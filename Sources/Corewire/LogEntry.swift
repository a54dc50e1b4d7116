import WireTelemetry

extension Corewire {
    /// A log record for the program's own log.
    public struct LogEntry: Sendable, Hashable {
        /// The severity, in ascending order.
        public enum Level: String, Sendable, Hashable, CaseIterable, Comparable {
            case debug, info, notice, warning, error

            /// Whether the first level is less severe.
            public static func < (left: Self, right: Self) -> Bool { left.level < right.level }

            private var level: LogLevel {
                switch self {
                case .debug: .debug
                case .info: .info
                case .notice: .notice
                case .warning: .warning
                case .error: .error
                }
            }

            fileprivate init(_ level: LogLevel) {
                self =
                    switch level {
                    case .debug: .debug
                    case .info: .info
                    case .notice: .notice
                    case .warning: .warning
                    case .error: .error
                    }
            }
        }

        /// The severity.
        public let level: Level
        /// The service or part that logs.
        public let module: String
        /// A constant sentence, so that it can be searched for.
        public let message: String
        /// The variable values, in order.
        public let fields: [Field]

        init(_ record: LogRecord) {
            level = Level(record.level)
            module = record.module
            message = record.line
            fields = record.shownFields.map { Field($0.name, $0.value.line) }
        }
    }
}
