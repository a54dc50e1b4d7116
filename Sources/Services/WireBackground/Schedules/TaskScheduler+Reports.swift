import Synchronization
import WireBase
import WireNotificationContract
import WireService
import WireStore
import WireWorkContract

extension TaskScheduler {
    /// Every task and its state.
    func reports() async throws(StoreFailure) -> [TaskReport] {
        let tasks = all
        let missing = dependencies.missing(of: tasks.reduce(into: []) { $0.formUnion($1.constraints) })
        var reports: [TaskReport] = []
        for task in tasks { reports.append(try await report(on: task, missing)) }
        return reports
    }

    /// A task and its state; nil for an unknown name.
    func report(_ name: String) async throws(StoreFailure) -> TaskReport? {
        try await reports().first { $0.name == name }
    }

    private func report(on task: KnownTask, _ missing: ScheduledTask.Constraints) async throws(StoreFailure)
        -> TaskReport
    {
        let now = Moment(clock)
        let record = try await repository(of: task).records.read(task.name)?.record
        let (isRunning, busy, elsewhere, isHurried, isPaused, seen) = state.withLock { state in
            (
                state.running[task.name] != nil, state.busy[task.group].map { $0 != task.name } ?? false,
                state.elsewhere[task.group].map { $0 > now.monotonic } ?? false, state.hurried.contains(task.name),
                state.paused[task.name] != nil, state.records[task.name]
            )
        }
        // Times of known records count by both clocks; those of new records by the wall clock.
        let times =
            seen.flatMap { $0.record == record ? $0.times : nil }
            ?? record.flatMap { TaskTimes(task, $0, seenFrom: now) }
        let next = times.map { now.wall + $0.due.remaining(now).milliseconds }
        let isRunningElsewhere = !isRunning && record?.begun != nil && elsewhere
        if isRunning || isRunningElsewhere {
            return report(task, record, .running, lacks: nil, next: isRunning ? nil : next)
        }
        if task.work == nil { return report(task, record, .unattended, lacks: nil, next: next) }
        guard isHurried || times?.isDue(now) ?? false else {
            return report(task, record, times == nil ? .onRequest : .scheduled, lacks: nil, next: next)
        }
        let needs = times?.cause == .requestedRun(isForced: true) ? [] : task.constraints.intersection(missing)
        let lacks = needs.words + (busy || elsewhere ? ["group"] : []) + (isPaused ? ["store"] : [])
        return report(task, record, .waiting, lacks: lacks, next: next)
    }

    private func report(
        _ task: KnownTask,
        _ record: TaskRecord?,
        _ state: TaskReport.State,
        lacks: [String]?,
        next: Int64?
    ) -> TaskReport {
        var report = TaskReport(task.name, task.action, group: task.group, state)
        (report.waitingFor, report.needs, report.origin) = (lacks, task.constraints.words, task.origin)
        (report.every, report.flex) = (task.every, task.flex > .zero ? task.flex : nil)
        (report.next, report.running) = (next, state == .running ? record?.begun : nil)
        guard let record else { return report }
        (report.last, report.lastSuccess, report.isAsked) = (
            record.last, record.lastSuccess, record.requestedRun != nil
        )
        (report.failures, report.runs) = (record.failures, record.runs)
        return report
    }
}

extension TaskConditions {
    init(_ dependencies: TaskDependencies) {
        self.init(
            network: dependencies.holds(.network),
            idle: dependencies.holds(.idle),
            power: dependencies.holds(.power),
            user: dependencies.holds(.user)
        )
    }
}
