import WireHTTP
import WireWorkContract

/// What is kept of a task, for all processes of a group: when it ran, and what it came to.
///
/// Times are in milliseconds since 1970.
struct TaskRecord: Sendable, Equatable {
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
    var last: EndedRun?
    var lastSuccess: Int64?
    /// How many runs have begun in all.
    var runs = 0
    /// How often it has failed in a row since its time came.
    var failures = 0
    /// When it is tried again.
    var retry: Int64?
    /// Before which no run begins that comes by itself.
    var postponed: Int64?
    var wish: Wish?
    /// The number of the run that nobody wants any more, told to whoever does it.
    var unwanted: Int?
    /// The number of the latest wish that was fulfilled or given up.
    var served = 0

    init(since moment: Int64) { anchor = moment }
}

extension TaskRecord: JSONRecord {
    static let form = JSONForm<Self>("TaskRecord", "What is kept of a task.", version: 1)

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        anchor = try members.required("anchor", \.anchor, "When its present period began.", .moment)
        begun = try members.optional("begun", \.begun, "When the run began that has not ended.", .moment)
        last = try members.optional("last", \.last, "Its last run.")
        lastSuccess = try members.optional("lastSuccess", \.lastSuccess, "When it last succeeded.", .moment)
        runs = try members.value("runs", \.runs, "How many runs have begun.", or: 0, .count)
        failures = try members.value("failures", \.failures, "How many runs in a row have failed.", or: 0, .count)
        retry = try members.optional("retry", \.retry, "When it is tried again.", .moment)
        postponed = try members.optional("postponed", \.postponed, "Before which none begins by itself.", .moment)
        wish = try members.optional("wish", \.wish, "The run that was asked for.")
        unwanted = try members.optional("unwanted", \.unwanted, "The number of the run to be cancelled.")
        served = try members.value(
            "served",
            \.served,
            "The number of the last request that is done with.",
            or: 0,
            .count
        )
    }
}

extension TaskRecord.Wish: JSONRecord {
    static let form = JSONForm<Self>("TaskRequested", "A run that was asked for.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        number = try members.required("number", \.number, "Its number among all that were asked for.", .count)
        asked = try members.required("asked", \.asked, "When it was asked for.", .moment)
        notBefore = try members.required("notBefore", \.notBefore, "When it may begin.", .moment)
        isForced = try members.value("forced", \.isForced, "Whether it runs whatever it needs.", or: false)
    }
}
