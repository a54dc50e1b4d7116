import WireBase
import WireNotificationContract
import WireWorkContract

/// A moment by both clocks: the wall clock, which may jump, and the monotonic clock.
struct Moment: Sendable, Equatable {
    let wall: Int64
    let monotonic: Duration

    init(_ clock: TimeSource) { (wall, monotonic) = (clock.wall(), clock.monotonic()) }
}

/// A due time, seen from a moment.
///
/// The time is due when either clock says so: after a sleep of the machine only the wall clock has advanced, and where
/// the wall clock was set back only the monotonic clock is right.
struct DueTime: Sendable, Equatable {
    let wall: Int64
    let monotonic: Duration

    /// A time of the wall clock, limited to a maximum distance.
    init(_ wall: Int64, from now: Moment, atMost limit: Duration) {
        self.wall = wall
        let (away, most) = (Duration.milliseconds(wall.subtracting(now.wall)), limit)
        monotonic = now.monotonic + max(.zero, min(away, most))
    }

    /// The remaining time; zero when due.
    func remaining(_ now: Moment) -> Duration {
        max(.zero, min(.milliseconds(wall.subtracting(now.wall)), monotonic - now.monotonic))
    }
}

/// The times of a task, computed from its record.
struct TaskTimes: Sendable {
    /// The earliest time for convenience, and the due time.
    let opens: DueTime
    let due: DueTime
    /// The cause of the run.
    let cause: Cause

    enum Cause: Sendable, Equatable {
        case period, retry
        case requestedRun(isForced: Bool)
    }

    /// The backoff after failures: from half a minute, doubled, up to five hours and never longer than a period.
    static func pause(afterFailures count: Int, every: Duration?) -> Duration {
        let seconds = 30 << min(max(0, count - 1), 10)
        return min(.seconds(min(seconds, 5 * 3_600)), every ?? .seconds(5 * 3_600))
    }

    /// The pause after a run that was interrupted or could not begin.
    static let pauseAfterInterruption = Duration.seconds(30)
    /// How far the clocks of machines may be apart.
    static let clockDifference = Duration.seconds(300)
    /// The maximum delay of a request.
    static let longestDelay = Duration.seconds(30 * 86_400)

    /// The maximum postponement of a run.
    static func longestPostponement(of task: KnownTask) -> Duration { (task.every ?? .zero) + task.flex + longestDelay }

    /// Nil for a task that runs only on request.
    init?(_ task: KnownTask, _ record: TaskRecord, seenFrom now: Moment) {
        var earliest: TaskTimes?
        func consider(_ wall: Int64, flex: Duration, atMost limit: Duration, _ cause: Cause) {
            if let postponed = record.postponed, postponed > wall, cause == .period || cause == .retry {
                return offer(postponed, flex: .zero, atMost: Self.longestPostponement(of: task), cause)
            }
            offer(wall, flex: flex, atMost: limit, cause)
        }
        func offer(_ wall: Int64, flex: Duration, atMost limit: Duration, _ cause: Cause) {
            let due = DueTime(wall, from: now, atMost: limit)
            if let known = earliest, known.due.remaining(now) <= due.remaining(now) { return }
            let opens = DueTime(wall - flex.milliseconds, from: now, atMost: max(.zero, limit - flex))
            earliest = TaskTimes(opens: opens, due: due, cause: cause)
        }
        if let requestedRun = record.requestedRun {
            consider(
                requestedRun.notBefore,
                flex: .zero,
                atMost: Self.longestDelay,
                .requestedRun(isForced: requestedRun.isForced)
            )
        }
        if let retry = record.retry {
            consider(retry, flex: .zero, atMost: Self.pause(afterFailures: .max, every: task.every), .retry)
        } else if let begun = record.begun {
            // A process began this run; if that process is dead, the run is repeated.
            offer(begun, flex: .zero, atMost: .zero, .retry)
        } else if let every = task.every {
            if record.runs == 0, task.runsAtStart {
                consider(record.anchor, flex: .zero, atMost: .zero, .period)
            } else {
                // The period after an early start begins where it would have.
                consider(record.anchor + every.milliseconds, flex: task.flex, atMost: every + task.flex, .period)
            }
        }
        guard let earliest else { return nil }
        self = earliest
    }

    private init(opens: DueTime, due: DueTime, cause: Cause) {
        (self.opens, self.due, self.cause) = (opens, due, cause)
    }

    func isDue(_ now: Moment) -> Bool { due.remaining(now) == .zero }
    func isOpen(_ now: Moment) -> Bool { opens.remaining(now) == .zero }
}

extension TaskRecord {
    /// Postpones the next scheduled or requested run; false where none waits, or a run is in progress.
    ///
    /// Without a delay, removes the postponement of the scheduled run.
    mutating func postpone(_ task: KnownTask, by delay: Duration, at now: Moment) -> Bool {
        guard begun == nil else { return false }
        let requested = requestedRun.map {
            DueTime($0.notBefore, from: now, atMost: TaskTimes.longestDelay).remaining(now)
        }
        var others = self
        others.requestedRun = nil
        let own = TaskTimes(task, others, seenFrom: now)?.due.remaining(now)
        guard let next = [requested, own].compactMap(\.self).min() else { return false }
        guard delay > .zero else {
            postponed = nil
            return true
        }
        let time = now.wall + (next + delay).milliseconds
        // Postpone both where both would begin now.
        if requested == next { requestedRun?.notBefore = time }
        if own == next { postponed = time }
        return true
    }

    /// Corrects times that are too far ahead because the wall clock was set back.
    ///
    /// Those of another machine whose clock is slightly ahead stay as they are: machines that corrected each other's
    /// would shift the schedule.
    mutating func correct(for task: KnownTask, at now: Int64) {
        func corrected(_ time: Int64, atMost limit: Duration) -> Int64 {
            let last = now + limit.milliseconds
            return time > last + TaskTimes.clockDifference.milliseconds ? last : time
        }
        if corrected(anchor, atMost: task.flex) != anchor { anchor = now }
        retry = retry.map { corrected($0, atMost: TaskTimes.pause(afterFailures: .max, every: task.every)) }
        postponed = postponed.map { corrected($0, atMost: TaskTimes.longestPostponement(of: task)) }
        if let asked = requestedRun {
            requestedRun?.notBefore = corrected(asked.notBefore, atMost: TaskTimes.longestDelay)
        }
        begun = begun.map { corrected($0, atMost: .zero) }
    }

    /// Records the start of a run.
    mutating func begin(_ task: KnownTask, at now: Int64) {
        runs += 1
        if retry == nil { occurrence = UUIDText.random() }
        (begun, unwanted) = (now, nil)
        if let time = postponed, time <= now { postponed = nil }
        guard let every = task.every?.milliseconds, retry == nil || anchor + every <= now else { return }
        let due = anchor + every
        guard runs == 1 && task.runsAtStart || due - task.flex.milliseconds <= now else { return }
        // An early or slightly late start keeps the rhythm of the periods. Missed periods are made up by one run, and a
        // whole period follows.
        anchor = due >= now - every / 2 && due - now <= task.flex.milliseconds ? due : now
        occurrence = UUIDText.random()
        failures = 0
        retry = nil
    }

    /// Records that the process of a run has died.
    ///
    /// The work may have caused that, so the run counts as a failure. It is repeated once even without attempts left,
    /// since it may not have begun.
    mutating func lose(_ task: KnownTask, at now: Int64) {
        last = EndedRun(
            started: begun ?? now,
            ended: now,
            outcome: .interrupted,
            reason: "the runner ended during the run"
        )
        (begun, unwanted) = (nil, nil)
        fail(task, attempts: max(task.attempts, 2), at: now)
        guard let requestedRun else { return }
        if let retry {
            self.requestedRun?.notBefore = max(requestedRun.notBefore, retry)
            self.retry = nil
        } else {
            fulfil(requestedRun.number)
        }
    }

    /// Records the end of a run.
    mutating func end(
        _ task: KnownTask,
        _ outcome: TaskOutcome,
        _ reason: String?,
        requestedRun number: Int?,
        at now: Int64
    ) {
        last = EndedRun(started: begun ?? now, ended: now, outcome: outcome, reason: reason)
        (begun, unwanted) = (nil, nil)
        switch outcome {
        case .succeeded:
            (failures, retry, lastSuccess) = (0, nil, now)
            fulfil(number)
        case .failed, .timedOut:
            fail(task, attempts: task.attempts, at: now)
            fulfil(number)
        case .interrupted:
            let again = now + TaskTimes.pauseAfterInterruption.milliseconds
            if let number, requestedRun?.number == number { requestedRun?.notBefore = again } else { retry = again }
        case .cancelled:
            (failures, retry) = (0, nil)
            fulfil(number)
        }
    }

    private mutating func fail(_ task: KnownTask, attempts: Int, at now: Int64) {
        failures += 1
        retry =
            failures < attempts
            ? now + TaskTimes.pause(afterFailures: failures, every: task.every).milliseconds : nil
    }

    /// A request that came after the start of a run is not served by that run.
    private mutating func fulfil(_ number: Int?) {
        guard let number, number > served else { return }
        served = number
        if let requestedRun, requestedRun.number <= number { self.requestedRun = nil }
    }
}

extension Duration {
    /// In whole milliseconds.
    var milliseconds: Int64 { inMicroseconds / 1_000 }
}

extension Int64 {
    /// The difference, clamped to the range of the type.
    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (self > other ? .max / 2_000 : .min / 2_000) : difference
    }
}
