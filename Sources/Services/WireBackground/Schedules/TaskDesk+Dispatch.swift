import Synchronization
import WireBase
import WireConfig
import WireNotificationContract
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Deciding what runs now.
extension TaskDesk {
    /// Something that may begin, as it was decided by what was known.
    struct Start: Sendable {
        let task: KnownTask
        /// What its record was then; where it is another one by now, it is decided anew.
        let version: Int64?
    }

    /// Begins what may begin, whenever something changes; returns when all that has begun has ended, once cancelled.
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

    // MARK: What is known

    /// Reads the records that have changed, and writes those that are not there yet: a period begins when it is seen first.
    private func refresh(_ tasks: [KnownTask]) async {
        for task in tasks {
            do throws(StoreFailure) {
                try await refresh(task)
            } catch {
                guard error.kind != .conflict else { continue }
                pause(task, because: error.reason)
            }
        }
    }

    private func refresh(_ task: KnownTask) async throws(StoreFailure) {
        let version = try shelf.records.version(of: task.name)
        if let seen = state.withLock({ $0.records[task.name] }), seen.version == version, seen.every == task.every {
            return
        }
        let now = Moment(clock)
        var kept = try shelf.records.read(task.name)
        var record = kept?.record ?? TaskRecord(since: now.wall)
        let found = record
        record.correct(for: task, at: now.wall)
        if kept == nil || record != found {
            let version = try await shelf.records.put(record, of: task.name, after: kept?.version)
            kept = Repository.Stored(record: record, version: version)
        }
        let times = TaskTimes(task, record, seenFrom: now)
        let seen = SeenRecord(version: kept?.version, record: record, times: times, every: task.every)
        state.withLock { $0.records[task.name] = seen }
    }

    /// Leaves a task alone for a while that the store does not let begin.
    func pause(_ task: KnownTask, because reason: String) {
        let until = clock.monotonic() + TaskTimes.pauseAfterInterruption
        let isNews = state.withLock { state in
            defer { state.paused[task.name] = until }
            return state.paused[task.name] == nil
        }
        if isNews { log.error("a task cannot run", ["task": .text(task.name), "reason": .text(reason)]) }
    }

    // MARK: What begins

    /// What begins now, and how long nothing has to be looked at unless somebody says so.
    private func decide(_ tasks: [KnownTask]) -> (starts: [Start], pause: Duration) {
        let missing = surroundings.missing(of: tasks.reduce(into: []) { $0.formUnion($1.constraints) })
        let now = Moment(clock)
        var (starts, unwanted): ([Start], [(TaskRun, TaskRun.Ending)]) = ([], [])
        // The calendar may jump, and the machine may have slept; nothing tells of that.
        var pause = tasks.isEmpty ? Duration.seconds(3_600) : .seconds(60)
        state.withLock { state in
            unwanted = Self.unwanted(state, missing)
            // What is not idle or has no power says nothing when that changes.
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
                let needs = times?.cause == .wish(isForced: true) ? [] : task.constraints
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
            // The machine is awake for others anyway.
            for start in beside where !starts.isEmpty && state.busy[start.task.group] == nil {
                state.busy[start.task.group] = start.task.name
                starts.append(start)
            }
        }
        for (run, reason) in unwanted { run.end(reason) }
        return (starts, pause)
    }

    /// What might begin, the one whose time came first before others.
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

    /// Runs that are to end: nobody wants them any more, or what they need is gone.
    private static func unwanted(_ state: State, _ missing: ScheduledTask.Constraints) -> [(
        TaskRun, TaskRun.Ending
    )] {
        var found: [(TaskRun, TaskRun.Ending)] = []
        for (name, run) in state.running {
            let record = state.records[name]?.record
            // Work itself may end the idleness, so that is asked for at its beginning alone.
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
