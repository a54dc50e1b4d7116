package import WireHTTP

// What the operations on tasks are asked with.

/// Which task is meant.
package struct TaskName: JSONRecord {
    package let name: String

    package init(_ name: String) { self.name = name }
}

extension TaskName {
    package static let form = JSONForm<Self>("TaskName", "Which task is meant.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path("name", \.name, "The task.", taskNameRule, .example("cleanup"))
    }
}

/// A run that is asked for.
package struct TaskRunRequest: JSONRecord {
    /// What becomes of a run that waits or is under way (WorkManager's policies for unique work).
    package enum Existing: String, JSONWord, PlainCodable {
        /// It is the one that was asked for.
        case keep
        /// It is given up for the new one.
        case replace
    }

    package let name: String
    package var waits = false
    package var existing = Existing.keep
    package var delay = Duration.zero
    /// Whether it runs whatever it needs.
    package var isForced = false

    package init(_ name: String) { self.name = name }
}

extension TaskRunRequest {
    package static let form = JSONForm<Self>("TaskWish", "A run that is asked for.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path("name", \.name, "The task.", taskNameRule, .example("cleanup"))
        waits = try members.queryFlag("wait", \.waits, "Answer when it has ended.")
        existing = try members.value(
            "existing",
            \.existing,
            "What becomes of a run that waits or is under way: 'keep' it is this one, 'replace' it is given up.",
            or: .keep
        )
        delay = try members.value(
            "after",
            \.delay,
            "How long it is put off, such as 10m; 30d at most.",
            or: .zero,
            .example(.seconds(30))
        )
        isForced = try members.value("force", \.isForced, "Whether it runs whatever it needs.", or: false)
    }
}

/// A run that is put off.
package struct TaskPostponement: JSONRecord {
    package let name: String
    package let delay: Duration

    package init(_ name: String, by delay: Duration) {
        (self.name, self.delay) = (name, delay)
    }
}

extension TaskPostponement {
    package static let form = JSONForm<Self>("TaskPostponement", "A run that is put off.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path("name", \.name, "The task.", taskNameRule, .example("cleanup"))
        delay = try members.required(
            "by",
            \.delay,
            "How long it is put off, such as 2h; 30d at most, and 0s takes it back.",
            .example(.seconds(600))
        )
    }
}

private let taskNameRule = JSONRule<String>.schema(.text(pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*$", upTo: 255))
