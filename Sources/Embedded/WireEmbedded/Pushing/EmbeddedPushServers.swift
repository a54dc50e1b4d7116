import Synchronization
import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// The embedded push servers of the active environment, with the queue that delivers to this device.
final class EmbeddedPushServers: Sendable {
    /// The state of an environment.
    struct Present: Sendable {
        let records: PushRecords
        let devices: HaloRecords
        let mailbox: DeviceMailbox
        let account: PushAccount
        let environment: String
        /// The base URL of the servers, which is below any address of their own.
        var address: String
        /// The autopush server of the environment; nil before it has started.
        var autopush: AutopushMailboxes?
    }

    let issuer: Issuer
    private let crypto: (any WebPushCrypto)?
    private let log: Log
    private let admissions = PushAdmissions()
    private let line = AsyncMutex()
    private let repeats = AsyncMutex()
    private let counts = PushCounts()
    private let state: Mutex<State>
    /// Raised when a scheduled push may be due.
    private let due = ChangeSignal()

    private struct State {
        var present: Present
        /// The mailboxes of all environments so far, for listeners that remain.
        var mailboxes: [String: DeviceMailbox]
    }

    init(_ settings: EmbeddedPush, _ issuer: Issuer, _ host: ServiceHost) async throws {
        (self.issuer, log) = (issuer, host.log)
        crypto = host.find(.webPushCrypto)
        let present = try await Self.present(settings, issuer, host, mailbox: nil)
        state = Mutex(State(present: present, mailboxes: [present.environment: present.mailbox]))
    }

    var present: Present { state.withLock { $0.present } }

    /// Applies other settings or another environment.
    func update(_ settings: EmbeddedPush, in host: ServiceHost) async throws {
        let known = state.withLock { $0.mailboxes[host.environmentScope] }
        var new = try await Self.present(settings, issuer, host, mailbox: known)
        state.withLock { state in
            // The servers keep their address until they have moved.
            new.address = state.present.address
            if state.present.environment == new.environment { new.autopush = state.present.autopush }
            state.present = new
            state.mailboxes[new.environment] = new.mailbox
        }
        new.mailbox.update(Self.rules(settings))
        due.signal()
    }

    /// Sets the address at which the servers listen, and the autopush server.
    func update(at address: String, autopush: AutopushMailboxes) {
        state.withLock { ($0.present.address, $0.present.autopush) = (address, autopush) }
    }

    private static func rules(_ settings: EmbeddedPush) -> DeviceMailbox.Rules {
        DeviceMailbox.Rules(keep: settings.keep, delivers: settings.delivers)
    }

    private static func present(
        _ settings: EmbeddedPush,
        _ issuer: Issuer,
        _ host: ServiceHost,
        mailbox: DeviceMailbox?
    ) async throws -> Present {
        let app = host.app?.id.text ?? "app"
        let records = PushRecords(host.stores.device.values, app: app, environment: host.environmentScope)
        let account = try await PushAccount.load(records, issuer.machine, masterSecret: settings.masterSecret)
        return Present(
            records: records,
            devices: HaloRecords(host.stores.device.values, app: app, environment: host.environmentScope),
            mailbox: mailbox ?? DeviceMailbox(records, issuer.machine, rules(settings), host.log),
            account: account,
            environment: host.environmentScope,
            address: ""
        )
    }

    // MARK: Serving

    var context: PushRequestContext {
        let present = present
        return PushRequestContext(
            records: present.records,
            mailbox: present.mailbox,
            account: present.account,
            admitted: admissions[present.environment],
            issuer: issuer,
            line: line,
            repeats: repeats,
            counts: counts,
            webPush: WebPushSender(autopush: present.autopush, crypto: crypto),
            log: log
        )
    }

    var halo: HaloPush { HaloPush(context: context, devices: present.devices) }

    /// Reports that a push is scheduled.
    func scheduled() { due.signal() }

    /// The delay before a failed send is retried, in milliseconds.
    private static let retry = 60_000

    /// Sends scheduled pushes until it is cancelled.
    func run(_ clock: TimeSource) async {
        while !Task.isCancelled {
            let count = due.count
            var time: Int?
            do {
                time = try await halo.sendDue()
            } catch {
                log.error("scheduled pushes cannot be sent", ["reason": .text("\(error)")])
                time = Int(issuer.machine.now) + Self.retry
            }
            // The wall clock may be set, so the wait is at most a day.
            let rest = time.map { Duration.milliseconds(min(86_400_000, max(1, Int64($0) - issuer.machine.now))) }
            await due.wait(after: count, atMost: rest, clock)
        }
    }
}

extension EmbeddedPushServers: EmbeddedPushing {
    func unifiedPush(_ registrar: String, admitting variant: String, secret: Secret<String>) -> String {
        let present = present
        admissions.name(registrar, .ups(variant: variant), in: present.environment)
        admissions.admit(variant: variant, secret, in: present.environment)
        return "\(present.address)/ups"
    }

    func altcraft(_ registrar: String, admitting roleToken: Secret<String>?, webPush: String?) -> String {
        let present = present
        admissions.name(registrar, .altcraft, in: present.environment)
        if let roleToken { admissions.admit(roleToken: roleToken, in: present.environment) }
        if let webPush { admissions.admit(webPush: webPush, in: present.environment) }
        return "\(present.address)/altcraft"
    }

    func halo(_ registrar: String) { admissions.name(registrar, .halo, in: present.environment) }

    func healthCloud(_ name: String, at path: String, header: String, key: Secret<String>) {
        let segments = (Target(parsing: "/\(path)")?.segments ?? []).filter { !$0.isEmpty }
        guard !segments.isEmpty else { return }
        let registrar = PushAdmissions.Registrar(path: segments, header: header, key: key)
        admissions.admit(registrar, in: present.environment)
        admissions.name(name, .health(path: registrar.name), in: present.environment)
    }

    func autopush() -> String? { present.autopush?.origin.map { "ws://\($0.server)/autopush" } }

    func pushes() -> AsyncStream<CarriedPush> { present.mailbox.pushes() }

    func acknowledge(_ id: String) async {
        // A listener of an earlier environment gets the pushes sent there.
        let mailboxes = state.withLock { state in
            [state.present.mailbox] + state.mailboxes.filter { $0.key != state.present.environment }.map(\.value)
        }
        for mailbox in mailboxes where await mailbox.acknowledge(id) { return }
    }
}

extension EmbeddedPushServers: BuiltInServer {
    var segments: [String] { ["ups", "altcraft"] }

    func signs(at address: String) -> [EndpointInfo] {
        [
            EndpointInfo(title: "UnifiedPush server: devices, messages", places: ["\(address)/ups/rest"]),
            EndpointInfo(title: "Altcraft's API: subscriptions, events", places: ["\(address)/altcraft"]),
        ]
    }

    func exchange(for head: Request) -> Exchange {
        let path = Array(head.target.segments.dropFirst())
        return head.target.segments.first == "ups"
            ? UnifiedPushServer(context: context).exchange(for: head, path)
            : AltcraftServer(context: context).exchange(for: head, path)
    }

    /// The registrars below the base URL, wherever the other two servers are.
    var registrars: RegistrarServers { RegistrarServers(servers: self) }

    fileprivate func registrarPlaces(at address: String) -> [String] {
        context.admitted.registrars.map { "\(address)/\($0.name)" }
    }
}

/// The registrars of Health Clouds, at the paths that the file declares.
struct RegistrarServers: BuiltInServer {
    fileprivate let servers: EmbeddedPushServers

    var segments: [String] { [] }

    func answers(_ path: [String]) -> Bool {
        HealthCloudServer.registrars(path, among: servers.context.admitted.registrars) != nil
    }

    func signs(at address: String) -> [EndpointInfo] {
        let places = servers.registrarPlaces(at: address)
        return places.isEmpty ? [] : [EndpointInfo(title: "Registrars of notifications", places: places)]
    }

    func exchange(for head: Request) -> Exchange { HealthCloudServer(context: servers.context).exchange(for: head) }
}
