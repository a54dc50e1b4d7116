import Synchronization
import WireAuthContract
import WireBackendContract
import WireBase
import WireConfig
import WireHTTP

/// The troubles of a network: those that the file wants all the time, and those that somebody asked for.
///
/// Which requests they meet follows from a seed and the number of the request alone, so that a test that failed fails again.
final class Trouble: Sendable {
    /// How long answers take, and which part of the requests fails.
    struct Settings: Sendable, Equatable {
        var latency: Duration
        var failureRate: Double
        var seed: Int
    }

    /// What becomes of a request.
    struct Fate: Sendable {
        var delay = Duration.zero
        /// The file's own failures.
        var fails = false
        var fault: OrderedFault?
    }

    private struct State {
        var settings: Settings
        /// How many requests were left to chance.
        var count: UInt64 = 0
        var faults: [OrderedFault] = []
        var lastID = 0
    }

    private let state: Mutex<State>
    private let released = Signal()
    private let clock: Clockwork

    /// How many faults there may be at once.
    static let limit = 64

    init(_ settings: Settings, _ clock: Clockwork) {
        state = Mutex(State(settings: settings))
        self.clock = clock
    }

    /// Takes other settings over; chance begins anew only where it is asked to.
    func become(_ settings: Settings) {
        state.withLock { state in
            if settings.seed != state.settings.seed { state.count = 0 }
            state.settings = settings
        }
    }

    /// What becomes of a request; of several faults that it meets, the one that was asked for last.
    func fate(of request: Request) -> Fate {
        let now = clock.monotonic()
        return state.withLock { state in
            var fate = Fate(delay: state.settings.latency)
            state.faults.removeAll { $0.isOver(at: now) }
            for index in state.faults.indices.reversed() where state.faults[index].isAbout(request) {
                guard state.faults[index].strikes() else { continue }
                fate.fault = state.faults[index]
                return fate
            }
            guard state.settings.failureRate > 0 else { return fate }
            defer { state.count += 1 }
            let seed = UInt64(bitPattern: Int64(state.settings.seed))
            fate.fails = SplitMix.part(of: seed, at: state.count) < state.settings.failureRate
            return fate
        }
    }

    // MARK: Faults on demand

    /// A fault that can begin, with a number of its own unless it has one from before; nil where there are too many.
    func fault(_ order: BackendFaultOrder, number: Int? = nil) -> OrderedFault? {
        let now = clock.monotonic()
        return state.withLock { state in
            state.faults.removeAll { $0.isOver(at: now) }
            guard state.faults.count < Self.limit else { return nil }
            let number = number ?? state.lastID + 1
            state.lastID = max(state.lastID, number)
            return OrderedFault(
                id: "f\(number)",
                order: order,
                seed: UInt64(bitPattern: Int64(order.seed ?? state.settings.seed)),
                ends: order.seconds.map { now + .seconds($0) }
            )
        }
    }

    func begin(_ fault: OrderedFault) {
        state.withLock { $0.faults.append(fault) }
    }

    /// The faults there are now.
    var faults: [BackendFault] {
        let now = clock.monotonic()
        return state.withLock { state in
            state.faults.removeAll { $0.isOver(at: now) }
            return state.faults.map { $0.told(at: now) }
        }
    }

    /// Ends a fault, or all of them; how many there were.
    func end(_ id: String? = nil) -> Int {
        let now = clock.monotonic()
        return state.withLock { state in
            state.faults.removeAll { $0.isOver(at: now) }
            let before = state.faults.count
            state.faults.removeAll { id == nil || $0.id == id }
            return before - state.faults.count
        }
    }

    // MARK: Requests that are kept waiting

    /// Returns when an address closes, or the task is cancelled because nobody waits for its answer any more.
    func swallow() async { await released.wait(after: released.count) }

    /// Lets go of all that are kept waiting.
    func release() { released.signal() }

    static func failure(_ reason: String, status: Status = .unavailable, retryAfter: Duration? = nil) -> Response {
        var response = Response.json(
            .members(["error": .string("temporarily_unavailable"), "error_description": .string(reason)]),
            status: status
        )
        if let retryAfter { response.fields.add("Retry-After", "\(retryAfter.components.seconds)") }
        return response.guarded()
    }
}
