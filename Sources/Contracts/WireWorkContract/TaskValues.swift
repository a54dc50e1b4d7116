package import WireBase
import WireConfig
package import WireHTTP

/// The kind of work of a task.
package enum TaskAction: String, JSONWord, PlainCodable {
    case exec, request, drain, code
    /// Work of a service in the runner.
    case service
}

/// The result of a run.
package enum TaskOutcome: String, JSONWord, PlainCodable {
    case succeeded, failed, timedOut
    /// A constraint was no longer met, or the runner stopped.
    case interrupted
    case cancelled
}

/// An ended run of a task; times in milliseconds since 1970.
package struct EndedRun: JSONRecord, Equatable {
    package let started, ended: Int64
    package let outcome: TaskOutcome
    package let reason: String?

    package init(started: Int64, ended: Int64, outcome: TaskOutcome, reason: String?) {
        (self.started, self.ended, self.outcome, self.reason) = (started, ended, outcome, reason)
    }
}

extension EndedRun {
    package static let form = JSONForm<Self>("TaskRun", "An ended run of a task.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        started = try members.required("started", \.started, "The start in milliseconds since 1970.", .moment)
        ended = try members.required("ended", \.ended, "The end in milliseconds since 1970.", .moment)
        outcome = try members.required("outcome", \.outcome, "The result.")
        reason = try members.optional("reason", \.reason, "The reason, where the run did not succeed.")
    }
}

/// A task and its state; times in milliseconds since 1970.
package struct TaskReport: JSONRecord {
    package enum State: String, JSONWord, PlainCodable {
        case running
        /// The task is due and its constraints are not met.
        case waiting
        case scheduled
        /// Runs only on request.
        case onRequest
        /// No code is registered for the task.
        case unattended
    }

    package let name, group: String
    package let action: TaskAction
    package let state: State
    package var waitingFor: [String]?
    package var every, flex: Duration?
    package var needs: [String] = []
    package var next, running: Int64?
    package var last: EndedRun?
    package var lastSuccess: Int64?
    package var failures = 0, runs = 0
    package var isAsked = false
    package var origin: ValueOrigin?

    package init(_ name: String, _ action: TaskAction, group: String, _ state: State) {
        (self.name, self.action, self.group, self.state) = (name, action, group, state)
    }
}

extension TaskReport {
    package static let form = JSONForm<Self>(
        "Task",
        "A scheduled task, or one that runs on request."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name.", .example("cleanup"))
        action = try members.required("action", \.action, "The kind of work.")
        state = try members.required("state", \.state, "The state.")
        waitingFor = try members.optional(
            "waitingFor",
            \.waitingFor,
            "The missing condition: network, idle, power, user, group, store."
        )
        every = try members.optional("every", \.every, "The period, such as 1d; absent for runs on request.")
        flex = try members.optional("flex", \.flex, "How long before its time a run may begin.")
        needs = try members.required("needs", \.needs, "The conditions for a run.", .example([]))
        group = try members.required("group", \.group, "The group; its tasks never overlap.", .example("maintenance"))
        next = try members.optional("next", \.next, "The next start in milliseconds since 1970.", .moment)
        running = try members.optional(
            "running",
            \.running,
            "The start of the current run in milliseconds since 1970.",
            .moment
        )
        last = try members.optional("last", \.last, "The last run.")
        lastSuccess = try members.optional(
            "lastSuccess",
            \.lastSuccess,
            "The end of the last successful run in milliseconds since 1970.",
            .moment
        )
        failures = try members.required(
            "failures",
            \.failures,
            "The number of consecutive failures since the task became due.",
            .count
        )
        runs = try members.required("runs", \.runs, "The total number of runs.", .count)
        isAsked = try members.required("asked", \.isAsked, "Whether a caller has requested a run that has not begun.")
        origin = try members.optional("config", \.origin, "The declaration in the services file.")
    }
}

/// The current conditions for tasks; those that the machine does not report are absent and count as met.
package struct TaskConditions: JSONRecord {
    package let network, idle, power, user: Bool?

    package init(network: Bool?, idle: Bool?, power: Bool?, user: Bool?) {
        (self.network, self.idle, self.power, self.user) = (network, idle, power, user)
    }
}

extension TaskConditions {
    package static let form = JSONForm<Self>(
        "TaskConditions",
        "The current conditions; those that the machine does not report are absent and count as met."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        network = try members.optional("network", \.network, "Whether a network is available.")
        idle = try members.optional("idle", \.idle, "Whether the machine is idle.")
        power = try members.optional("power", \.power, "Whether the machine has external power.")
        user = try members.optional("user", \.user, "Whether a user is signed in.")
    }
}

/// All tasks with the current conditions.
package struct TaskList: JSONRecord {
    package let tasks: [TaskReport]
    package let conditions: TaskConditions

    package init(tasks: [TaskReport], conditions: TaskConditions) {
        (self.tasks, self.conditions) = (tasks, conditions)
    }
}

extension TaskList {
    package static let form = JSONForm<Self>("Tasks", "All tasks with the current conditions.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        tasks = try members.required("tasks", \.tasks, "The tasks of the file in order, then those of services.")
        conditions = try members.required("conditions", \.conditions, "The current conditions.")
    }
}

/// The payload of a task event; its duration is in milliseconds.
package struct TaskEvent: JSONRecord, Equatable {
    package let task: String
    package var action: TaskAction?
    package var run: Int?
    package var outcome: TaskOutcome?
    package var reason: String?
    package var duration: Int?
    package var again: Int64?

    package init(_ task: String) { self.task = task }
}

extension TaskEvent {
    package static let form = JSONForm<Self>("TaskEvent", "The payload of a task event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        task = try members.required("task", \.task, "The name.")
        action = try members.optional("action", \.action, "The kind of work.")
        run = try members.optional("run", \.run, "The number of the run.")
        outcome = try members.optional("outcome", \.outcome, "The result of the run.")
        reason = try members.optional("reason", \.reason, "The reason, where the run did not succeed.")
        duration = try members.optional("duration", \.duration, "The duration in milliseconds.")
        again = try members.optional("again", \.again, "The next attempt in milliseconds since 1970.", .moment)
    }
}
