import WireHTTP
import WireWorkContract

/// The stored state of a task, shared by all processes of a group.
///
/// Times are in milliseconds since 1970.
struct TaskRecord: Sendable, Equatable {
    /// A requested run.
    struct RequestedRun: Sendable, Equatable {
        var number: Int
        var asked: Int64
        var notBefore: Int64
        /// Whether the constraints are ignored.
        var isForced: Bool
    }

    /// The start of the present period.
    var anchor: Int64
    /// The start of a run without an end, in a live or a dead process.
    var begun: Int64?
    var last: EndedRun?
    var lastSuccess: Int64?
    /// The number of all runs.
    var runs = 0
    /// The id of the present occurrence, random, since machines may be copies of one.
    var occurrence: String?
    /// The number of consecutive failures in this period.
    var failures = 0
    /// The time of the next retry.
    var retry: Int64?
    /// The time before which no scheduled run begins.
    var postponed: Int64?
    var requestedRun: RequestedRun?
    /// The number of the cancelled run, for the process that runs it.
    var unwanted: Int?
    /// The number of the last request that was served or cancelled.
    var served = 0

    init(since moment: Int64) { anchor = moment }
}

extension TaskRecord: JSONRecord {
    static let form = JSONForm<Self>("TaskRecord", "The stored state of a task.", version: 1)

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        anchor = try members.required("anchor", \.anchor, "The start of the present period.", .moment)
        begun = try members.optional("begun", \.begun, "The start of the run in progress.", .moment)
        last = try members.optional("last", \.last, "The last run.")
        lastSuccess = try members.optional("lastSuccess", \.lastSuccess, "The time of the last success.", .moment)
        runs = try members.value("runs", \.runs, "The number of runs.", or: 0, .count)
        occurrence = try members.optional("occurrence", \.occurrence, "The id of the present occurrence.")
        failures = try members.value("failures", \.failures, "The number of consecutive failures.", or: 0, .count)
        retry = try members.optional("retry", \.retry, "The time of the next retry.", .moment)
        postponed = try members.optional("postponed", \.postponed, "The earliest scheduled run.", .moment)
        requestedRun = try members.optional("wish", \.requestedRun, "The requested run.")
        unwanted = try members.optional("unwanted", \.unwanted, "The number of the cancelled run.")
        served = try members.value(
            "served",
            \.served,
            "The number of the last finished request.",
            or: 0,
            .count
        )
    }
}

extension TaskRecord.RequestedRun: JSONRecord {
    static let form = JSONForm<Self>("TaskRequested", "A requested run.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        number = try members.required("number", \.number, "The number of the request.", .count)
        asked = try members.required("asked", \.asked, "The time of the request.", .moment)
        notBefore = try members.required("notBefore", \.notBefore, "The earliest start.", .moment)
        isForced = try members.value("forced", \.isForced, "Whether the constraints are ignored.", or: false)
    }
}
