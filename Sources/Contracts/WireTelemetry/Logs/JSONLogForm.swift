import WireBase
import WireConfig

/// Log lines for programs: one JSON object a line, what a record brings kept apart under `fields`.
package struct JSONLogForm: LogForm {
    package init() {}

    package func bytes(of record: LogRecord, at time: Int64) -> [UInt8] {
        let fields = record.shownFields.map { (key: $0.name, value: value(of: $0.value)) }
        let line = JSONValue.members([
            "time": .string("\(Timestamp(milliseconds: time))"),
            "level": .string(record.level.name),
            "module": .string(record.module),
            "message": .string(cut(record.message)),
            "fields": fields.isEmpty ? nil : .object(fields),
        ])
        return line.bytes() + [UInt8(ascii: "\n")]
    }

    /// What is beyond the limit left out; escaping is JSON's, so that a program gets the text as it was.
    private func cut(_ text: String) -> String {
        let limit = LogLimits.text
        guard text.utf8.count > limit, text.unicodeScalars.count > limit else { return text }
        return String(text.unicodeScalars.prefix(limit)) + "…"
    }

    private func value(of value: LogValue) -> JSONValue {
        switch value {
        case .text(let text): .string(cut(text))
        case .integer(let number): .integer(number)
        // JSON has no word for what is not finite.
        case .number(let number): number.isFinite ? .number(number) : .string("\(number)")
        case .boolean(let truth): .boolean(truth)
        case .duration(let duration): .number(duration.inSeconds)
        }
    }
}
