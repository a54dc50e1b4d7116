import WireAuthContract
import WireBase
import WireConfig

/// What is kept of the lock of a session, for all processes of a group.
struct LockRecord: Sendable, Equatable {
    /// Whose lock it is: another session begins with none.
    var session: String
    /// A memory-hard hash of the PIN; nil until one is set.
    var pin: String?
    var isLocked = false
    /// Wrong attempts since the last right one, counted before they are judged.
    var failures = 0
    /// Attempts since then nobody could judge: they end no session, and make the wait longer.
    var unjudged = 0
    /// When the last one was, by the clock that counts from the start of the machine.
    var failed: Duration = .zero
    /// When somebody last used the session, by both clocks.
    var usedWall: Int64
    var usedMonotonic: Duration

    static let schema = 1

    /// What the machine has against it is no fault of whoever signs in: their wait grows to about a minute at the most.
    static let mostUnjudged = 6

    /// The attempt that was counted last could not be judged.
    mutating func takeBack() {
        failures = max(0, failures - 1)
        unjudged = min(unjudged + 1, Self.mostUnjudged)
    }

    var bytes: [UInt8] {
        let json = JSONValue.members([
            "schema": .integer(Self.schema), "session": .string(session), "pin": pin.map(JSONValue.string),
            "locked": .boolean(isLocked), "failures": .integer(failures),
            "unjudged": .integer(unjudged), "failed": .integer(Int(failed.inMicroseconds)),
            "usedWall": .integer(Int(usedWall)),
            "usedMonotonic": .integer(Int(usedMonotonic.inMicroseconds)),
        ])
        return json.bytes()
    }

    init(session: String, _ clock: Clockwork) {
        self.session = session
        usedWall = clock.wall()
        usedMonotonic = clock.monotonic()
    }

    /// Somebody has used the session.
    mutating func note(_ used: (wall: Int64, monotonic: Duration)) {
        usedWall = used.wall
        usedMonotonic = used.monotonic
    }

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, named: "lock"),
            let schema = json["schema"]?.integer, schema <= Self.schema,
            let session = json["session"]?.string, let isLocked = json["locked"]?.boolean,
            let failures = json["failures"]?.integer, let failed = json["failed"]?.integer,
            let wall = json["usedWall"]?.integer, let monotonic = json["usedMonotonic"]?.integer
        else { return nil }
        self.session = session
        pin = json["pin"]?.string
        self.isLocked = isLocked
        self.failures = failures
        unjudged = min(max(0, json["unjudged"]?.integer ?? 0), Self.mostUnjudged)
        self.failed = .microseconds(failed)
        usedWall = Int64(wall)
        usedMonotonic = .microseconds(monotonic)
    }
}

/// The rules of the lock: values in, values out.
struct LockRules: Sendable {
    let after: Duration
    let attempts: Int
    let method: UnlockMethod
    /// Where the file says so.
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

    /// Whether there is something to unlock it with: what locks must open again.
    func canLock(_ record: LockRecord) -> Bool { method == .pam || record.pin != nil }

    /// How long nobody has used the session, at the most.
    ///
    /// Where both clocks are behind what they were, the machine was started anew and does not know the time: nobody can
    /// say how long it was off, so it was long.
    func idle(since record: LockRecord, _ clock: Clockwork) -> Duration {
        let (wall, monotonic) = (clock.wall() - record.usedWall, clock.monotonic() - record.usedMonotonic)
        if wall < 0, monotonic < .zero { return after }
        return max(.zero, monotonic, .milliseconds(wall))
    }

    func mustLock(_ record: LockRecord, _ clock: Clockwork) -> Bool {
        canLock(record) && !record.isLocked && idle(since: record, clock) >= after
    }

    /// How long until it locks by itself if nobody uses it.
    func untilLocked(_ record: LockRecord, _ clock: Clockwork) -> Duration? {
        guard canLock(record), !record.isLocked else { return nil }
        return max(.zero, after - idle(since: record, clock))
    }

    /// How often it is written down that the session is used.
    var usePulse: Duration { min(.seconds(30), max(.milliseconds(500), after / 10)) }

    // MARK: Attempts

    /// How long after so many wrong attempts the next may be made: one second, doubled with each, a quarter of an hour at
    /// the most.
    static func delay(after failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        return min(.seconds(900), .seconds(1 << min(failures - 1, 10)))
    }

    /// How long the next attempt must still wait.
    ///
    /// The clock begins anew with the machine; where it is behind the last attempt, all of the delay is still to come, and
    /// whoever starts the machine again gains nothing.
    static func wait(_ record: LockRecord, _ clock: Clockwork) -> Duration { wait(record, at: clock.monotonic()) }

    static func wait(_ record: LockRecord, at now: Duration) -> Duration {
        let delay = delay(after: record.failures + record.unjudged)
        guard now >= record.failed else { return delay }
        return max(.zero, delay - (now - record.failed))
    }

    /// The record with its last attempt as of now, where the machine was started since; nil where it was not.
    static func rebased(_ record: LockRecord, _ clock: Clockwork) -> LockRecord? {
        guard record.failures + record.unjudged > 0, clock.monotonic() < record.failed else { return nil }
        var record = record
        record.failed = clock.monotonic()
        return record
    }

    /// Whether some text can be a PIN.
    static func isPIN(_ text: String) -> Bool {
        (4...12).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
