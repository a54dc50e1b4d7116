import Synchronization
import WireBase
import WireConfig
package import WireHTTP
import WireSecrets
package import WireService
import WireStore
import WireTelemetry

/// The servers built in: what runs for `backends`, where the environment is embedded.
///
/// It serves all environments alike, and in those that are not embedded it does nothing and listens nowhere. A change of
/// its settings ends no session, and closes no address that stays what it is.
package final class BackendsService: Service {
    package typealias Settings = BackendsSection

    private struct State {
        var issuer: Issuer?
        var door: IssuerDoor?
        /// Whether the environment of now is embedded.
        var isServing = false
    }

    private let state = Mutex(State())
    private let prepared: Prepared
    private let opened: AsyncStream<any Listener>
    private let announce: AsyncStream<any Listener>.Continuation

    private struct Prepared: Sendable {
        let settings: BackendsSection
        let host: ServiceHost
    }

    package static var traits: ServiceTraits {
        var traits = ServiceTraits()
        traits.spansEnvironments = true
        return traits
    }

    private init(_ settings: BackendsSection, _ host: ServiceHost) {
        prepared = Prepared(settings: settings, host: host)
        (opened, announce) = AsyncStream.makeStream()
    }

    package static func prepare(_ settings: BackendsSection, in host: ServiceHost) async throws -> BackendsService {
        let service = BackendsService(settings, host)
        if host.facts.backend == .embedded {
            let issuer = try await service.makeIssuer(settings, host)
            service.state.withLock { ($0.issuer, $0.isServing) = (issuer, true) }
        }
        return service
    }

    package static func effect(of new: BackendsSection, after old: BackendsSection) -> SettingsEffect { .rebound }

    package var abilities: [OfferedAbility] {
        let state = state.withLock { $0 }
        guard state.isServing, let issuer = state.issuer else { return [] }
        return [Ability.embeddedIssuer.offered(by: issuer)]
    }

    package static let operations = BackendRoutes.operations
    package var routes: [Route] { BackendRoutes { [self] in state.withLock { $0.isServing ? $0.issuer : nil } }.routes }

    // MARK: Life

    package func start() async throws {
        guard let issuer = state.withLock({ $0.issuer }) else {
            prepared.host.report(.inert(Self.reasonToRest))
            return
        }
        try await open(issuer, prepared.settings, prepared.host)
    }

    package func run() async throws {
        let clock = prepared.host.clock
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepKeysYoung(clock) }
            for await listener in opened { group.addTask { await listener.run() } }
            group.cancelAll()
        }
    }

    private func keepKeysYoung(_ clock: Clockwork) async {
        while (try? await clock.sleep(.seconds(3_600))) != nil {
            guard let issuer = state.withLock({ $0.isServing ? $0.issuer : nil }) else { continue }
            do {
                try await issuer.rotateKeys(always: false)
            } catch {
                prepared.host.log.warning("no new key", ["reason": .text("\(error)")])
            }
        }
    }

    package func rebind(to settings: BackendsSection, in host: ServiceHost) async throws {
        let (known, door) = state.withLock { ($0.issuer, $0.door) }
        guard host.facts.backend == .embedded else {
            state.withLock { ($0.door, $0.isServing) = (nil, false) }
            await door?.listener.stop(within: .seconds(5))
            host.report(.inert(Self.reasonToRest))
            return
        }
        let issuer: Issuer
        if let known {
            issuer = known
            let address = known.present
            try await known.become(present(settings, host, keeping: address, known.machine))
        } else {
            issuer = try await makeIssuer(settings, host)
            state.withLock { $0.issuer = issuer }
        }
        issuer.trouble.become(settings.trouble)
        state.withLock { $0.isServing = true }
        try await open(issuer, settings, host)
        host.report(.well)
    }

    package func stop() async {
        let door = state.withLock { state in
            defer { state.door = nil }
            return state.door
        }
        await door?.listener.stop(within: .seconds(5))
        announce.finish()
    }

    private static let reasonToRest = "the environment has servers of its own, these are for 'backend: embedded' only"

    // MARK: Parts

    private func makeIssuer(_ settings: BackendsSection, _ host: ServiceHost) async throws -> Issuer {
        guard let secrecy = host.find(.secrecy), let signatures = host.find(.signatures) else {
            throw MissingCapability("this program lends no signatures to its services")
        }
        let machine = Machine(secrecy: secrecy, signatures: signatures, clock: host.clock)
        let present = try await present(settings, host, keeping: nil, machine)
        let trouble = Trouble(settings.trouble)
        return try Issuer(present, machine: machine, trouble: trouble, log: host.log)
    }

    private func present(
        _ settings: BackendsSection,
        _ host: ServiceHost,
        keeping old: Issuer.Present?,
        _ machine: Machine
    ) async throws -> Issuer.Present {
        let records = IssuerRecords(
            host.stores.values,
            clock: host.clock,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope
        )
        let isSame = old?.environment == host.environmentScope
        let keys: KeyKeeper
        if let old, isSame { keys = old.keys } else { keys = try await KeyKeeper.load(records, machine) }
        let listen = settings.issuer.listen ?? settings.listen
        return Issuer.Present(
            settings: IssuerSettings(settings.issuer),
            records: records,
            keys: keys,
            environment: host.environmentScope,
            address: old?.address ?? "http://\(listen.description)",
            host: listen.host
        )
    }

    /// Opens the address the settings ask for, unless it is open already, and then closes the one before.
    private func open(_ issuer: Issuer, _ settings: BackendsSection, _ host: ServiceHost) async throws {
        let wanted = settings.issuer.listen ?? settings.listen
        let former = state.withLock { $0.door }
        if let former, former.wanted == wanted { return }
        let place = settings.issuer.listen == nil ? settings.$listen : settings.issuer.$listen
        let path = settings.issuer.listen == nil ? "backends.listen" : "backends.issuer.listen"
        let door: IssuerDoor
        do {
            door = try await IssuerDoor(wanted, for: issuer, host)
        } catch {
            throw host.fault("the identity server cannot listen at \(wanted): \(error)", at: place, path)
        }
        var present = issuer.present
        (present.address, present.host) = (door.address, wanted.host)
        issuer.become(present)
        announce.yield(door.listener)
        state.withLock { $0.door = door }
        await former?.listener.stop(within: .seconds(5))
        host.log.warning(
            "an identity server for development listens; it protects nothing",
            ["address": .text(door.address), "users": .integer(issuer.present.settings.users.count)]
        )
    }
}

extension BackendsSection {
    var trouble: Trouble.Settings { Trouble.Settings(latency: latency, failureRate: failureRate, seed: seed) }
}
