import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireStore
import WireWorkContract

/// Requests of services and callers.
extension TaskScheduler: Schedules {
    func keep(
        _ task: ScheduledTask,
        in registrations: Registrations,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        let known = KnownTask(task) { _ in try await work() }
        let ticket = state.withLock { state in
            state.lastTicket += 1
            state.kept[known.name] = (state.lastTicket, known)
            // Recompute the times from the new settings.
            state.records[known.name] = nil
            return state.lastTicket
        }
        changes.signal()
        registrations.add { [weak self] in self?.forget(known.name, ticket) }
    }

    /// Removes a task of a service, unless another one has replaced it.
    private func forget(_ name: String, _ ticket: Int) {
        let run: TaskRun? = state.withLock { state in
            guard state.kept[name]?.ticket == ticket else { return nil }
            state.kept[name] = nil
            return state.running[name]
        }
        run?.end(.cancelled)
        changes.signal()
    }

    func runNow(_ name: String) -> Bool {
        let isKnown = task(name) != nil
        if isKnown {
            state.withLock { _ = $0.hurried.insert(name) }
            changes.signal()
        }
        return isKnown
    }
}

extension TaskScheduler {
    /// The handle of a requested run.
    enum Ticket: Sendable {
        case requestedRun(Int)
        case run(Int)

        func isDone(_ record: TaskRecord) -> Bool {
            switch self {
            case .requestedRun(let number): record.served >= number
            case .run(let number): record.runs > number || record.begun == nil
            }
        }
    }

    /// Requests a run; returns when the request is stored.
    func ask(_ requestedRun: TaskRunRequest) async throws(TaskFailure) -> Ticket {
        _ = try declaredTask(requestedRun.name)
        try checkDelay(requestedRun.delay)
        return try await changing(requestedRun.name) { record, now in
            if requestedRun.existing == .keep {
                if let known = record.requestedRun {
                    if requestedRun.isForced { record.requestedRun?.isForced = true }
                    return .requestedRun(known.number)
                }
                if record.begun != nil { return .run(record.runs) }
            } else if record.begun != nil {
                record.unwanted = record.runs
            }
            let number = max(record.served, record.requestedRun?.number ?? 0) + 1
            // A replaced request is served by no run.
            record.served = number - 1
            record.retry = nil
            record.requestedRun = TaskRecord.RequestedRun(
                number: number,
                asked: now,
                notBefore: now + requestedRun.delay.milliseconds,
                isForced: requestedRun.isForced
            )
            return .requestedRun(number)
        }
    }

    /// Cancels the waiting or present run, but no later ones; false where there is none.
    func cancel(_ name: String) async throws(TaskFailure) -> Bool {
        try await changing(name) { record, _ in
            let isThere = record.requestedRun != nil || record.begun != nil || record.retry != nil
            if record.begun != nil { record.unwanted = record.runs }
            if let requestedRun = record.requestedRun { record.served = max(record.served, requestedRun.number) }
            (record.requestedRun, record.retry, record.failures) = (nil, nil, 0)
            return isThere
        }
    }

    /// Postpones the next run; returns when that is stored, false where no run is due.
    func postpone(_ name: String, by delay: Duration) async throws(TaskFailure) -> Bool {
        let task = try declaredTask(name)
        try checkDelay(delay)
        let moment = Moment(clock)
        return try await changing(name) { record, _ in record.postpone(task, by: delay, at: moment) }
    }

    /// Returns true when the requested run has ended, false when the service ends first.
    func wait(for ticket: Ticket, of name: String) async -> Bool {
        guard let task = task(name) else { return false }
        while !Task.isCancelled, !state.withLock({ $0.isLeaving }) {
            let count = changes.count
            // A store that fails is read again.
            if let kept = try? await repository(of: task).records.read(name), ticket.isDone(kept.record) { return true }
            await changes.wait(after: count, atMost: .seconds(5), clock)
        }
        return false
    }

    private func declaredTask(_ name: String) throws(TaskFailure) -> KnownTask {
        guard let task = task(name) else { throw undeclared(name) }
        return task
    }

    private func checkDelay(_ delay: Duration) throws(TaskFailure) {
        guard delay >= .zero else { throw TaskFailure(.badDelay, "found a negative delay") }
        guard delay <= TaskTimes.longestDelay else {
            let most = TaskTimes.longestDelay.literal.plainText
            throw TaskFailure(.badDelay, "found a delay of \(delay.literal.plainText), expected \(most) at most")
        }
    }

    private func changing<Answer: Sendable>(
        _ name: String,
        _ change: @Sendable (inout TaskRecord, Int64) -> Answer
    ) async throws(TaskFailure) -> Answer {
        let records = repository(of: try declaredTask(name)).records
        guard !state.withLock({ $0.isLeaving }) else { throw TaskFailure(.ending, "the service is shutting down") }
        return try await TaskFailure.wrapping { () async throws(StoreFailure) in
            let (answer, _) = try await records.edit(name) { kept in
                let now = clock.wall()
                var record = kept ?? TaskRecord(since: now)
                defer { kept = record }
                return change(&record, now)
            }
            changes.signal()
            return answer
        }
    }
}
