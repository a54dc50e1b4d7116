import WireBase
package import WireConfig
package import WireHTTP

/// The operations on templates, each declared once.
package enum FormattingCalls {
    package static let fill = APICall<FormatRequest, FormattedText, FormattingFailureKind>(
        .post,
        "/v1/formatting",
        "Fill a template with values, in the language of the file or another one.",
        access: .read,
        upTo: .kibibytes(256),
        answers: [.init(.ok, "The text.")],
        fails: [.missingValue]
    )
}

/// A template that is to be filled.
package struct FormatRequest: JSONRecord {
    package let template: String
    package var values: JSONMap<JSONValue>?
    package var locale, timeZone: String?

    package init(_ template: String) { self.template = template }

    package static let form = JSONForm<Self>("FormatWish", "A template that is to be filled.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        template = try members.required(
            "template",
            \.template,
            "Text with places such as '{{ due | date: long }}'.",
            .example("{count, plural, one {# file} other {# files}}")
        )
        values = try members.optional(
            "values",
            \.values,
            "What the places are filled from.",
            .example(JSONMap([("count", .integer(3))]))
        )
        locale = try members.optional(
            "locale",
            \.locale,
            "The language, instead of that of the file (BCP 47).",
            .example("en-US")
        )
        timeZone = try members.optional("timeZone", \.timeZone, "The time zone, instead of that of the file.")
    }
}

/// A template that has been filled.
package struct FormattedText: JSONRecord {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static let form = JSONForm<Self>("Formatted", "A template that has been filled.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        text = try members.required("text", \.text, "What it came to.", .example("3 files"))
    }
}

/// Why a template is not filled.
package enum FormattingFailureKind: String, FailureKind {
    /// The template, the language or the time zone is not valid; as any operation refuses a body.
    case invalid = "invalid-body"
    case missingValue = "no-such-value"

    package var facts: FailureFacts {
        switch self {
        case .invalid: FailureFacts(.badRequest, "the body is not as expected", "The body is not as expected.")
        case .missingValue:
            FailureFacts(
                .unprocessableContent,
                "the template cannot be filled",
                "The template asks for a value that is not there."
            )
        }
    }
}

package typealias FormattingFailure = APIFailure<FormattingFailureKind>
