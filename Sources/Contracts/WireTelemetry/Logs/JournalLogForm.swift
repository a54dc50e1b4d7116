import WireBase

/// A log record in the native protocol of the journal: `NAME=value` lines, one record per datagram.
///
/// Values never contain a line break, so the binary form is not needed.
package struct JournalLogForm: LogForm {
    private let identifier: String

    /// Makes a format with the identifier of the program.
    package init(identifier: String) {
        self.identifier = identifier
    }

    package func bytes(of record: LogRecord, at time: Int64) -> [UInt8] {
        var text = "MESSAGE=\(record.line)\n"
        text += "PRIORITY=\(record.level.priority)\n"
        text += "SYSLOG_IDENTIFIER=\(identifier.shown(upTo: LogLimits.text))\n"
        text += "SYSLOG_TIMESTAMP=\(Timestamp(milliseconds: time))\n"
        text += "COREWIRE_MODULE=\(record.module.shown(upTo: LogLimits.text))\n"
        for field in record.shownFields {
            text += "COREWIRE_FIELD_\(Self.name(field.name))=\(field.value.line)\n"
        }
        return Array(text.utf8)
    }

    /// A valid field name: capitals, digits and underscores, at most 64 characters with the prefix.
    private static func name(_ name: String) -> String {
        let bytes = name.utf8.prefix(64 - "COREWIRE_FIELD_".utf8.count).map { byte -> UInt8 in
            guard byte.isLetter || byte.isDigit else { return UInt8(ascii: "_") }
            return byte.isLetter ? byte & ~0x20 : byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
