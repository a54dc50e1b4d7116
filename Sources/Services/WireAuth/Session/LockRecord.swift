import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

/// The stored state of a session's lock, shared by all processes of a group.
struct LockRecord: Sendable, Equatable {
    /// The session of the lock; another session begins without one.
    var session: String
    /// A memory-hard hash of the PIN; nil until one is set.
    var pin: String?
    var isLocked = false
    /// Wrong attempts since the last right one, counted before they are checked.
    var failures = 0
    /// Attempts that could not be checked: they end no session, and lengthen the delay.
    var unjudged = 0
    /// The time of the last attempt, on the monotonic clock.
    var failed: Duration = .zero
    /// The time of the last use of the session, on both clocks.
    var usedWall: Int64
    var usedMonotonic: Duration
    /// The start of the monotonic clock.
    var boot: String?

    /// How far a wall clock may be behind after a restart.
    private static let skew = Duration.seconds(60)

    /// The user is not to blame for failures of the machine: their delay grows to about a minute at most.
    static let mostUnjudged = 6

    /// Reclassifies the last counted attempt as unchecked.
    mutating func takeBack() {
        failures = max(0, failures - 1)
        unjudged = min(unjudged + 1, Self.mostUnjudged)
    }

    init(session: String, _ clock: TimeSource) {
        self.session = session
        usedWall = clock.wall()
        usedMonotonic = clock.monotonic()
        boot = clock.boot
    }

    /// The record by the monotonic clock of this machine, where another machine has stored it, or this one before a
    /// restart.
    ///
    /// Where the idle time is not known, the last use is that by the wall clock; at the start, a use in the future leaves
    /// the idle time unknown. The delay after wrong attempts begins again.
    func converted(to clock: TimeSource, atStart: Bool = false, idle known: Duration? = nil) -> LockRecord {
        guard boot != clock.boot else { return self }
        var record = self
        let now = clock.monotonic()
        if let known {
            record.usedWall = clock.wall() - known.inMicroseconds / 1_000
            record.usedMonotonic = now - known
        } else {
            let idle = Duration.milliseconds(clock.wall() - usedWall)
            record.usedMonotonic = now - (atStart && idle + Self.skew < .zero ? idle : max(.zero, idle))
        }
        // In the future, so that the attempt counts as one before a restart.
        if failures + unjudged > 0 { record.failed = now + .seconds(1) }
        record.boot = clock.boot
        return record
    }

    /// Records a use of the session.
    mutating func record(_ used: (wall: Int64, monotonic: Duration)) {
        usedWall = used.wall
        usedMonotonic = used.monotonic
    }
}

extension LockRecord: JSONRecord {
    static let form = JSONForm<Self>("StoredLock", "A lock as it is stored.", version: 1, as: "schema")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        session = try members.required("session", \.session, "The session of the lock.")
        pin = try members.optional("pin", \.pin, "The hash of the PIN.")
        isLocked = try members.required("locked", \.isLocked, "Whether the lock is closed.")
        failures = try members.required("failures", \.failures, "The number of wrong attempts.")
        let unjudged = try members.value("unjudged", \.unjudged, "The number of unchecked attempts.", or: 0)
        self.unjudged = min(max(0, unjudged), Self.mostUnjudged)
        failed = .microseconds(
            try members.required(
                "failed",
                { $0.failed.inMicroseconds },
                "The monotonic clock at the last attempt, in microseconds."
            )
        )
        usedWall = try members.required("usedWall", \.usedWall, "The wall clock at the last use of the session.")
        usedMonotonic = .microseconds(
            try members.required(
                "usedMonotonic",
                { $0.usedMonotonic.inMicroseconds },
                "The monotonic clock at the last use, in microseconds."
            )
        )
        boot = try members.optional("boot", \.boot, "The start of the monotonic clock.")
    }
}

extension Repository.Stored where Record == LockRecord {
    /// The record by the monotonic clock of this machine.
    func converted(to clock: TimeSource, atStart: Bool = false, idle: Duration? = nil) -> Self {
        Self(record: record.converted(to: clock, atStart: atStart, idle: idle), version: version)
    }
}

/// The rules of the lock, as pure functions.
struct LockRules: Sendable {
    let after: Duration
    let attempts: Int
    let method: UnlockMethod
    /// The place of the rules in the file.
    var origin: ValueOrigin?

    init(after: Duration, attempts: Int, method: UnlockMethod = .pin) {
        self.after = after
        self.attempts = attempts
        self.method = method
    }

    init(_ settings: SessionLock, _ origin: ValueOrigin?) {
        self.init(after: settings.after, attempts: settings.attempts, method: settings.method)
        self.origin = origin
    }

    /// Whether a session with this record can be unlocked, and so may be locked.
    func canLock(_ record: LockRecord) -> Bool { method == .pam || record.pin != nil }

    /// The maximum time since the last use of the session.
    ///
    /// Where both clocks are behind their stored values, the machine was restarted and does not know the time: the idle
    /// time is unknown and counts as long.
    func idle(since record: LockRecord, _ clock: TimeSource) -> Duration {
        let (wall, monotonic) = (clock.wall() - record.usedWall, clock.monotonic() - record.usedMonotonic)
        if wall < 0, monotonic < .zero { return after }
        return max(.zero, monotonic, .milliseconds(wall))
    }

    func mustLock(_ record: LockRecord, _ clock: TimeSource) -> Bool {
        canLock(record) && !record.isLocked && idle(since: record, clock) >= after
    }

    /// The time until the session locks without further use.
    func untilLocked(_ record: LockRecord, _ clock: TimeSource) -> Duration? {
        guard canLock(record), !record.isLocked else { return nil }
        return max(.zero, after - idle(since: record, clock))
    }

    /// The interval at which uses of the session are stored.
    var usePulse: Duration { min(.seconds(30), max(.milliseconds(500), after / 10)) }

    // MARK: Attempts

    /// The delay after a number of wrong attempts: one second, doubled with each, a quarter of an hour at most.
    static func delay(after failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        return min(.seconds(900), .seconds(1 << min(failures - 1, 10)))
    }

    /// The remaining delay before the next attempt.
    ///
    /// The monotonic clock restarts with the machine. Where it is behind the last attempt, the whole delay is still
    /// ahead, so that a restart of the machine does not shorten it.
    static func wait(_ record: LockRecord, _ clock: TimeSource) -> Duration { wait(record, at: clock.monotonic()) }

    static func wait(_ record: LockRecord, at now: Duration) -> Duration {
        let delay = delay(after: record.failures + record.unjudged)
        guard now >= record.failed else { return delay }
        return max(.zero, delay - (now - record.failed))
    }

    /// The record with its last attempt as of now, after a restart of the machine; nil without one.
    static func rebased(_ record: LockRecord, _ clock: TimeSource) -> LockRecord? {
        guard record.failures + record.unjudged > 0, clock.monotonic() < record.failed else { return nil }
        var record = record
        record.failed = clock.monotonic()
        return record
    }

    /// Whether a text is a valid PIN.
    static func isPIN(_ text: String) -> Bool {
        (4...12).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
