/// How much a log record matters, after syslog.
package enum LogLevel: Int, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error

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

/// A value that may be logged: there is none that takes a secret.
package enum LogValue: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    case text(String)
    case integer(Int)
    case boolean(Bool)
    case duration(Duration)

    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// Where log records go.
package protocol LogSink: Sendable {
    /// Returns soon: a sink that is slow drops and counts.
    func write(_ record: LogRecord)
}
