import WireBase

/// How a time is written, letter by letter, as Unicode TR35 has it: `yyyy-MM-dd HH:mm`.
package struct DatePattern: Sendable, Hashable {
    /// The pattern.
    package let text: String
}

extension DatePattern: TextValue {
    package static var textForm: TextForm {
        TextForm("a pattern such as yyyy-MM-dd HH:mm", example: "yyyy-MM-dd HH:mm")
    }

    /// The letters that stand for a part of a time.
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
                        help: "\(String(character).quoted) stands for nothing; text goes into single quotes: 'at'"
                    )
                }
                hasField = true
            }
        }
        guard !isQuoted else { throw Misread(expected: "a pattern whose quotes are closed") }
        guard hasField else { throw Misread() }
        guard !Self.mistakesWeekYear(text) else {
            throw Misread(
                expected: "a pattern with the year of the calendar",
                help: "YYYY is the year of the week, wrong around new year; write yyyy"
            )
        }
        self.init(text: text)
    }

    /// The year of the week makes sense beside the number of the week only.
    private static func mistakesWeekYear(_ text: String) -> Bool {
        text.contains("Y") && !text.contains("w")
    }

    /// The pattern.
    package var description: String { text }
}
