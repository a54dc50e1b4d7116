import WireBase

/// A date and time pattern of Unicode TR35: `yyyy-MM-dd HH:mm`.
package struct DatePattern: Sendable, Hashable {
    /// The pattern.
    package let text: String
}

extension DatePattern: TextValue {
    package static var textForm: TextForm {
        TextForm("a pattern such as yyyy-MM-dd HH:mm", example: "yyyy-MM-dd HH:mm")
    }

    /// The pattern letters.
    private static let fields = "GyYuMLwWdDFEecabBhHkKmsSAzZOvVXxQq"

    package init(parsing text: String) throws(Misread) {
        var isQuoted = false
        var hasField = false
        for character in text {
            if character == "'" {
                isQuoted.toggle()
            } else if !isQuoted, character.isASCII, character.isLetter {
                guard Self.fields.contains(character) else {
                    throw Misread(
                        help: "\(String(character).quoted) is not a pattern letter; put text in single quotes: 'at'"
                    )
                }
                hasField = true
            }
        }
        guard !isQuoted else { throw Misread(expected: "a pattern with closed quotes") }
        guard hasField else { throw Misread() }
        guard !Self.mistakesWeekYear(text) else {
            throw Misread(
                expected: "a pattern with the year of the calendar",
                help: "YYYY is the week-based year, which differs around new year; write yyyy"
            )
        }
        self.init(text: text)
    }

    /// Whether the pattern has the week-based year without the week number, which is usually a mistake.
    private static func mistakesWeekYear(_ text: String) -> Bool {
        text.contains("Y") && !text.contains("w")
    }

    /// The pattern.
    package var description: String { text }
}
