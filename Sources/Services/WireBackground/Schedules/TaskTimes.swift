import WireBase
import WireNotificationContract
import WireWorkContract

/// A moment by both clocks: the one of calendars, which may jump, and the one that only grows.
struct Moment: Sendable, Equatable {
    let wall: Int64
    let monotonic: Duration

    init(_ clock: Clockwork) { (wall, monotonic) = (clock.wall(), clock.monotonic()) }
}

/// When something is to be, seen from a moment.
///
/// It has come when either clock says so: after a sleep of the machine only the calendar knows what was missed, and where
/// the calendar was set back only the other clock does.
struct DueTime: Sendable, Equatable {
    let wall: Int64
    let monotonic: Duration

    /// A time of the calendar that is never further away than so.
    init(_ wall: Int64, from now: Moment, atMost limit: Duration) {
        self.wall = wall
        let (away, most) = (Duration.milliseconds(wall.subtracting(now.wall)), limit)
        monotonic = now.monotonic + max(.zero, min(away, most))
    }

    /// How long until then; nothing where it has come.
    func remaining(_ now: Moment) -> Duration {
        max(.zero, min(.milliseconds(wall.subtracting(now.wall)), monotonic - now.monotonic))
    }
}

/// When a task may begin, by what is kept of it.
struct TaskTimes: Sendable {
    /// From when on it may begin for convenience, and when it must.
    let opens: DueTime
    let due: DueTime
    /// Why then.
    let cause: Cause

    enum Cause: Sendable, Equatable {
        case period, retry
        case wish(isForced: Bool)
    }

    /// How long a run that failed is waited for: half a minute that doubles, five hours at most, never longer than a period.
    static func pause(afterFailures count: Int, every: Duration?) -> Duration {
        let seconds = 30 << min(max(0, count - 1), 10)
        return min(.seconds(min(seconds, 5 * 3_600)), every ?? .seconds(5 * 3_600))
    }

    /// How long the runs are waited for that were cut off, or could not begin.
    static let pauseAfterInterruption = Duration.seconds(30)
    /// The longest wait that can be asked for.
    static let longestDelay = Duration.seconds(30 * 86_400)

    /// How far ahead a run can lie that was put off.
    static func longestPostponement(of task: KnownTask) -> Duration { (task.every ?? .zero) + task.flex + longestDelay }

    /// Nil for a task that waits for somebody to ask for it.
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
        if let wish = record.wish {
            consider(wish.notBefore, flex: .zero, atMost: Self.longestDelay, .wish(isForced: wish.isForced))
        }
        if let retry = record.retry {
            consider(retry, flex: .zero, atMost: Self.pause(afterFailures: .max, every: task.every), .retry)
        } else if let begun = record.begun {
            // Somebody has begun it; where that process is no more, it is done again.
            offer(begun, flex: .zero, atMost: .zero, .retry)
        } else if let every = task.every {
            if record.runs == 0, task.runsAtStart {
                consider(record.anchor, flex: .zero, atMost: .zero, .period)
            } else {
                // What began early has its next period where it would have been.
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
    /// Puts off what comes next, whether it was asked for or comes by itself; false where nothing waits, or a run is under way.
    ///
    /// Without a delay, what comes by itself is no longer put off.
    mutating func postpone(_ task: KnownTask, by delay: Duration, at now: Moment) -> Bool {
        guard begun == nil else { return false }
        let requested = wish.map { DueTime($0.notBefore, from: now, atMost: TaskTimes.longestDelay).remaining(now) }
        var others = self
        others.wish = nil
        let own = TaskTimes(task, others, seenFrom: now)?.due.remaining(now)
        guard let next = [requested, own].compactMap(\.self).min() else { return false }
        guard delay > .zero else {
            postponed = nil
            return true
        }
        let time = now.wall + (next + delay).milliseconds
        // Both, where both would begin now.
        if requested == next { wish?.notBefore = time }
        if own == next { postponed = time }
        return true
    }

    /// Brings back what lies further ahead than it can: somebody has set the clock back, and nothing may wait for that long.
    mutating func correct(for task: KnownTask, at now: Int64) {
        if anchor > now + task.flex.milliseconds { anchor = now }
        if let time = retry {
            retry = min(time, now + TaskTimes.pause(afterFailures: .max, every: task.every).milliseconds)
        }
        postponed = postponed.map { min($0, now + TaskTimes.longestPostponement(of: task).milliseconds) }
        if let asked = wish { wish?.notBefore = min(asked.notBefore, now + TaskTimes.longestDelay.milliseconds) }
        if let time = begun, time > now { begun = now }
    }

    /// Begins a run.
    mutating func begin(_ task: KnownTask, at now: Int64) {
        runs += 1
        (begun, unwanted) = (now, nil)
        if let time = postponed, time <= now { postponed = nil }
        guard let every = task.every?.milliseconds, retry == nil || anchor + every <= now else { return }
        let due = anchor + every
        guard runs == 1 && task.runsAtStart || due - task.flex.milliseconds <= now else { return }
        // What begins early, or a little late, begins its next period where it would have: times do not wander. What was
        // missed is done once, and a whole period follows.
        anchor = due >= now - every / 2 && due - now <= task.flex.milliseconds ? due : now
        failures = 0
        retry = nil
    }

    /// A process that has begun it is no more.
    ///
    /// It may be the work that has ended the process, so it counts.
    mutating func lose(_ task: KnownTask, at now: Int64) {
        last = EndedRun(
            started: begun ?? now,
            ended: now,
            outcome: .interrupted,
            reason: "the runner ended while it ran"
        )
        (begun, unwanted) = (nil, nil)
        fail(task, at: now)
        guard let wish else { return }
        if let retry {
            self.wish?.notBefore = max(wish.notBefore, retry)
            self.retry = nil
        } else {
            fulfil(wish.number)
        }
    }

    /// Ends the run that has begun.
    mutating func end(_ task: KnownTask, _ outcome: TaskOutcome, _ reason: String?, wish number: Int?, at now: Int64) {
        last = EndedRun(started: begun ?? now, ended: now, outcome: outcome, reason: reason)
        (begun, unwanted) = (nil, nil)
        switch outcome {
        case .succeeded:
            (failures, retry, lastSuccess) = (0, nil, now)
            fulfil(number)
        case .failed, .timedOut:
            fail(task, at: now)
            fulfil(number)
        case .interrupted:
            let again = now + TaskTimes.pauseAfterInterruption.milliseconds
            if let number, wish?.number == number { wish?.notBefore = again } else { retry = again }
        case .cancelled:
            (failures, retry) = (0, nil)
            fulfil(number)
        }
    }

    private mutating func fail(_ task: KnownTask, at now: Int64) {
        failures += 1
        retry =
            failures < task.attempts
            ? now + TaskTimes.pause(afterFailures: failures, every: task.every).milliseconds : nil
    }

    /// A wish that came after the run began is not fulfilled by it.
    private mutating func fulfil(_ number: Int?) {
        guard let number, number > served else { return }
        served = number
        if let wish, wish.number <= number { self.wish = nil }
    }
}

extension Duration {
    /// In whole milliseconds.
    var milliseconds: Int64 { inMicroseconds / 1_000 }
}

extension Int64 {
    /// The difference, at the ends of the type where it lies beyond them.
    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (self > other ? .max / 2_000 : .min / 2_000) : difference
    }
}
