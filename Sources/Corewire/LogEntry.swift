import WireTelemetry

extension Corewire {
    /// A line of the log, for the program to write where it likes.
    public struct LogEntry: Sendable, Hashable {
        /// How grave it is, from the least to the most.
        public enum Level: String, Sendable, Hashable, CaseIterable, Comparable {
            case debug, info, notice, warning, error

            /// Whether the first is less grave.
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

        /// How grave it is.
        public let level: Level
        /// The service or part that speaks.
        public let module: String
        /// A sentence that stays the same, so that it can be searched for.
        public let message: String
        /// What differs, in the order it is told.
        public let fields: [Field]

        init(_ record: LogRecord) {
            level = Level(record.level)
            module = record.module
            message = record.line
            fields = record.shownFields.map { Field($0.name, $0.value.line) }
        }
    }
}
