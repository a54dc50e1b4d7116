import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// How a task is, as it is told.
struct TaskReport: Sendable {
    enum Standing: Sendable {
        case running
        /// Its time has come, and it lacks something.
        case waiting(for: [String])
        case scheduled
        /// It runs when somebody asks for it.
        case onRequest
        /// Nobody has brought the code for it.
        case unattended

        var word: String {
            switch self {
            case .running: "running"
            case .waiting: "waiting"
            case .scheduled: "scheduled"
            case .onRequest: "onRequest"
            case .unattended: "unattended"
            }
        }

        static let words = ["running", "waiting", "scheduled", "onRequest", "unattended"]
    }

    let task: KnownTask
    let standing: Standing
    /// Nil before it was seen first.
    let record: TaskRecord?
    let next: Int64?
}

extension TaskDesk {
    /// How every task is.
    func reports() throws(StoreFailure) -> [TaskReport] {
        let tasks = all
        let missing = surroundings.missing(of: tasks.reduce(into: []) { $0.formUnion($1.constraints) })
        var reports: [TaskReport] = []
        for task in tasks { reports.append(try report(on: task, missing)) }
        return reports
    }

    /// How a task is; nil where there is none of the name.
    func report(_ name: String) throws(StoreFailure) -> TaskReport? {
        try reports().first { $0.task.name == name }
    }

    private func report(on task: KnownTask, _ missing: ScheduledTask.Constraints) throws(StoreFailure) -> TaskReport {
        let now = Moment(clock)
        let record = try shelf.record(of: task.name)?.record
        let (isRunning, busy, elsewhere, isHurried, isPaused, seen) = state.withLock { state in
            (
                state.running[task.name] != nil, state.busy[task.group].map { $0 != task.name } ?? false,
                state.elsewhere[task.group].map { $0 > now.monotonic } ?? false, state.hurried.contains(task.name),
                state.paused[task.name] != nil, state.records[task.name]
            )
        }
        // What was read before is counted by both clocks; what is new here by the calendar.
        let times =
            seen.flatMap { $0.record == record ? $0.times : nil }
            ?? record.flatMap { TaskTimes(task, $0, seenFrom: now) }
        let next = times.map { now.wall + $0.due.remaining(now).milliseconds }
        let isRunningElsewhere = !isRunning && record?.begun != nil && elsewhere
        let standing: TaskReport.Standing
        if isRunning || isRunningElsewhere {
            standing = .running
        } else if task.work == nil {
            standing = .unattended
        } else if isHurried || times?.isDue(now) ?? false {
            let needs = times?.cause == .wish(isForced: true) ? [] : task.constraints.intersection(missing)
            standing = .waiting(
                for: needs.words + (busy || elsewhere ? ["group"] : []) + (isPaused ? ["store"] : [])
            )
        } else {
            standing = times == nil ? .onRequest : .scheduled
        }
        return TaskReport(task: task, standing: standing, record: record, next: isRunning ? nil : next)
    }
}

extension TaskReport: JSONObject {
    static let shape = JSONShape<Self>(
        "Task",
        "Work that comes again, or is done when somebody asks for it.",
        [
            .member("name", "Its name.") { $0.task.name },
            .member("action", "What it does.", as: .words(KnownTask.Action.allCases.map(\.rawValue))) {
                $0.task.action.rawValue
            },
            .member("state", "How it is.", as: .words(Standing.words)) { $0.standing.word },
            .member("waitingFor", "What it lacks: network, idle, power, user, group, store.") { report -> [String]? in
                if case .waiting(let words) = report.standing { words } else { nil }
            },
            .member("every", "Its period, such as 1d; only when asked for where absent.") {
                $0.task.every?.literal.plainText
            },
            .member("flex", "How long before its time it may begin.") { report -> String? in
                report.task.flex > .zero ? report.task.flex.literal.plainText : nil
            },
            .member("needs", "What must be there for it to begin.") { $0.task.constraints.words },
            .member("group", "What it is never done beside.") { $0.task.group },
            .member("next", "When it begins next, in milliseconds since 1970.", as: .moment) { $0.next },
            .member("running", "Since when it runs, in milliseconds since 1970.", as: .moment) { report -> Int64? in
                if case .running = report.standing { report.record?.begun } else { nil }
            },
            .member("last", "Its last run.") { $0.record?.last },
            .member("lastSuccess", "When it was done last, in milliseconds since 1970.", as: .moment) {
                $0.record?.lastSuccess
            },
            .member("failures", "How often it has failed in a row since its time came.", as: .count()) {
                $0.record?.failures ?? 0
            },
            .member("runs", "How often it has begun in all.", as: .count()) { $0.record?.runs ?? 0 },
            .member("asked", "Whether somebody has asked for a run that has not begun.") { $0.record?.wish != nil },
            .member("config", "Where the file declares it.") { $0.task.origin },
        ]
    )
}

extension TaskRecord.Run: JSONObject {
    static let shape = JSONShape<Self>(
        "TaskRun",
        "A run of a task that has ended.",
        [
            .member("started", "When it began, in milliseconds since 1970.", as: .moment) { $0.started },
            .member("ended", "When it ended, in milliseconds since 1970.", as: .moment) { $0.ended },
            .member("outcome", "What it came to.", as: .words(TaskRecord.Outcome.allCases.map(\.rawValue))) {
                $0.outcome.rawValue
            },
            .member("reason", "Why, where it is not done.") { $0.reason },
        ]
    )
}

/// What tasks may need, as it is now; what the machine does not tell is absent, and taken to be there.
struct TaskConditions: JSONObject {
    let network: Bool?
    let idle: Bool?
    let power: Bool?
    let user: Bool?

    init(_ surroundings: TaskSurroundings) {
        network = surroundings.holds(.network)
        idle = surroundings.holds(.idle)
        power = surroundings.holds(.power)
        user = surroundings.holds(.user)
    }

    static let shape = JSONShape<Self>(
        "TaskConditions",
        "What tasks may need, as it is now; what the machine does not tell is absent, and taken to be there.",
        [
            .member("network", "Whether servers can be reached.") { $0.network },
            .member("idle", "Whether the machine has little else to do.") { $0.idle },
            .member("power", "Whether it is not running on a battery.") { $0.power },
            .member("user", "Whether a user is signed in.") { $0.user },
        ]
    )
}

/// All tasks, and what they may need.
struct TaskList: JSONObject {
    let tasks: [TaskReport]
    let conditions: TaskConditions

    static let shape = JSONShape<Self>(
        "Tasks",
        "All tasks, and what they may need.",
        [
            .member("tasks", "Those of the file in its order, then those of services.") { $0.tasks },
            .member("conditions", "What they may need.") { $0.conditions },
        ]
    )
}
