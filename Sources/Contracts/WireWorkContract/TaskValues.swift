package import WireBase
import WireConfig
package import WireHTTP

/// What a task does.
package enum TaskAction: String, JSONWord, PlainCodable {
    case exec, request, drain, code
    /// A service of this program does it.
    case service
}

/// How a run of a task ended.
package enum TaskOutcome: String, JSONWord, PlainCodable {
    case succeeded, failed, timedOut
    /// What it needs went away, or the runner ended.
    case interrupted
    case cancelled
}

/// A run of a task that has ended; times in milliseconds since 1970.
package struct EndedRun: JSONRecord, Equatable {
    package let started, ended: Int64
    package let outcome: TaskOutcome
    package let reason: String?

    package init(started: Int64, ended: Int64, outcome: TaskOutcome, reason: String?) {
        (self.started, self.ended, self.outcome, self.reason) = (started, ended, outcome, reason)
    }
}

extension EndedRun {
    package static let form = JSONForm<Self>("TaskRun", "A run of a task that has ended.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        started = try members.required("started", \.started, "When it began, in milliseconds since 1970.", .moment)
        ended = try members.required("ended", \.ended, "When it ended, in milliseconds since 1970.", .moment)
        outcome = try members.required("outcome", \.outcome, "What it came to.")
        reason = try members.optional("reason", \.reason, "Why, where it is not done.")
    }
}

/// A task and its state; times in milliseconds since 1970.
package struct TaskReport: JSONRecord {
    package enum State: String, JSONWord, PlainCodable {
        case running
        /// Its time has come, and it lacks something.
        case waiting
        case scheduled
        /// It runs when a caller asks for it.
        case onRequest
        /// No code has been registered for it.
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
        "Work that comes again, or is done when a caller asks for it."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its name.", .example("cleanup"))
        action = try members.required("action", \.action, "What it does.")
        state = try members.required("state", \.state, "Its state.")
        waitingFor = try members.optional(
            "waitingFor",
            \.waitingFor,
            "What it lacks: network, idle, power, user, group, store."
        )
        every = try members.optional("every", \.every, "Its period, such as 1d; only when asked for where absent.")
        flex = try members.optional("flex", \.flex, "How long before its time it may begin.")
        needs = try members.required("needs", \.needs, "What must be there for it to begin.", .example([]))
        group = try members.required("group", \.group, "What it is never done beside.", .example("maintenance"))
        next = try members.optional("next", \.next, "When it begins next, in milliseconds since 1970.", .moment)
        running = try members.optional(
            "running",
            \.running,
            "Since when it runs, in milliseconds since 1970.",
            .moment
        )
        last = try members.optional("last", \.last, "Its last run.")
        lastSuccess = try members.optional(
            "lastSuccess",
            \.lastSuccess,
            "When it was done last, in milliseconds since 1970.",
            .moment
        )
        failures = try members.required(
            "failures",
            \.failures,
            "How often it has failed in a row since its time came.",
            .count
        )
        runs = try members.required("runs", \.runs, "How often it has begun in all.", .count)
        isAsked = try members.required("asked", \.isAsked, "Whether a caller has asked for a run that has not begun.")
        origin = try members.optional("config", \.origin, "Where the file declares it.")
    }
}

/// What tasks may need, as it is now; what the machine does not tell is absent, and taken to be there.
package struct TaskConditions: JSONRecord {
    package let network, idle, power, user: Bool?

    package init(network: Bool?, idle: Bool?, power: Bool?, user: Bool?) {
        (self.network, self.idle, self.power, self.user) = (network, idle, power, user)
    }
}

extension TaskConditions {
    package static let form = JSONForm<Self>(
        "TaskConditions",
        "What tasks may need, as it is now; what the machine does not tell is absent, and taken to be there."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        network = try members.optional("network", \.network, "Whether servers can be reached.")
        idle = try members.optional("idle", \.idle, "Whether the machine has little else to do.")
        power = try members.optional("power", \.power, "Whether it is not running on a battery.")
        user = try members.optional("user", \.user, "Whether a user is signed in.")
    }
}

/// All tasks, and what they may need.
package struct TaskList: JSONRecord {
    package let tasks: [TaskReport]
    package let conditions: TaskConditions

    package init(tasks: [TaskReport], conditions: TaskConditions) {
        (self.tasks, self.conditions) = (tasks, conditions)
    }
}

extension TaskList {
    package static let form = JSONForm<Self>("Tasks", "All tasks, and what they may need.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        tasks = try members.required("tasks", \.tasks, "Those of the file in its order, then those of services.")
        conditions = try members.required("conditions", \.conditions, "What they may need.")
    }
}

/// What an event of a task says; its duration is in milliseconds.
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
    package static let form = JSONForm<Self>("TaskEvent", "What an event of a task says.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        task = try members.required("task", \.task, "Its name.")
        action = try members.optional("action", \.action, "What it does.")
        run = try members.optional("run", \.run, "The number of the run among all.")
        outcome = try members.optional("outcome", \.outcome, "What the run came to.")
        reason = try members.optional("reason", \.reason, "Why, where it is not done.")
        duration = try members.optional("duration", \.duration, "How long it took, in milliseconds.")
        again = try members.optional("again", \.again, "When it is tried again, in milliseconds since 1970.", .moment)
    }
}
