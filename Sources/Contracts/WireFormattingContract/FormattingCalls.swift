import WireBase
package import WireConfig
package import WireHTTP

/// The operations on templates.
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

/// A template to fill.
package struct FormatRequest: JSONRecord {
    package let template: String
    package var values: JSONMap<JSONValue>?
    package var locale, timeZone: String?

    package init(_ template: String) { self.template = template }

    package static let form = JSONForm<Self>("FormatWish", "A template to fill.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        template = try members.required(
            "template",
            \.template,
            "A text with placeholders such as '{{ due | date: long }}'.",
            .example(#"{{ count | plural: "one: # file; other: # files" }}"#)
        )
        values = try members.optional(
            "values",
            \.values,
            "The values for the placeholders.",
            .example(JSONMap([("count", .integer(3))]))
        )
        locale = try members.optional(
            "locale",
            \.locale,
            "The language (BCP 47); by default that of the file.",
            .example("en-US")
        )
        timeZone = try members.optional("timeZone", \.timeZone, "The time zone; by default that of the file.")
    }
}

/// A filled template.
package struct FormattedText: JSONRecord {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static let form = JSONForm<Self>("Formatted", "A filled template.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        text = try members.required("text", \.text, "The text.", .example("3 files"))
    }
}

/// Why a template cannot be filled.
package enum FormattingFailureKind: String, FailureKind {
    case invalidTemplate = "invalid-template"
    case invalidLocale = "invalid-locale"
    case unknownTimeZone = "unknown-time-zone"
    case missingValue = "no-such-value"

    /// Invalid members of a body share one type.
    package var type: String { self == .missingValue ? rawValue : "invalid-body" }

    package var facts: FailureFacts {
        switch self {
        case .invalidTemplate: FailureFacts(.badRequest, "invalid template", "The template is invalid.")
        case .invalidLocale: FailureFacts(.badRequest, "invalid locale", "The language is invalid.")
        case .unknownTimeZone: FailureFacts(.badRequest, "unknown time zone", "The time zone is unknown.")
        case .missingValue:
            FailureFacts(
                .unprocessableContent,
                "the template cannot be filled",
                "The template needs a value that is missing."
            )
        }
    }
}

package typealias FormattingFailure = APIFailure<FormattingFailureKind>
