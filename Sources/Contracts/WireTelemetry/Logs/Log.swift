/// The logger of a module; cheap to copy, and silent below its level.
package struct Log: Sendable {
    package let module: String
    private let sink: any LogSink
    /// The level thresholds, shared by all loggers.
    package let thresholds: LogThresholds

    package init(_ module: String, to sink: any LogSink, levels: LogLevels = LogLevels()) {
        self.init(module, to: sink, thresholds: LogThresholds(levels))
    }

    private init(_ module: String, to sink: any LogSink, thresholds: LogThresholds) {
        self.module = module
        self.sink = sink
        self.thresholds = thresholds
    }

    /// Returns a logger for another module.
    package func of(_ module: String) -> Log {
        Log(module, to: sink, thresholds: thresholds)
    }

    package func debug(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, LogValue?> = [:]) {
        log(.debug, message, fields)
    }
    package func info(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, LogValue?> = [:]) {
        log(.info, message, fields)
    }
    package func notice(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, LogValue?> = [:]) {
        log(.notice, message, fields)
    }
    package func warning(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, LogValue?> = [:]) {
        log(.warning, message, fields)
    }
    package func error(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, LogValue?> = [:]) {
        log(.error, message, fields)
    }

    private func log(_ level: LogLevel, _ message: () -> String, _ fields: KeyValuePairs<String, LogValue?>) {
        guard thresholds.allow(level, of: module) else { return }
        let present = fields.compactMap { field in field.value.map { (name: field.key, value: $0) } }
        sink.write(LogRecord(level: level, module: module, message: message(), fields: present))
    }
}
