import WireBase

/// How a log record looks to whoever reads it; a pure matter of bytes.
///
/// Whatever a record holds, a form writes one line (or one datagram), and nothing in it can pass for another.
package protocol LogForm: Sendable {
    /// The bytes of a record that was written at a moment given in milliseconds since 1970.
    func bytes(of record: LogRecord, at time: Int64) -> [UInt8]
}

/// How much of a record is shown, so that a line, or a datagram to the journal, has a largest size: half a mebibyte.
package enum LogLimits {
    /// How many characters of a message or a value are shown; `…` stands for the rest.
    package static let text = 2_048
    /// How many fields are shown.
    package static let fields = 32
}

extension LogRecord {
    /// The message, fit for one line.
    package var line: String { message.shown(upTo: LogLimits.text) }

    /// The fields that are shown.
    package var shownFields: ArraySlice<(name: String, value: LogValue)> { fields.prefix(LogLimits.fields) }
}

extension LogValue {
    /// The value as text, control characters escaped; durations in seconds.
    package var line: String {
        switch self {
        case .text(let text): text.shown(upTo: LogLimits.text)
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .boolean(let value): value ? "true" : "false"
        case .duration(let duration): "\(duration.inSeconds)"
        }
    }
}
