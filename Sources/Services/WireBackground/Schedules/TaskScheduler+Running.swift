import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Executing the chosen runs.
extension TaskScheduler {
    /// Claims the group of a task and runs the task, unless another process was faster.
    func perform(_ start: Start) async {
        let task = start.task
        let repository = repository(of: task)
        defer {
            state.withLock { $0.busy[task.group] = nil }
            changes.signal()
        }
        do throws(StoreFailure) {
            guard let held = try await repository.claim(task.group, clock) else {
                // The result is reported from the stored record; an abandoned lease ends by itself.
                let until = clock.monotonic() + .seconds(5)
                return state.withLock { $0.elsewhere[task.group] = until }
            }
            do throws(StoreFailure) {
                try await perform(start, held)
            } catch {
                await giveBack(held, to: repository)
                throw error
            }
            await giveBack(held, to: repository)
        } catch {
            if error.kind != .conflict { pause(task, because: error.reason) }
        }
    }

    /// Gives a claim back, in a store that is away once it is back.
    ///
    /// The store may still have a lost claim as one of this process.
    private func giveBack(_ held: HeldClaim, to repository: TaskRepository) async {
        while true {
            do throws(StoreFailure) { return try await repository.giveBack(held) } catch {
                // The lease ends by itself, or when this process leaves the store.
                guard error.isAway, mayWait else { return }
            }
            try? await clock.sleep(Self.pauseWhileAway)
        }
    }

    /// Whether a store that is away is waited for.
    private var mayWait: Bool { !Task.isCancelled && state.withLock(\.mayBegin) }

    private static let pauseWhileAway = Duration.seconds(1)

    private func perform(_ start: Start, _ held: HeldClaim) async throws(StoreFailure) {
        let task = start.task
        let records = repository(of: task).records
        let kept = try await records.read(task.name)
        // The record has changed since the decision: decide again.
        guard let kept, kept.version == start.version, state.withLock({ $0.mayBegin }) else { return }
        let now = clock.wall()
        var record = kept.record
        record.correct(for: task, at: now)
        guard record.begun == nil else {
            record.lose(task, at: now)
            _ = try await records.put(record, of: task.name, after: kept.version)
            if let last = record.last { tellEnd(task, last, record) }
            return
        }
        let requestedRun = record.requestedRun.flatMap { $0.notBefore <= now || isDue(task) ? $0 : nil }
        if isDueByItself(task) { record.postponed = nil }
        record.begin(task, at: now)
        guard try await begin(record, of: task, after: kept.version, held) else { return }
        let run = TaskRun(task, record, started: now, requestedRun: requestedRun)
        let (isLeaving, isCleared) = state.withLock { state in
            state.running[task.name] = run
            state.hurried.remove(task.name)
            return (state.isLeaving, state.clearings > 0)
        }
        if isLeaving { run.end(.leaving) } else if isCleared { run.end(.cancelled) }
        changes.signal()
        log.info("task begins", ["task": .text(task.name)])
        var event = TaskEvent(task.name)
        (event.action, event.run) = (task.action, record.runs)
        emit(.started, event)
        await complete(run, held)
        state.withLock { $0.running[task.name] = nil }
    }

    /// Stores the start of a run; false where the record has changed meanwhile.
    ///
    /// A store that is away may have stored it, so it is asked again as long as the claim lasts.
    private func begin(
        _ record: TaskRecord,
        of task: KnownTask,
        after version: Int64,
        _ held: HeldClaim
    ) async throws(StoreFailure) -> Bool {
        let records = repository(of: task).records
        var isInDoubt = false
        while true {
            do throws(StoreFailure) {
                do throws(StoreFailure) {
                    _ = try await records.put(record, of: task.name, after: version)
                    return true
                } catch {
                    guard isInDoubt, error.kind == .conflict else { throw error }
                    return try await records.read(task.name)?.record.isInRun(of: record) ?? false
                }
            } catch {
                guard error.isAway, !held.isLost, mayWait else { throw error }
                isInDoubt = true
            }
            try? await clock.sleep(Self.pauseWhileAway)
        }
    }

    /// Whether a requested run is due, by the monotonic clock.
    private func isDue(_ task: KnownTask) -> Bool {
        guard let times = state.withLock({ $0.records[task.name]?.times }), case .requestedRun = times.cause else {
            return false
        }
        return times.isDue(Moment(clock))
    }

    /// Whether the schedule is due, by either clock, without a request.
    private func isDueByItself(_ task: KnownTask) -> Bool {
        guard let times = state.withLock({ $0.records[task.name]?.times }) else { return false }
        if case .requestedRun = times.cause { return false }
        return times.isDue(Moment(clock))
    }

    /// Does the work and stores its result, and extends the claim meanwhile.
    private func complete(_ run: TaskRun, _ held: HeldClaim) async {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                let begin = self.clock.monotonic()
                let error = await run.perform()
                await self.end(run, error, after: self.clock.monotonic() - begin)
                return true
            }
            group.addTask {
                do { try await self.clock.sleep(run.task.limit) } catch { return false }
                run.end(.timedOut)
                return false
            }
            group.addTask {
                await self.extend(held, for: run)
                return false
            }
            if let lost = held.claim.lost {
                group.addTask {
                    await lost.wait()
                    if lost.hasFired { run.end(.lost) }
                    return false
                }
            }
            while let isEnd = await group.next() {
                if isEnd { group.cancelAll() }
            }
        }
    }

    /// Extends a claim until the task is cancelled; ends the run where the claim is lost, or may be.
    private func extend(_ held: HeldClaim, for run: TaskRun) async {
        var (failures, pause) = (0, TaskRepository.leasePulse)
        while true {
            do { try await clock.sleep(pause) } catch { return }
            do throws(StoreFailure) {
                try await repository(of: run.task).extend(held, clock)
                (failures, pause) = (0, TaskRepository.leasePulse)
            } catch {
                if error.isAway {
                    // Soon, so that the claim is extended in time once the store is back.
                    pause = Self.pauseWhileAway
                } else {
                    // A store that is there, such as one that another process keeps locked, may give the claim to that
                    // process.
                    failures += 1
                }
            }
            if held.isLost || failures == 2 { return run.end(.lost) }
        }
    }

    // MARK: Results

    private func end(_ run: TaskRun, _ error: (any Error)?, after duration: Duration) async {
        let (outcome, reason) = verdict(on: run, error)
        let (records, now) = (repository(of: run.task).records, clock.wall())
        var (pause, failures) = (Duration.milliseconds(100), 0)
        while true {
            do throws(StoreFailure) {
                // Requests since the start of the run stay.
                let ended = try await records.edit(run.task.name) { record in
                    // After a lost claim, another process may have counted this run as dead, and begun the next.
                    guard record?.runs == run.number else { return false }
                    // The answer of a former try may be lost.
                    guard record?.begun != nil else { return record?.last?.isEnd(outcome, reason, at: now) ?? false }
                    record?.end(run.task, outcome, reason, requestedRun: run.requestedRun, at: now)
                    return true
                }
                guard let record = ended.stored?.record else { return }
                guard ended.answer, let last = record.last else { return noteTakenOver(run) }
                count(run.task, outcome, duration)
                tellEnd(run.task, last, record)
                return
            } catch {
                failures += 1
                // Stored once the store is back, unless another process has taken the run for dead by then.
                guard error.isAway ? mayWait : failures < 5 else {
                    count(run.task, outcome, duration)
                    return log.error(
                        "the result of a task cannot be stored, so the task runs again",
                        ["task": .text(run.task.name), "reason": .text(error.reason)]
                    )
                }
            }
            // Without waiting callers, retry at once.
            try? await clock.sleep(pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private static let longestPause = Duration.seconds(2)

    private func noteTakenOver(_ run: TaskRun) {
        log.warning("another process has taken over a task", ["task": .text(run.task.name)])
    }

    /// The result of a run.
    private func verdict(on run: TaskRun, _ error: (any Error)?) -> (TaskOutcome, String?) {
        switch run.reason {
        case .lost: return (.interrupted, "the runner could not keep its claim of the run")
        case .timedOut: return (.timedOut, "the run took longer than \(run.task.limit.literal.plainText)")
        case .missing(let constraints):
            return (.interrupted, "\(constraints.words.joined(separator: " and ")) is no longer available")
        case .cancelled: return (.cancelled, "the run was cancelled")
        case .leaving: return (.interrupted, "the runner is shutting down")
        case nil:
            guard let error else { return (.succeeded, nil) }
            if Task.isCancelled || error is CancellationError { return (.interrupted, "the runner is shutting down") }
            return (.failed, (error as? Fault)?.reason ?? "\(error)".shown(upTo: 200))
        }
    }

    private func tellEnd(_ task: KnownTask, _ run: EndedRun, _ record: TaskRecord) {
        let hasFailed = run.outcome == .failed || run.outcome == .timedOut
        let again = hasFailed ? record.retry : nil
        let took = Int(run.ended - run.started)
        if hasFailed {
            log.warning(
                "task failed",
                [
                    "task": .text(task.name), "reason": run.reason.map(LogValue.text),
                    "attempt": .integer(record.failures),
                    "config": task.origin.map { .text("\($0.path) (\($0.place))") },
                ]
            )
        } else {
            log.info("task ended", ["task": .text(task.name), "outcome": .text(run.outcome.rawValue)])
        }
        var event = TaskEvent(task.name)
        (event.outcome, event.reason, event.duration, event.again) = (run.outcome, run.reason, max(0, took), again)
        emit(hasFailed ? .failed : .ended, event)
    }
}

extension EndedRun {
    fileprivate func isEnd(_ outcome: TaskOutcome, _ reason: String?, at now: Int64) -> Bool {
        self.outcome == outcome && self.reason == reason && ended == now
    }
}

extension TaskRecord {
    /// Whether the run of another record has begun in this one, which may have changed since.
    fileprivate func isInRun(of other: TaskRecord) -> Bool {
        begun == other.begun && runs == other.runs && occurrence == other.occurrence
    }
}
