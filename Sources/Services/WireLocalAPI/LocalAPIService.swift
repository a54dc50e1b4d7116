import Synchronization
import WireBase
import WireConfig
package import WireHTTP
package import WireService

/// The service of the local API: opens listeners and decides which requests callers may make.
///
/// The service is the same for all environments. A change of its settings never closes a listener whose address stays.
package final class LocalAPIService: Service {
    package typealias Settings = LocalAPISection

    private let host: ServiceHost
    private let facilities: LocalAPIFacilities
    private let accessControl: AccessControl
    private let sessions: ConsoleSessions
    private let state: Mutex<(open: OpenListeners, settings: LocalAPISection)>
    /// The opened listeners, for the task that runs them.
    private let opened: AsyncStream<any Listener>
    private let announce: AsyncStream<any Listener>.Continuation

    package static var traits: ServiceTraits {
        var traits = ServiceTraits()
        traits.spansEnvironments = true
        traits.acceptsRequests = true
        return traits
    }

    private init(_ settings: LocalAPISection, _ host: ServiceHost) throws {
        self.host = host
        facilities = try LocalAPIFacilities(host)
        sessions = ConsoleSessions(facilities.secrecy, clock: host.clock)
        let tokens = try facilities.tokens(settings, host)
        accessControl = AccessControl(
            settings,
            facilities,
            sessions,
            tokens: tokens,
            clock: host.clock,
            metrics: host.metrics
        )
        state = Mutex((try OpenListeners(settings, in: facilities, for: accessControl, at: host), settings))
        (opened, announce) = AsyncStream.makeStream()
    }

    package static func prepare(_ settings: LocalAPISection, in host: ServiceHost) async throws -> LocalAPIService {
        try LocalAPIService(settings, host)
    }

    package var abilities: [OfferedAbility] { [ServiceAbility.callerTokens.offered(by: accessControl)] }

    package static func effect(of new: LocalAPISection, after old: LocalAPISection) -> SettingsEffect { .rebound }

    package static let operations =
        HealthRoutes.operations + RunnerRoutes.operations + LogRoutes.operations
        + ClearRoutes.operations + ConsoleRoutes.operations

    package var routes: [Route] {
        let settings = state.withLock { $0.settings }
        var routes =
            HealthRoutes(control: facilities.control, metrics: host.metrics, run: host.find(.programRun)?.id).routes
            + RunnerRoutes(control: facilities.control, clock: host.clock).routes
            + LogRoutes(control: facilities.control, log: host.log).routes
            + ClearRoutes(clearings: host.find(.clearings), stores: host.stores, clock: host.clock, log: host.log)
            .routes
        if settings.console {
            routes +=
                ConsoleRoutes(sessions: sessions, secrecy: facilities.secrecy) { [self] in
                    state.withLock { $0.open.consoleAddress }
                }.routes
        }
        return routes
    }

    package func start() async throws {
        let (open, settings) = state.withLock { $0 }
        try facilities.folder.letOthersPass(settings.access.namesOthers)
        try open.start(open.listeners, settings, host)
        accessControl.answerTo(open.addresses)
        facilities.dispatcher.limitBodies(to: settings.limits.body)
        for listener in open.listeners { announce.yield(listener) }
    }

    package func run() async throws {
        await withDiscardingTaskGroup { group in
            for await listener in opened { group.addTask { await listener.run() } }
        }
    }

    package func rebind(to settings: LocalAPISection, in host: ServiceHost) async throws {
        let present = state.withLock { $0.open }
        let tokens = try facilities.tokens(settings, host)
        let next = try OpenListeners(settings, in: facilities, for: accessControl, at: host, keeping: present)
        let new = next.listeners(besides: present)
        do {
            try facilities.folder.letOthersPass(settings.access.namesOthers)
            try next.start(new, settings, host)
        } catch {
            for listener in new { await listener.stop(within: .zero) }
            throw error
        }
        for listener in new { announce.yield(listener) }
        accessControl.change(to: settings, tokens: tokens)
        accessControl.answerTo(next.addresses)
        facilities.dispatcher.limitBodies(to: settings.limits.body)
        state.withLock { $0 = (next, settings) }
        for listener in present.listeners(besides: next) { await listener.stop(within: .seconds(5)) }
    }

    package func stop() async {
        for listener in state.withLock({ $0.open.listeners }) { await listener.stop(within: .seconds(5)) }
        announce.finish()
    }
}
