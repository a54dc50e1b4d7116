import Synchronization
import WireAddonContract
import WireBase
import WireConfig
import WireTelemetry

/// An add-on: a program, or code of the embedding program.
protocol AddonConnection: AnyObject, Sendable {
    var name: String { get }
    /// Changes with each restart.
    var start: AddonStart { get }
    /// Its place in the file; nil for code of the program.
    var origin: ValueOrigin? { get }
    /// The points it listens to; none while it is not ready.
    var listens: AddonPoints { get }
    /// The points it answers.
    var answers: AddonPoints { get }
    /// The points at which a missing answer is a refusal.
    var decides: AddonPoints { get }
    var addonLog: AddonLog { get }
    /// Its present state.
    var currentReport: AddonReport { get }
    /// Informs it without waiting; the line for programs is made once for all of them.
    func notify(_ moment: AddonMoment, _ line: () -> [UInt8])
    /// Returns its reply; nil where it changes nothing or has not answered in time.
    func ask(_ question: AddonQuestion) async -> AddonReply?
    /// Restarts it; false where that is not possible.
    func restart() -> Bool
}

/// Identifies a start of an add-on.
struct AddonStart: Hashable {
    private static let last = Atomic<Int>(0)
    private let number = Self.last.add(1, ordering: .relaxed).newValue
}

/// The counters of an add-on.
struct AddonCounts: Sendable {
    let notified: Counter
    let dropped: Counter
    let answered: Counter
    let late: Counter
    /// Questions that were not asked because earlier ones are unanswered.
    let skipped: Counter

    init(_ name: String, _ metrics: Metrics) {
        func counter(_ what: String, _ help: String) -> Counter {
            metrics.counters("corewire_addon_\(what)", help, by: ["addon"]).with(name)
        }
        notified = counter("told", "The number of messages to add-ons.")
        dropped = counter("dropped", "The number of messages dropped because an add-on was too slow.")
        answered = counter("answered", "The number of hook calls with a reply in time.")
        late = counter("late", "The number of hook calls that timed out.")
        skipped = counter("skipped", "The number of questions skipped because earlier ones were unanswered.")
    }
}

extension AddonReport {
    mutating func count(_ counts: AddonCounts) {
        (notified, dropped) = (Int(counts.notified.value), Int(counts.dropped.value))
        (answered, late) = (Int(counts.answered.value), Int(counts.late.value))
        skipped = Int(counts.skipped.value)
    }
}
