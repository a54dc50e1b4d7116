import WireConfig

/// What is kept of a task, for all processes of a group: when it ran, and what it came to.
///
/// Times are in milliseconds since 1970.
struct TaskRecord: Sendable, Equatable {
    /// How a run ended.
    enum Outcome: String, Sendable, CaseIterable {
        case succeeded, failed, timedOut
        /// What it needs went away, or the runner ended.
        case interrupted
        /// Somebody did not want it any more.
        case cancelled
    }

    /// A run that has ended.
    struct Run: Sendable, Equatable {
        var started: Int64
        var ended: Int64
        var outcome: Outcome
        var reason: String?
    }

    /// A run that somebody wants beside those that come by themselves.
    struct Wish: Sendable, Equatable {
        var number: Int
        var asked: Int64
        var notBefore: Int64
        /// Whether it is done whatever it needs.
        var isForced: Bool
    }

    /// When its present period began.
    var anchor: Int64
    /// When the run began that nobody has ended; that of a process which is no more, or is at it.
    var begun: Int64?
    var last: Run?
    var lastSuccess: Int64?
    /// How many runs have begun in all.
    var runs = 0
    /// How often it has failed in a row since its time came.
    var failures = 0
    /// When it is tried again.
    var retry: Int64?
    var wish: Wish?
    /// The number of the run that nobody wants any more, told to whoever does it.
    var unwanted: Int?
    /// The number of the latest wish that was fulfilled or given up.
    var served = 0

    init(since moment: Int64) { anchor = moment }
}

extension TaskRecord {
    /// The form of what is written.
    private static let version = 1

    var bytes: [UInt8] {
        let json = JSONValue.members([
            "version": .integer(Self.version), "anchor": anchor.json, "begun": begun?.json,
            "last": last.map { run in
                .members([
                    "started": run.started.json, "ended": run.ended.json, "outcome": .string(run.outcome.rawValue),
                    "reason": run.reason.map(JSONValue.string),
                ])
            },
            "lastSuccess": lastSuccess?.json, "runs": .integer(runs), "failures": .integer(failures),
            "retry": retry?.json,
            "wish": wish.map { wish in
                .members([
                    "number": .integer(wish.number), "asked": wish.asked.json, "notBefore": wish.notBefore.json,
                    "forced": .boolean(wish.isForced),
                ])
            },
            "unwanted": unwanted.map(JSONValue.integer), "served": .integer(served),
        ])
        return json.bytes()
    }

    /// Nil for what this program has not written.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, named: "task"), json["version"]?.integer == Self.version,
            let anchor = json.moment("anchor")
        else { return nil }
        self.anchor = anchor
        begun = json.moment("begun")
        if let run = json["last"], let started = run.moment("started"), let ended = run.moment("ended"),
            let outcome = run["outcome"]?.string.flatMap(Outcome.init)
        {
            last = Run(started: started, ended: ended, outcome: outcome, reason: run["reason"]?.string)
        }
        lastSuccess = json.moment("lastSuccess")
        runs = max(0, json["runs"]?.integer ?? 0)
        failures = max(0, json["failures"]?.integer ?? 0)
        retry = json.moment("retry")
        if let wish = json["wish"], let number = wish["number"]?.integer, let asked = wish.moment("asked"),
            let notBefore = wish.moment("notBefore")
        {
            let isForced = wish["forced"]?.boolean ?? false
            self.wish = Wish(number: number, asked: asked, notBefore: notBefore, isForced: isForced)
        }
        unwanted = json["unwanted"]?.integer
        served = max(0, json["served"]?.integer ?? 0)
    }
}

extension Int64 {
    fileprivate var json: JSONValue { .integer(Int(self)) }
}

extension JSONValue {
    /// A moment that calculations with durations cannot carry out of its type.
    fileprivate func moment(_ name: String) -> Int64? {
        self[name]?.integer.flatMap { (-(1 << 53)...(1 << 53)).contains($0) ? Int64($0) : nil }
    }
}
