import Synchronization
import WireBase
import WireConfig
import WireService

/// One source of tokens: what it gave last, and whoever waits for what it gives next.
final class KeptToken: TokenSupply {
    private let source: TokenFetch
    private let timeLimit: Duration
    private let place: ValueOrigin?
    private let clock: Clockwork
    private let state = Mutex(State())

    private struct State {
        var kept: SuppliedToken?
        /// The file it was read from, where it is of one.
        var file: Files.Identity?
        var fault: Fault?
        var isRefused = false
        /// How often in a row the source failed, and until when it is left alone.
        var failures = 0
        var pauseEnd: Duration = .zero
        var flight: Flight?
    }

    /// One asking of the source.
    private final class Flight: Sendable {
        let isOver = OneShot()
    }

    init(_ source: TokenFetch, timeLimit: Duration, place: ValueOrigin?, clock: Clockwork) {
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
        guard flight.isOver.hasFired else { throw told(Fault("it was cancelled")) }
        if let fault { return try second(after: fault) }
        guard let token = state.withLock({ $0.kept }) else { throw told(Fault("there is no token")) }
        return token
    }

    /// What is kept, where that is as good as was wished.
    private func fresh(for lifetime: Duration) -> SuppliedToken? {
        let (kept, file, isRefused) = state.withLock { ($0.kept, $0.file, $0.isRefused) }
        guard let kept, !isRefused else { return nil }
        // A file may hold another one at any time; looking is cheap.
        guard source.identity() == file else { return nil }
        guard let expires = kept.expires else { return kept }
        return expires - clock.wall() >= lifetime.milliseconds ? kept : nil
    }

    /// Joins who asks already, or is the one to ask; nil while the source is left alone.
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

    /// Asks the source.
    ///
    /// A task of its own: it belongs to all who wait, and neither ends with the one that happened to be first nor keeps
    /// anybody past the time limit. It ends by itself, or with that limit.
    private func fly(_ flight: Flight) {
        Task {
            do {
                let source = source
                // What is seen before is compared later, so that a change in between is noticed.
                let file = source.identity()
                let token = try await Deadline(limit: timeLimit, clock: clock).run { try await source.fetch() }
                land(flight) { state in
                    (state.kept, state.file, state.fault) = (token, file, nil)
                    (state.isRefused, state.failures) = (false, 0)
                }
            } catch {
                let isLate = error is Deadline.Passed
                let fault = told(isLate ? Fault("it gave no token within \(timeLimit)") : Fault(error))
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

    /// The former token, while it is good; one that does not say until when it is good is not taken for that.
    private func second(after fault: Fault?) throws(Fault) -> SuppliedToken {
        let (kept, isRefused) = state.withLock { ($0.kept, $0.isRefused) }
        if let kept, !isRefused, let expires = kept.expires, expires > clock.wall() { return kept }
        throw fault ?? told(Fault("there is no token"))
    }

    private func told(_ fault: Fault) -> Fault {
        var fault = fault
        if fault.origin == nil { fault.origin = place }
        return fault
    }
}
