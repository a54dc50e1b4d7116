import Synchronization
import WireBase
import WireConfig
package import WireHTTP
package import WireService

/// The local API: opens its doors, and decides who may ask what of the generation that runs.
///
/// It serves all environments alike. A change of its settings never closes a door that stays where it is.
package final class LocalAPIService: Service {
    package typealias Settings = LocalAPISection

    private struct State {
        var open: OpenDoors
        var settings: LocalAPISection
    }

    private let host: ServiceHost
    private let facilities: LocalAPIFacilities
    private let porter: Porter
    private let sessions: ConsoleSessions
    private let state: Mutex<State>

    package static var traits: ServiceTraits {
        var traits = ServiceTraits()
        traits.spansEnvironments = true
        return traits
    }

    private init(_ settings: LocalAPISection, _ host: ServiceHost) throws {
        self.host = host
        facilities = try LocalAPIFacilities(host)
        sessions = ConsoleSessions(facilities.confidences, clock: host.clock)
        let tokens = try facilities.tokens(settings, host)
        porter = Porter(settings, facilities, sessions, tokens: tokens, clock: host.clock)
        let open = try OpenDoors(settings, in: facilities, for: porter, at: host)
        porter.answerTo(open.addresses)
        state = Mutex(State(open: open, settings: settings))
    }

    package static func prepare(_ settings: LocalAPISection, in host: ServiceHost) async throws -> LocalAPIService {
        try LocalAPIService(settings, host)
    }

    package static func effect(of new: LocalAPISection, after old: LocalAPISection) -> SettingsEffect { .rebound }

    package var routes: [Route] {
        let settings = state.withLock { $0.settings }
        var routes =
            HealthRoutes(control: facilities.control, metrics: host.metrics).routes
            + RunnerRoutes(control: facilities.control, clock: host.clock).routes
            + [ConsoleRoutes.link(sessions, state.withLock { $0.open.consoleAddress })]
        if settings.console { routes += ConsoleRoutes(sessions: sessions, confidences: facilities.confidences).routes }
        return routes
    }

    package func start() async throws {
        for listener in state.withLock({ $0.open.listeners }) { try listener.start() }
    }

    package func rebind(to settings: LocalAPISection, in host: ServiceHost) async throws {
        let present = state.withLock { $0.open }
        let tokens = try facilities.tokens(settings, host)
        let next = try OpenDoors(settings, in: facilities, for: porter, at: host, keeping: present)
        do {
            for listener in next.listeners(besides: present) { try listener.start() }
        } catch {
            for listener in next.listeners(besides: present) { await listener.stop(within: .zero) }
            throw error
        }
        porter.change(to: settings, tokens: tokens)
        porter.answerTo(next.addresses)
        state.withLock { $0 = State(open: next, settings: settings) }
        for listener in present.listeners(besides: next) { await listener.stop(within: .seconds(5)) }
    }

    package func stop() async {
        for listener in state.withLock({ $0.open.listeners }) { await listener.stop(within: .seconds(5)) }
    }
}
