import WireConfig

/// What became of a notification at one handler.
struct HandlerRecord: Sendable {
    enum Result: String, Sendable, CaseIterable {
        /// It has found something new; there was nothing; it could not be done.
        case newData, noData, failed
    }

    let name: String
    var result: Result
    /// How it wants the notification to be shown; nil where it has no say in that.
    var options: [PresentationOption]?
    var buttons: [String] = []
    /// How often it was begun.
    var attempts: Int
    /// How many of these the end of the runner cut off.
    var interrupted = 0
    /// How long the last try took, and when it ended, in milliseconds.
    var took: Int64
    var ended: Int64
    var reason: String?
    /// When it is tried again, in milliseconds since 1970; nil where it is not.
    var next: Int64?

    /// Whether nothing more is done about it.
    var isFinal: Bool { next == nil }

    var json: JSONValue {
        .members([
            "name": .string(name), "result": .string(result.rawValue),
            "options": options.map { .array($0.map { .string($0.rawValue) }) },
            "buttons": buttons.isEmpty ? nil : .array(buttons.map(JSONValue.string)),
            "attempts": .integer(attempts), "interrupted": interrupted > 0 ? .integer(interrupted) : nil,
            "milliseconds": .integer(Int(took)), "ended": .integer(Int(ended)),
            "reason": reason.map(JSONValue.string), "next": next.map { .integer(Int($0)) },
        ])
    }

    init(
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

    init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let result = json["result"]?.string.flatMap(Result.init) else {
            return nil
        }
        self.init(
            name,
            result,
            attempts: json["attempts"]?.integer ?? 1,
            took: Int64(json["milliseconds"]?.integer ?? 0),
            ended: Int64(json["ended"]?.integer ?? 0),
            reason: json["reason"]?.string
        )
        options = json["options"]?.array?.compactMap { $0.string.flatMap(PresentationOption.init) }
        buttons = json["buttons"]?.array?.compactMap(\.string) ?? []
        interrupted = json["interrupted"]?.integer ?? 0
        next = json["next"]?.integer.map { Int64($0) }
    }
}

/// What all handlers of a notification come to together.
struct ResultFold: Sendable {
    let records: [HandlerRecord]

    /// Any that failed makes it failed, else any that found something new makes it new, else there was nothing.
    var result: HandlerRecord.Result {
        if records.contains(where: { $0.result == .failed }) { return .failed }
        return records.contains { $0.result == .newData } ? .newData : .noData
    }
}
