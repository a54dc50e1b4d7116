package import WireHTTP

// Inputs of the operations on tasks.

/// The name of a task.
package struct TaskName: JSONRecord {
    package let name: String

    package init(_ name: String) { self.name = name }
}

extension TaskName {
    package static let form = JSONForm<Self>("TaskName", "The name of a task.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path("name", \.name, "The task.", taskNameRule, .example("cleanup"))
    }
}

/// The input for requesting a run.
package struct TaskRunRequest: JSONRecord {
    /// The policy for an existing run (as in WorkManager's unique work).
    package enum Existing: String, JSONWord, PlainCodable {
        /// Keeps the existing run, which counts as the requested one.
        case keep
        /// Cancels the existing run.
        case replace
    }

    package let name: String
    package var waits = false
    package var existing = Existing.keep
    package var delay = Duration.zero
    /// Whether to run without meeting the constraints.
    package var isForced = false

    package init(_ name: String) { self.name = name }
}

extension TaskRunRequest {
    package static let form = JSONForm<Self>("TaskWish", "The run to request.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path("name", \.name, "The task.", taskNameRule, .example("cleanup"))
        waits = try members.queryFlag("wait", \.waits, "Respond when the run has ended.")
        existing = try members.value(
            "existing",
            \.existing,
            "The policy for an existing run: 'keep' uses it, 'replace' cancels it.",
            or: .keep
        )
        delay = try members.value(
            "after",
            \.delay,
            "The delay, such as 10m; 30d at most.",
            or: .zero,
            .example(.seconds(30))
        )
        isForced = try members.value("force", \.isForced, "Whether to ignore the constraints of the task.", or: false)
    }
}

/// The input for postponing a run.
package struct TaskPostponement: JSONRecord {
    package let name: String
    package let delay: Duration

    package init(_ name: String, by delay: Duration) {
        (self.name, self.delay) = (name, delay)
    }
}

extension TaskPostponement {
    package static let form = JSONForm<Self>("TaskPostponement", "A postponement of a run.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path("name", \.name, "The task.", taskNameRule, .example("cleanup"))
        delay = try members.required(
            "by",
            \.delay,
            "The delay, such as 2h; 30d at most, and 0s cancels the postponement.",
            .example(.seconds(600))
        )
    }
}

private let taskNameRule = JSONRule<String>.schema(.text(pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*$", upTo: 255))
