import WireBase

/// The fields of one record as the journal's own socket takes them: `NAME=value` lines, one record a datagram.
///
/// Values never hold a line break, so that the binary form of the protocol is not needed.
package struct JournalLogForm: LogForm {
    private let identifier: String

    /// A form for a program known to the journal by this name.
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

    /// A name the journal accepts: capitals, digits and underscores, 64 at most with what stands before it.
    private static func name(_ name: String) -> String {
        let bytes = name.utf8.prefix(64 - "COREWIRE_FIELD_".utf8.count).map { byte -> UInt8 in
            guard byte.isLetter || byte.isDigit else { return UInt8(ascii: "_") }
            return byte.isLetter ? byte & ~0x20 : byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
