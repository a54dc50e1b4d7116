import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
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
    var standing: AddonStanding { get }
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

/// How an add-on is, as it is told.
struct AddonStanding: Sendable {
    enum State: String, Sendable, JSONWord {
        /// It was started, and has not said that it is ready.
        case starting
        case ready
        /// It has not answered in time, and is asked nothing more until it does.
        case hanging
        /// It has ended, and is started again in a while.
        case resting
        /// It has ended, and stays so.
        case ended
    }

    enum Kind: String, Sendable, JSONWord {
        case program, code
    }

    var name: String
    var kind: Kind
    var state: State
    var isRequired: Bool
    var process: Int?
    var version: String?
    var hooks: [String]
    var answers: [String]
    var counts: AddonCounts
    var restarts: Int
    /// What went wrong last.
    var trouble: String?
    var origin: ValueOrigin?
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

extension AddonStanding: JSONObject {
    static let shape = JSONShape<Self>(
        "Addon",
        "An add-on, and how it is.",
        [
            .member("name", "Its name.") { $0.name },
            .member("kind", "'program' for one of the file, 'code' for one of the program around the runner.") {
                $0.kind
            },
            .member("state", "How it is.") { $0.state },
            .member("required", "Whether the runner fails to start without it.") { $0.isRequired },
            .member("pid", "The number of its process.") { $0.process },
            .member("version", "Its version, as it says.") { $0.version },
            .member("hooks", "What it is told about.") { $0.hooks },
            .member("answers", "What it is asked about.") { $0.answers },
            .member("told", "How much it was told.", as: .count()) { Int($0.counts.told.value) },
            .member("dropped", "How much it was not told, since it was too slow.", as: .count()) {
                Int($0.counts.dropped.value)
            },
            .member("answered", "How many questions it answered in time.", as: .count()) {
                Int($0.counts.answered.value)
            },
            .member("late", "How many it did not.", as: .count()) { Int($0.counts.late.value) },
            .member("skipped", "How many it was not asked, since it had not answered.", as: .count()) {
                Int($0.counts.skipped.value)
            },
            .member("restarts", "How often it was started again.", as: .count()) { $0.restarts },
            .member("trouble", "What went wrong last.") { $0.trouble },
            .member("config", "Where the file has it.") { $0.origin },
        ]
    )
}
