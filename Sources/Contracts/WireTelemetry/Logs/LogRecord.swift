/// The severity of a log record, as in syslog.
package enum LogLevel: Int, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error

    /// The syslog priority.
    package var priority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    package var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// A log record, independent of its format.
package struct LogRecord: Sendable {
    package let level: LogLevel
    /// The service or part that logs.
    package let module: String
    /// A constant sentence, so that it can be searched for; variable values are in the fields.
    package let message: String
    package let fields: [(name: String, value: LogValue)]

    package init(level: LogLevel, module: String, message: String, fields: [(name: String, value: LogValue)]) {
        self.level = level
        self.module = module
        self.message = message
        self.fields = fields
    }
}

/// A destination of log records.
package protocol LogSink: Sendable {
    /// Returns quickly: a slow sink drops records and counts them.
    func write(_ record: LogRecord)
}
