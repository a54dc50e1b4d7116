/// A module's way to speak; cheap to copy, and silent below its level.
package struct Log: Sendable {
    package let module: String
    private let sink: any LogSink
    private let levels: LogLevels

    package init(_ module: String, to sink: any LogSink, levels: LogLevels = LogLevels()) {
        self.module = module
        self.sink = sink
        self.levels = levels
    }

    /// The same log, speaking for another module.
    package func of(_ module: String) -> Log {
        Log(module, to: sink, levels: levels)
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
        guard level >= levels.level(of: module) else { return }
        let present = fields.compactMap { field in field.value.map { (name: field.key, value: $0) } }
        sink.write(LogRecord(level: level, module: module, message: message(), fields: present))
    }
}

/// From which level on each module is heard.
package struct LogLevels: Sendable {
    package var usual: LogLevel
    package var byModule: [String: LogLevel]

    package init(usual: LogLevel = .info, byModule: [String: LogLevel] = [:]) {
        self.usual = usual
        self.byModule = byModule
    }

    func level(of module: String) -> LogLevel { byModule.isEmpty ? usual : byModule[module] ?? usual }
}
