import WireBase

/// A time zone name of the tz database: `Europe/Berlin`, `UTC`.
package struct TimeZoneName: Sendable, Hashable {
    /// The name.
    package let text: String
}

extension TimeZoneName: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "a time zone such as Europe/Berlin",
            example: "Europe/Berlin",
            pattern: "^(UTC|[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)+)$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        if text.uppercased() == "UTC" || text.uppercased() == "GMT" || text == "Z" {
            guard text == "UTC" else { throw Misread(help: "write UTC", fix: "UTC") }
            self.init(text: text)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { $0.isLetter || $0.isDigit || "_+-".utf8.contains($0) }
        }
        guard isName, (2...3).contains(parts.count), text.utf8.first?.isLetter ?? false else {
            throw Misread(
                help:
                    "write region/city as in the tz database; abbreviations such as CET have no daylight saving time"
            )
        }
        self.init(text: text)
    }

    /// Requires the tz database of the machine for every zone but UTC.
    package func record(at node: NodeID, with reader: Reader) {
        guard text != "UTC" else { return }
        reader.record(reader.need(.readableFile, "/usr/share/zoneinfo/\(text)", at: node))
    }

    /// The name.
    package var description: String { text }
}
