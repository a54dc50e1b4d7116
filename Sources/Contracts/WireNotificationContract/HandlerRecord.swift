package import WireHTTP

/// What became of a notification at one handler.
package struct HandlerRecord: JSONRecord {
    package enum Result: String, JSONWord, PlainCodable {
        /// It has found something new; there was nothing; it could not be done.
        case newData, noData, failed
    }

    package let name: String
    package var result: Result
    /// How it wants the notification to be shown; nil where it has no say in that.
    package var options: [PresentationOption]?
    package var buttons: [String] = []
    /// How often it was begun.
    package var attempts: Int
    /// How many of these the end of the runner cut off.
    package var interrupted = 0
    /// How long the last try took, and when it ended, in milliseconds.
    package var took, ended: Int64
    package var reason: String?
    /// When it is tried again, in milliseconds since 1970; nil where it is not.
    package var next: Int64?

    /// Whether nothing more is done about it.
    package var isFinal: Bool { next == nil }

    package init(
        _ name: String,
        _ result: Result,
        attempts: Int,
        took: Int64,
        ended: Int64,
        reason: String? = nil
    ) {
        (self.name, self.result, self.attempts) = (name, result, attempts)
        (self.took, self.ended, self.reason) = (took, ended, reason)
    }
}

extension HandlerRecord {
    package static let form = JSONForm<Self>("HandlerRecord", "What became of a notification at one handler.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The handler.")
        result = try members.required("result", \.result, "What it came to.")
        options = try members.optional(
            "options",
            \.options,
            "How it wants the notification to be shown.",
            .schema(.array(of: .text))
        )
        buttons =
            try members.optional("buttons", { $0.buttons.isEmpty ? nil : $0.buttons }, "The buttons it wants.") ?? []
        attempts = try members.required("attempts", \.attempts, "How often it was begun.", .count)
        interrupted =
            try members.optional(
                "interrupted",
                { $0.interrupted > 0 ? $0.interrupted : nil },
                "How many of these the end of the runner cut off.",
                .count
            ) ?? 0
        took = try members.required("milliseconds", \.took, "How long the last try took.", .schema(.count()))
        ended = try members.required("ended", \.ended, "When that ended.", .moment)
        reason = try members.optional("reason", \.reason, "Why it failed.")
        next = try members.optional("next", \.next, "When it is tried again.", .moment)
    }
}
