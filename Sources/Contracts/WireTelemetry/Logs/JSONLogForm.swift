import WireBase
import WireConfig

/// A log format for programs: one JSON object per line, with the record's values under `fields`.
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

    /// Truncates a text; JSON escaping preserves its characters.
    private func cut(_ text: String) -> String {
        guard text.utf8.count > LogLimits.text else { return text }
        let scalars = text.unicodeScalars
        let rest = scalars.dropFirst(LogLimits.text)
        return rest.isEmpty ? text : String(scalars[..<rest.startIndex]) + "…"
    }

    private func value(of value: LogValue) -> JSONValue {
        switch value {
        case .text(let text): .string(cut(text))
        case .integer(let number): .integer(number)
        // JSON cannot represent infinite numbers and NaN.
        case .number(let number): number.isFinite ? .number(number) : .string("\(number)")
        case .boolean(let truth): .boolean(truth)
        case .duration(let duration): .number(duration.inSeconds)
        }
    }
}
