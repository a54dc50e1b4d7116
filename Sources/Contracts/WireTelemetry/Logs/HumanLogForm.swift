import WireBase

/// A log format for people: `2026-02-28T23:59:59.999Z warning auth         token refused          status=401`.
package struct HumanLogForm: LogForm {
    /// The text before the message.
    package enum Start: Sendable {
        /// The time and the level.
        case time
        /// The priority as `<4>`, for a service manager that adds the time itself.
        case priority
    }

    private let start: Start
    private let hasColours: Bool

    package init(start: Start = .time, hasColours: Bool = false) {
        self.start = start
        self.hasColours = hasColours
    }

    package func bytes(of record: LogRecord, at time: Int64) -> [UInt8] {
        var line: String
        switch start {
        case .time:
            line = dimmed("\(Timestamp(milliseconds: time))") + " " + coloured(record.level) + " "
            line += padded(record.module.shown(upTo: LogLimits.text), 12) + " "
        case .priority:
            line = "<\(record.level.priority)>\(record.module.shown(upTo: LogLimits.text)): "
        }
        let fields = record.shownFields.map { " " + dimmed(bare($0.name) + "=") + text(of: $0.value) }
        line += start == .time && !fields.isEmpty ? padded(record.line, 32) : record.line
        return Array((line + fields.joined() + "\n").utf8)
    }

    /// A text value, quoted where it would be ambiguous.
    private func text(of value: LogValue) -> String {
        switch value {
        case .text(let text): bare(text)
        case .duration: value.line + "s"
        default: value.line
        }
    }

    private func bare(_ text: String) -> String {
        let isShort = (1...LogLimits.text).contains(text.utf8.count)
        if isShort, text.utf8.allSatisfy({ $0.isVisible && !"\"\\=".utf8.contains($0) }) { return text }
        // One more than the limit, so that truncation becomes visible.
        let start = String(text.unicodeScalars.prefix(LogLimits.text + 1))
        let escaped = start.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped.shown(upTo: LogLimits.text))\""
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.unicodeScalars.count))
    }

    private func coloured(_ level: LogLevel) -> String {
        let name = padded(level.name, 7)
        guard hasColours else { return name }
        switch level {
        case .debug: return dimmed(name)
        case .info: return "\u{1b}[32m\(name)\u{1b}[0m"
        case .notice: return "\u{1b}[36m\(name)\u{1b}[0m"
        case .warning: return "\u{1b}[33m\(name)\u{1b}[0m"
        case .error: return "\u{1b}[31m\(name)\u{1b}[0m"
        }
    }

    private func dimmed(_ text: String) -> String { hasColours ? "\u{1b}[2m\(text)\u{1b}[0m" : text }
}
