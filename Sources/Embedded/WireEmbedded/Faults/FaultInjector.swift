import Synchronization
import WireAuthContract
import WireBackendContract
import WireBase
import WireConfig
import WireHTTP

/// The simulated network problems: the permanent ones of the file, and the faults injected at run time.
///
/// Which requests fail depends only on a seed and the number of the request, so that a failing test fails again.
final class FaultInjector: Sendable {
    /// The latency of responses, and the share of requests that fail.
    struct Settings: Sendable, Equatable {
        var latency: Duration
        var failureRate: Double
        var seed: Int
    }

    /// What happens to a request.
    struct Fate: Sendable {
        var delay = Duration.zero
        /// Whether the request fails by the failure rate of the file.
        var fails = false
        var fault: OrderedFault?
    }

    private struct State {
        var settings: Settings
        /// The number of requests to which the failure rate was applied.
        var count: UInt64 = 0
        var faults: [OrderedFault] = []
        var lastID = 0
    }

    private let state: Mutex<State>
    private let released = ChangeSignal()
    private let clock: TimeSource

    /// The largest number of faults at a time.
    static let limit = 64

    init(_ settings: Settings, _ clock: TimeSource) {
        state = Mutex(State(settings: settings))
        self.clock = clock
    }

    /// Applies new settings; the random sequence restarts only if the seed has changed.
    func update(_ settings: Settings) {
        state.withLock { state in
            if settings.seed != state.settings.seed { state.count = 0 }
            state.settings = settings
        }
    }

    /// Decides what happens to a request; of several faults that apply, the latest one counts.
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

    // MARK: Injected faults

    /// Creates a fault with a new number, or with its earlier one; returns nil where there are too many.
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

    /// The active faults.
    var faults: [BackendFault] {
        let now = clock.monotonic()
        return state.withLock { state in
            state.faults.removeAll { $0.isOver(at: now) }
            return state.faults.map { $0.report(at: now) }
        }
    }

    /// Ends a fault, or all of them; returns their number.
    func end(_ id: String? = nil) -> Int {
        let now = clock.monotonic()
        return state.withLock { state in
            state.faults.removeAll { $0.isOver(at: now) }
            let before = state.faults.count
            state.faults.removeAll { id == nil || $0.id == id }
            return before - state.faults.count
        }
    }

    // MARK: Black holes

    /// Returns when an address closes, or when the task is cancelled since the caller has disconnected.
    func swallow() async { await released.wait(after: released.count) }

    /// Releases all requests that are held back.
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
