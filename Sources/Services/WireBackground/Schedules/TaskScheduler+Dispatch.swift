import Synchronization
import WireBase
import WireConfig
import WireNotificationContract
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// The choice of the runs that begin.
extension TaskScheduler {
    /// A run that may begin, with the state it was decided from.
    struct Start: Sendable {
        let task: KnownTask
        /// The version of the record at the decision; after a change the decision is repeated.
        let version: Int64?
    }

    /// Begins due runs after each change; once cancelled, returns when all runs have ended.
    func dispatch() async {
        await withDiscardingTaskGroup { runs in
            while !Task.isCancelled {
                let count = changes.count
                let tasks = all
                await refresh(tasks)
                let (starts, pause) = decide(tasks)
                for start in starts { runs.addTask { await self.perform(start) } }
                state.withLock { $0.decided = count }
                await changes.wait(after: count, atMost: pause, clock)
            }
        }
    }

    // MARK: Records

    /// Reads changed records and creates missing ones: a period begins when its task is first seen.
    private func refresh(_ tasks: [KnownTask]) async {
        let mayWrite = state.withLock { state in
            state.isRefreshing = state.clearings == 0
            return state.isRefreshing
        }
        guard mayWrite else { return }
        defer {
            let isAwaited = state.withLock { state in
                state.isRefreshing = false
                return state.clearings > 0
            }
            if isAwaited { changes.signal() }
        }
        await withDiscardingTaskGroup { group in
            for repository in repositories {
                let kept = tasks.filter { self.repository(of: $0).isLocal == repository.isLocal }
                group.addTask { await self.refresh(together: kept) }
            }
        }
    }

    /// Refreshes the records of tasks in one store.
    private func refresh(together tasks: [KnownTask]) async {
        var away: StoreFailure?
        for task in tasks {
            do throws(StoreFailure) {
                // Each call to a store that is away takes some time.
                if let away { throw away }
                try await refresh(task)
            } catch {
                guard error.kind != .conflict else { continue }
                if error.isAway { away = error }
                pause(task, because: error.reason)
            }
        }
    }

    private func refresh(_ task: KnownTask) async throws(StoreFailure) {
        let records = repository(of: task).records
        let version = try await records.version(of: task.name)
        if let seen = state.withLock({ $0.records[task.name] }), seen.version == version, seen.every == task.every {
            return
        }
        let now = Moment(clock)
        var kept = try await records.read(task.name)
        var record = kept?.record ?? TaskRecord(since: now.wall)
        let found = record
        record.correct(for: task, at: now.wall)
        if kept == nil || record != found {
            let version = try await records.put(record, of: task.name, after: kept?.version)
            kept = Repository.Stored(record: record, version: version)
        }
        let times = TaskTimes(task, record, seenFrom: now)
        let seen = SeenRecord(version: kept?.version, record: record, times: times, every: task.every)
        state.withLock { $0.records[task.name] = seen }
    }

    /// Pauses a task that the store does not let begin.
    func pause(_ task: KnownTask, because reason: String) {
        let until = clock.monotonic() + TaskTimes.pauseAfterInterruption
        let isChange = state.withLock { state in
            defer { state.paused[task.name] = until }
            return state.paused[task.name] == nil
        }
        if isChange { log.error("a task cannot run", ["task": .text(task.name), "reason": .text(reason)]) }
    }

    // MARK: Decisions

    /// The runs that begin now, and the pause until the next check without a signal.
    private func decide(_ tasks: [KnownTask]) -> (starts: [Start], pause: Duration) {
        let missing = dependencies.missing(of: tasks.reduce(into: []) { $0.formUnion($1.constraints) })
        let now = Moment(clock)
        var (starts, unwanted): ([Start], [(TaskRun, TaskRun.Ending)]) = ([], [])
        // Clock changes and sleep send no signal.
        var pause = tasks.isEmpty ? Duration.seconds(3_600) : .seconds(60)
        state.withLock { state in
            unwanted = Self.unwanted(state, missing)
            // Idleness and power send no signal when they change.
            if !missing.isDisjoint(with: [.idle, .power]) || state.running.contains(where: \.value.watchesPower) {
                pause = min(pause, .seconds(30))
            }
            guard state.mayBegin else { return }
            var beside: [Start] = []
            for (task, seen, times) in Self.candidates(tasks, state, now) {
                if let until = state.paused[task.name] {
                    guard until <= now.monotonic else {
                        pause = min(pause, until - now.monotonic)
                        continue
                    }
                    state.paused[task.name] = nil
                }
                let isHurried = state.hurried.contains(task.name)
                let needs = times?.cause == .requestedRun(isForced: true) ? [] : task.constraints
                let isDue = isHurried || times?.isDue(now) ?? false
                let isOpen = isDue || times?.isOpen(now) ?? false
                if !isDue, let times {
                    pause = min(pause, (isOpen || needs.isEmpty ? times.due : times.opens).remaining(now))
                }
                guard isOpen, state.busy[task.group] == nil, needs.isDisjoint(with: missing) else { continue }
                if let until = state.elsewhere[task.group] {
                    guard until <= now.monotonic else {
                        pause = min(pause, until - now.monotonic)
                        continue
                    }
                    state.elsewhere[task.group] = nil
                }
                let start = Start(task: task, version: seen.version)
                guard isDue || !needs.isEmpty else {
                    beside.append(start)
                    continue
                }
                state.busy[task.group] = task.name
                starts.append(start)
            }
            // The machine is awake for other runs anyway.
            for start in beside where !starts.isEmpty && state.busy[start.task.group] == nil {
                state.busy[start.task.group] = start.task.name
                starts.append(start)
            }
        }
        for (run, reason) in unwanted { run.end(reason) }
        return (starts, pause)
    }

    /// The runs that might begin, ordered by their due time.
    private static func candidates(_ tasks: [KnownTask], _ state: State, _ now: Moment) -> [(
        task: KnownTask, seen: SeenRecord, times: TaskTimes?
    )] {
        var found: [(task: KnownTask, seen: SeenRecord, times: TaskTimes?)] = []
        for task in tasks where task.work != nil && state.running[task.name] == nil {
            guard let seen = state.records[task.name] else { continue }
            guard seen.times != nil || state.hurried.contains(task.name) else { continue }
            found.append((task, seen, seen.times))
        }
        return found.sorted { ($0.times?.due.monotonic ?? .zero) < ($1.times?.due.monotonic ?? .zero) }
    }

    /// The runs to end: cancelled ones, and those with a lost constraint.
    private static func unwanted(_ state: State, _ missing: ScheduledTask.Constraints) -> [(
        TaskRun, TaskRun.Ending
    )] {
        var found: [(TaskRun, TaskRun.Ending)] = []
        for (name, run) in state.running {
            let record = state.records[name]?.record
            // The work itself may end the idleness, so that constraint applies only at the start.
            let gone = run.isForced ? [] : run.task.constraints.intersection(missing).subtracting(.idle)
            if let record, record.begun != nil, record.unwanted == record.runs {
                found.append((run, .cancelled))
            } else if !gone.isEmpty {
                found.append((run, .missing(gone)))
            }
        }
        return found
    }
}

extension TaskRun {
    fileprivate var watchesPower: Bool { !isForced && task.constraints.contains(.power) }
}
