import WireBase

/// Encodes log records as bytes.
///
/// A record is always one line or one datagram, whatever it contains, and values cannot imitate other parts.
package protocol LogForm: Sendable {
    /// The bytes of a record with its time in milliseconds since 1970.
    func bytes(of record: LogRecord, at time: Int64) -> [UInt8]
}

/// The limits of a record, which bound a line or datagram to half a mebibyte.
package enum LogLimits {
    /// The maximum number of characters of a message or value; `…` marks a truncation.
    package static let text = 2_048
    /// The maximum number of fields.
    package static let fields = 32
}

extension LogRecord {
    /// The message on one line.
    package var line: String { message.shown(upTo: LogLimits.text) }

    /// The fields within the limit.
    package var shownFields: ArraySlice<(name: String, value: LogValue)> { fields.prefix(LogLimits.fields) }
}

extension LogValue {
    /// The value as text, with control characters escaped; durations in seconds.
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
