import WireTelemetry

/// A line of the log, for the program to write where it likes.
public struct LogEntry: Sendable {
    /// `debug`, `info`, `notice`, `warning` or `error`.
    public let level: String
    /// The service or part that speaks.
    public let module: String
    /// A sentence that stays the same, so that it can be searched for.
    public let message: String
    /// What differs, in the order it is told.
    public let fields: [(name: String, value: String)]

    init(_ record: LogRecord) {
        level = record.level.name
        module = record.module
        message = record.line
        fields = record.shownFields.map { ($0.name, $0.value.line) }
    }
}
