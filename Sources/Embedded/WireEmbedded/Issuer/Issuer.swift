import Synchronization
import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireStore
import WireTelemetry

/// The embedded identity server, which answers each request by the settings in force at its arrival.
final class Issuer: Sendable {
    /// The settings of the active environment, replaced as a whole.
    struct Present: Sendable {
        let settings: IssuerSettings
        let records: IssuerRecords
        let keys: CurrentKeyRing
        let environment: String
        var address: String
    }

    let machine: SystemServices
    private let log: Log
    private let looks: PageStyle
    private let attempts: Attempts
    private let registry = RealmRegistry()
    private let state: Mutex<Present>

    init(_ present: Present, machine: SystemServices, log: Log) throws(Fault) {
        self.machine = machine
        self.log = log
        looks = try PageStyle(machine.secrecy)
        attempts = Attempts(machine.clock)
        state = Mutex(present)
    }

    var present: Present { state.withLock { $0 } }

    func update(_ present: Present) { state.withLock { $0 = present } }

    /// The realms of the active environment.
    var realms: [String] { registry.realms(in: present.environment).map(\.name) }

    /// Rotates the signing key if it is due or if `always` is set.
    func rotateKeys(always: Bool) async throws {
        let present = present
        let isDue = try await present.keys.known(present.records)?.isDue(at: machine.now) ?? false
        guard always || isDue else { return }
        let id = try await present.keys.rotate(present.records)
        log.notice("a new key signs tokens", ["kid": id.map(LogValue.text)])
    }

    private func context(_ realm: String, _ present: Present) -> RealmRequest {
        RealmRequest(
            settings: present.settings,
            machine: machine,
            records: present.records,
            keys: present.keys,
            attempts: attempts,
            looks: looks,
            log: log,
            registry: registry,
            environment: present.environment,
            realm: realm,
            address: present.address
        )
    }
}

extension Issuer: EmbeddedIssuing {
    func issuer(realm: String) -> String {
        let present = present
        registry.open(realm, in: present.environment)
        return "\(present.address)/realms/\(realm)"
    }

    func admit(_ client: EmbeddedClient, realm: String) {
        registry.admit(client, to: realm, in: present.environment)
    }
}

extension Issuer: BuiltInServer {
    /// The largest form that is accepted.
    private static let limit = ByteCount.kibibytes(64)

    var segments: [String] { ["realms"] }

    func signs(at address: String) -> [EndpointInfo] {
        let names = realms.isEmpty ? [RealmRegistry.common] : realms
        return [
            EndpointInfo(title: "Identity server, with these realms:", places: names.map { "\(address)/realms/\($0)" })
        ]
    }

    func exchange(for head: Request) -> Exchange {
        let present = present
        guard let (realm, rest) = IssuerRouter.realm(of: head.target.segments),
            registry.has(realm, in: present.environment)
        else {
            return .plainly(.notFound, "unknown realm; the services file declares the realms")
        }
        let router = IssuerRouter(context: context(realm, present))
        guard let endpoint = router.endpoint(rest) else { return .plainly(.notFound, "unknown endpoint") }
        guard endpoint.methods.contains(head.method) else { return .refused(allowing: endpoint.methods) }
        if let known = endpoint.known { return Exchange(.answer(known().guarded())) }
        return Exchange(
            .collect(upTo: Self.limit) { request in .later { await router.perform(endpoint, request).guarded() } }
        )
    }

    /// The context of the common realm.
    var commonContext: RealmRequest { context(RealmRegistry.common, present) }

    /// The desks of all realms.
    var desks: [RealmRequest] {
        let present = present
        return ([RealmRegistry.common] + registry.realms(in: present.environment).map(\.name)).map {
            context($0, present)
        }
    }
}
