/// How much a log record matters, after syslog.
package enum LogLevel: Int, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error

    /// The number syslog, the kernel and the journal give it.
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

/// One line of the log, before anybody has decided how it looks.
package struct LogRecord: Sendable {
    package let level: LogLevel
    /// The service or part that speaks.
    package let module: String
    /// A sentence that stays the same, so that it can be searched for; what differs is in the fields.
    package let message: String
    package let fields: [(name: String, value: LogValue)]

    package init(level: LogLevel, module: String, message: String, fields: [(name: String, value: LogValue)]) {
        self.level = level
        self.module = module
        self.message = message
        self.fields = fields
    }
}

/// Where log records go.
package protocol LogSink: Sendable {
    /// Returns soon: a sink that is slow drops and counts.
    func write(_ record: LogRecord)
}
