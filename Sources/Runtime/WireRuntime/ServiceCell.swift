import Synchronization
import WireBase
import WireConfig
package import WireRunnerContract
package import WireService

/// One service that runs, and what is known about it; generations that keep the service share its cell.
package final class ServiceCell: Sendable {
    package let name: String
    /// The generation that made it.
    package let generation: Int
    /// Whether it is there for whoever is signed in.
    package let needsUser: Bool
    /// What runs in it, once it does; nil where this build has nothing that does.
    let type: (any Service.Type)?
    /// Fired when it is to end.
    let stopRequested = OneShot()
    /// Fired when it has.
    let hasEnded = OneShot()
    /// What the service has registered with others.
    let registrations = Registrations()

    private struct State {
        var service: (any Service)?
        /// Whether it takes in no service any more.
        var isGivenUp = false
        var session: String?
        var candidate: Candidate
        var state = ServiceState.idle
        /// The state that was logged last.
        var logged = ServiceState.idle
        var since: Int64 = 0
        var restarts: Int
    }

    private let state: Mutex<State>
    private let flights = InFlightCount()
    /// Requests that have been led to it, from their heads on until their answers have left.
    let arrivals = InFlightCount()

    init(_ step: Plan.Step, of candidate: Candidate, generation: Int, restarts: Int = 0) {
        name = step.name
        needsUser = step.needsUser
        type = step.service
        self.generation = generation
        state = Mutex(State(candidate: candidate, restarts: restarts))
    }

    /// What the generation was made of that it works in now; one that keeps it says so when it takes over.
    var candidate: Candidate { state.withLock { $0.candidate } }

    /// Whether the rest may not run without it.
    package var isRequired: Bool { candidate.configuration.isRequired(name) }

    func work(in candidate: Candidate) { state.withLock { $0.candidate = candidate } }

    /// The session of the user it works for.
    var session: String? { state.withLock { $0.session } }

    func work(for user: SignedInUser?) { state.withLock { $0.session = user?.session } }

    /// The service, once it is prepared; nil for a section nothing runs for.
    package var service: (any Service)? { state.withLock { $0.service } }

    /// Takes in what was prepared; false where that came too late, and is to be stopped by who prepared it.
    func adopt(_ service: any Service) -> Bool {
        state.withLock { state in
            if !state.isGivenUp { state.service = service }
            return !state.isGivenUp
        }
    }

    /// Lets go of a service that was not prepared in time or did not start.
    func abandon() {
        registrations.end()
        state.withLock { ($0.service, $0.isGivenUp) = (nil, true) }
    }

    /// Takes a new state over; false where it is that already, or the service has ended meanwhile.
    ///
    /// With `stopped` nothing of the service is left here or with others. What a service is lent refers to its cell, so the two
    /// would keep each other in memory, and all that the service has made with them.
    @discardableResult
    func become(_ new: ServiceState, at time: Int64) -> Bool {
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

    /// Whether a state is another one than that which was logged last; from now on it is the last one.
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

    var isDoor: Bool { type?.traits.isDoor ?? false }

    // MARK: What is in flight

    func began() { flights.began() }

    func ended() { flights.ended() }

    /// Returns when nothing is in flight, or the task is cancelled.
    func idle() async {
        await arrivals.idle()
        await flights.idle()
    }
}
