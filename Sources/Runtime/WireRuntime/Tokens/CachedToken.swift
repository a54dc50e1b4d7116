import Synchronization
import WireBase
import WireConfig
import WireService

/// Caches the token of one source, and shares requests to the source between callers.
final class CachedToken: TokenSupply {
    private let source: TokenFetch
    private let timeLimit: Duration
    private let place: ValueOrigin?
    private let clock: TimeSource
    private let state = Mutex(State())

    private struct State {
        var kept: SuppliedToken?
        /// The file of the token, for a file source.
        var file: Files.Identity?
        var fault: Fault?
        var isRefused = false
        /// The number of consecutive failures, and the end of the backoff.
        var failures = 0
        var pauseEnd: Duration = .zero
        var flight: Flight?
    }

    /// One request to the source.
    private final class Flight: Sendable {
        let isOver = OneShot()
    }

    init(_ source: TokenFetch, timeLimit: Duration, place: ValueOrigin?, clock: TimeSource) {
        self.source = source
        self.timeLimit = timeLimit
        self.place = place
        self.clock = clock
    }

    var fault: Fault? { state.withLock { $0.fault } }

    func refused(_ token: SuppliedToken) async {
        state.withLock { state in
            if state.kept?.value.reveal() == token.value.reveal() { state.isRefused = true }
        }
    }

    func token(minimumLifetime: Duration) async throws(Fault) -> SuppliedToken {
        if let token = fresh(for: minimumLifetime) { return token }
        let (flight, isMine) = board()
        guard let flight else { return try second(after: fault) }
        if isMine { fly(flight) }
        await flight.isOver.wait()
        guard flight.isOver.hasFired else { throw told(Fault("cancelled")) }
        if let fault { return try second(after: fault) }
        guard let token = state.withLock({ $0.kept }) else { throw told(Fault("no token available")) }
        return token
    }

    /// The cached token, where it is valid long enough.
    private func fresh(for lifetime: Duration) -> SuppliedToken? {
        let (kept, file, isRefused) = state.withLock { ($0.kept, $0.file, $0.isRefused) }
        guard let kept, !isRefused else { return nil }
        // A file may change at any time, and checking is cheap.
        guard source.identity() == file else { return nil }
        guard let expires = kept.expires else { return kept }
        return expires - clock.wall() >= lifetime.milliseconds ? kept : nil
    }

    /// Joins the current request or starts one; nil during the backoff.
    private func board() -> (Flight?, isMine: Bool) {
        let now = clock.monotonic()
        return state.withLock { state in
            if let flight = state.flight { return (flight, false) }
            if state.fault != nil, now < state.pauseEnd { return (nil, false) }
            let flight = Flight()
            state.flight = flight
            return (flight, true)
        }
    }

    /// Requests a token from the source.
    ///
    /// The request is an unstructured task, because it belongs to all waiting callers: it neither ends with the first
    /// one nor keeps any past the timeout.
    private func fly(_ flight: Flight) {
        Task {
            do {
                let source = source
                // The identity before reading is compared later, to notice a change in between.
                let file = source.identity()
                let token = try await Deadline(limit: timeLimit, clock: clock).run { try await source.fetch() }
                land(flight) { state in
                    (state.kept, state.file, state.fault) = (token, file, nil)
                    (state.isRefused, state.failures) = (false, 0)
                }
            } catch {
                let isLate = if case Deadline.Missed.passed = error { true } else { false }
                let fault = told(isLate ? Fault("no token within \(timeLimit)") : Fault(error))
                let now = clock.monotonic()
                land(flight) { state in
                    state.fault = fault
                    state.pauseEnd = source.isCheap ? now : now + .seconds(min(60, 1 << min(6, state.failures)))
                    state.failures += 1
                }
            }
        }
    }

    private func land(_ flight: Flight, _ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            state.flight = nil
        }
        flight.isOver.fire()
    }

    /// The previous token while it is valid; one without an expiry does not count as valid.
    private func second(after fault: Fault?) throws(Fault) -> SuppliedToken {
        let (kept, isRefused) = state.withLock { ($0.kept, $0.isRefused) }
        if let kept, !isRefused, let expires = kept.expires, expires > clock.wall() { return kept }
        throw fault ?? told(Fault("no token available"))
    }

    private func told(_ fault: Fault) -> Fault {
        var fault = fault
        if fault.origin == nil { fault.origin = place }
        return fault
    }
}
