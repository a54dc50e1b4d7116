import Synchronization
import WireBase
import WireConfig
package import WireHTTP
package import WireService
import WireStateContract
import WireStore
import WireTelemetry

/// Stores the app's values, in the namespaces and within the limits of the file.
///
/// The store belongs to the group and outlives each generation; this service controls access to it. The local API and
/// code in the same process use the same functions.
package final class PersistenceService: Service {
    package typealias Settings = PersistenceSection

    /// The present settings; replaced as a whole, so that no request sees half of a change.
    final class Present: Sendable {
        let rules: PersistenceRules
        let host: ServiceHost

        init(rules: PersistenceRules, host: ServiceHost) {
            (self.rules, self.host) = (rules, host)
        }
    }

    private let state: Mutex<Present>
    let health: StoreHealth
    let fullness: Fullness
    let changes: MetricFamily<Counter>
    let ending = OneShot()

    private init(_ settings: PersistenceSection, _ host: ServiceHost) {
        state = Mutex(Present(rules: PersistenceRules(settings, in: host), host: host))
        health = StoreHealth(host)
        fullness = Fullness(host)
        changes = host.metrics.counters(
            "corewire_state_changes",
            "The number of changes of the app's store, by result.",
            by: ["outcome"]
        )
    }

    package static func prepare(_ settings: PersistenceSection, in host: ServiceHost) async throws -> PersistenceService
    {
        if let open = host.find(.openStore) { try open.check(settings, host) }
        return PersistenceService(settings, host)
    }

    /// Limits and lifetimes apply at once and change no stored entry; the location and the key apply at the start of
    /// the program.
    package static func effect(of new: PersistenceSection, after old: PersistenceSection) -> SettingsEffect {
        OpenStore(new) == OpenStore(old) ? .rebound : .restarted
    }

    package var abilities: [OfferedAbility] { [ServiceAbility.stateWriting.offered(by: OfferedState(service: self))] }

    package static let operations = StateRoutes.operations
    package var routes: [Route] { StateRoutes(service: self).routes }

    package func run() async throws {
        let host = present.host
        host.find(.clearings)?.join(PersistenceSection.name, StateClearing(service: self), in: host.registrations)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.health.keep() }
            group.addTask { await self.health.check() }
            group.addTask { await self.reseal() }
        }
    }

    package func rebind(to settings: PersistenceSection, in host: ServiceHost) async throws {
        let next = Present(rules: PersistenceRules(settings, in: host), host: host)
        state.withLock { $0 = next }
    }

    /// Ends watches, whose clients may reconnect.
    package func drain() async { ending.fire() }

    package func stop() async { ending.fire() }

    var present: Present { state.withLock { $0 } }
}
