package import WireHTTP

/// The result of a notification at one handler.
package struct HandlerRecord: JSONRecord {
    package enum Result: String, JSONWord, PlainCodable {
        /// New data, no new data, or a failure.
        case newData, noData, failed
    }

    package let name: String
    package var result: Result
    /// How the handler wants to present the notification; nil where it has no preference.
    package var options: [PresentationOption]?
    package var buttons: [String] = []
    /// The number of attempts.
    package var attempts: Int
    /// The number of attempts interrupted by the end of the runner.
    package var interrupted = 0
    /// The duration and the end of the last attempt, in milliseconds.
    package var duration, ended: Int64
    package var reason: String?
    /// The next attempt in milliseconds since 1970; nil where there is none.
    package var next: Int64?

    /// Whether there are no more attempts.
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
        (self.duration, self.ended, self.reason) = (took, ended, reason)
    }
}

extension HandlerRecord {
    package static let form = JSONForm<Self>("HandlerRecord", "The result of a notification at one handler.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The handler.")
        result = try members.required("result", \.result, "The result.")
        options = try members.optional(
            "options",
            \.options,
            "How the handler wants to present the notification.",
            .schema(.array(of: .text))
        )
        buttons =
            try members.optional(
                "buttons",
                { $0.buttons.isEmpty ? nil : $0.buttons },
                "The buttons that the handler adds."
            ) ?? []
        attempts = try members.required("attempts", \.attempts, "The number of attempts.", .count)
        interrupted =
            try members.optional(
                "interrupted",
                { $0.interrupted > 0 ? $0.interrupted : nil },
                "The number of attempts interrupted by the end of the runner.",
                .count
            ) ?? 0
        duration = try members.required(
            "milliseconds",
            \.duration,
            "The duration of the last attempt.",
            .schema(.count())
        )
        ended = try members.required("ended", \.ended, "The end of the last attempt.", .moment)
        reason = try members.optional("reason", \.reason, "Why the handler failed.")
        next = try members.optional("next", \.next, "The next attempt.", .moment)
    }
}
