import Synchronization
import WireAddonContract
import WireBase
import WireConfig
import WireTelemetry

/// One add-on that takes part, whatever it is.
protocol AddonSeat: AnyObject, Sendable {
    var name: String { get }
    /// Another one each time it begins anew.
    var start: AddonStart { get }
    /// Where the file has it; nil for one the file knows nothing of.
    var origin: ValueOrigin? { get }
    /// What it hears now; nothing while it is not ready.
    var listens: AddonPoints { get }
    /// The questions it answers now.
    var answers: AddonPoints { get }
    /// What is refused where it does not answer.
    var decides: AddonPoints { get }
    var notebook: AddonNotebook { get }
    /// How it is.
    var standing: AddonReport { get }
    /// Returns at once; the line is what a program is told, made once for all of them.
    func tell(_ moment: AddonMoment, _ line: () -> [UInt8])
    /// Nil where it leaves everything as it is, or has not said otherwise in time.
    func ask(_ question: AddonQuestion) async -> AddonReply?
    /// Ends it, and starts it anew; false for what cannot be.
    func restart() -> Bool
}

/// Tells an add-on from what it was before it began anew, or before another took its name.
struct AddonStart: Hashable {
    private static let last = Atomic<Int>(0)
    private let number = Self.last.add(1, ordering: .relaxed).newValue
}

/// What an add-on has done, and what was done without it.
struct AddonCounts: Sendable {
    let told: Counter
    let dropped: Counter
    let answered: Counter
    let late: Counter
    /// Questions it was not asked, since it had not answered earlier ones.
    let skipped: Counter

    init(_ name: String, _ metrics: Metrics) {
        func counter(_ what: String, _ help: String) -> Counter {
            metrics.counters("corewire_addon_\(what)", help, by: ["addon"]).with(name)
        }
        told = counter("told", "What add-ons were told.")
        dropped = counter("dropped", "What add-ons were not told, since they were too slow.")
        answered = counter("answered", "Questions that add-ons have answered in time.")
        late = counter("late", "Questions that add-ons have not answered in time.")
        skipped = counter("skipped", "Questions that add-ons were not asked, since they had not answered earlier ones.")
    }
}

extension AddonReport {
    mutating func count(_ counts: AddonCounts) {
        (told, dropped) = (Int(counts.told.value), Int(counts.dropped.value))
        (answered, late) = (Int(counts.answered.value), Int(counts.late.value))
        skipped = Int(counts.skipped.value)
    }
}
