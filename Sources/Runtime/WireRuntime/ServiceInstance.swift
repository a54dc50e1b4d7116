import Synchronization
import WireBase
import WireConfig
package import WireRunnerContract
package import WireService

/// A running service with its state; generations that keep the service share its instance.
package final class ServiceInstance: Sendable {
    package let name: String
    /// The generation that created the service.
    package let generation: Int
    /// Whether it works for the signed-in user.
    package let needsUser: Bool
    /// The service type; nil where this build has none.
    let type: (any Service.Type)?
    /// Fires when the service must end.
    let stopRequested = OneShot()
    /// Fires when the service has ended.
    let hasEnded = OneShot()
    /// The service's registrations with others.
    let registrations = Registrations()
    /// The turn to report its state.
    let reports = ReportOrder()

    private struct State {
        var service: (any Service)?
        /// Whether the instance accepts no service any more.
        var isGivenUp = false
        var session: String?
        var candidate: Candidate
        var state = ServiceState.idle
        /// The last logged state.
        var logged = ServiceState.idle
        var since: Int64 = 0
        var restarts: Int
    }

    private let state: Mutex<State>
    private let flights = InFlightCount()
    /// The routed requests, from their heads until their responses are sent.
    let arrivals = InFlightCount()

    init(_ step: Plan.Step, of candidate: Candidate, generation: Int, restarts: Int = 0) {
        name = step.name
        needsUser = step.needsUser
        type = step.service
        self.generation = generation
        state = Mutex(State(candidate: candidate, restarts: restarts))
    }

    /// The candidate of the generation in which the service works now.
    var candidate: Candidate { state.withLock { $0.candidate } }

    /// Whether the runner must not run without it.
    package var isRequired: Bool { candidate.configuration.isRequired(name) }

    func work(in candidate: Candidate) { state.withLock { $0.candidate = candidate } }

    /// The session of the user it works for.
    var session: String? { state.withLock { $0.session } }

    func work(for user: SignedInUser?) { state.withLock { $0.session = user?.session } }

    /// The service, once it is prepared; nil for a section without a service.
    package var service: (any Service)? { state.withLock { $0.service } }

    /// Stores a prepared service; false where it is too late and the caller must stop the service.
    func adopt(_ service: any Service) -> Bool {
        state.withLock { state in
            if !state.isGivenUp { state.service = service }
            return !state.isGivenUp
        }
    }

    /// Releases a service that was not prepared in time or did not start.
    func abandon() {
        registrations.end()
        state.withLock { ($0.service, $0.isGivenUp) = (nil, true) }
    }

    /// Sets the state; false where it is unchanged, or the service has ended.
    ///
    /// With `stopped`, all references to the service are released here and at others, since the facilities of a service
    /// refer to its instance, and a reference cycle would keep both in memory.
    @discardableResult
    func transition(_ new: ServiceState, at time: Int64) -> Bool {
        if case .stopped = new { registrations.end() }
        return state.withLock { state in
            if case .stopped = state.state { return false }
            if state.state.name == new.name, state.state.reason == new.reason { return false }
            state.state = new
            state.since = time
            if case .stopped = new { state.service = nil }
            return true
        }
    }

    /// Whether a state differs from the last logged one; records it as logged.
    func logs(_ new: ServiceState) -> Bool {
        state.withLock { state in
            defer { state.logged = new }
            return state.logged.name != new.name || state.logged.reason != new.reason
        }
    }

    package var current: ServiceState { state.withLock { $0.state } }

    package var restarts: Int { state.withLock { $0.restarts } }

    package var inFlight: Int { flights.present }

    package var status: ServiceStatus {
        let (now, since, restarts) = state.withLock { ($0.state, $0.since, $0.restarts) }
        return ServiceStatus(
            name: name,
            state: now,
            isRequired: isRequired,
            generation: generation,
            since: since,
            inFlight: inFlight,
            restarts: restarts
        )
    }

    var acceptsRequests: Bool { type?.traits.acceptsRequests ?? false }

    // MARK: In flight

    func began() { flights.began() }

    func ended() { flights.ended() }

    /// Waits until nothing is in flight, or the task is cancelled.
    func idle() async {
        await arrivals.idle()
        await flights.idle()
    }
}
