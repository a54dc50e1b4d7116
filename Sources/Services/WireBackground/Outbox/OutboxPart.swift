import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// The outbox: requests are accepted when they are stored, and sent until they have arrived.
///
/// The queue of the app and the environment is in the store of the group, so that another process, or a later run, may
/// send requests that this one has accepted.
final class OutboxPart: BackgroundPart {
    /// The present settings; replaced as a whole.
    struct Present: Sendable {
        let settings: BackgroundSection
        let rules: OutboxRules
        let host: BackgroundHost
        let queue: String

        var store: any WorkQueue { host.stores.queue }
    }

    private struct State {
        var present: Present
        var clerks: [String: (ticket: Int, clerk: any OutboxDelegate)] = [:]
        var lastTicket = 0
        var schedules: (any Schedules)?
        var isEnded = false
    }

    private let state: Mutex<State>
    let ledger: OutboxTelemetry
    let drainage: OutboxDispatcher
    /// The gate of sending, closed while requests are cleared.
    let gate = WorkBarrier()

    init(_ settings: BackgroundSection, in host: BackgroundHost) async throws {
        let present = try Self.present(settings, host)
        state = Mutex(State(present: present))
        let drainage = OutboxDispatcher()
        self.drainage = drainage
        ledger = OutboxTelemetry(present, active: { drainage.active })
    }

    private static func present(_ settings: BackgroundSection, _ host: BackgroundHost) throws -> Present {
        Present(
            settings: settings,
            rules: OutboxRules(settings),
            host: host,
            queue: try OutboxQueueName(app: host.app?.id.text ?? "", environment: host.environmentScope, host).text
        )
    }

    var abilities: [OfferedAbility] { [ServiceAbility.outbox.offered(by: OfferedOutbox(part: self))] }

    var present: Present { state.withLock { $0.present } }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    func meet(_ others: [OfferedAbility]) {
        let schedules = Abilities(others)[.schedules]
        state.withLock { $0.schedules = schedules }
    }

    func start() async throws { keepDraining() }
    func run() async throws { await drainage.run(self) }

    /// The regular drain is a task: it is listed with its next time, and can be run on request.
    private func keepDraining() {
        let (present, schedules) = state.withLock { ($0.present, $0.schedules) }
        let task = ScheduledTask(Self.drainTask, every: present.settings.drainEvery)
        schedules?.keep(task, in: present.host.registrations) { [weak self] in await self?.drainRegularly() }
    }

    static let drainTask = "background.drain"

    private func drainRegularly() async {
        await dropAged()
        drainage.hasten(.all(butAwaiting: OutboxRules.Awaited.server))
    }

    func rebind(to settings: BackgroundSection, in host: BackgroundHost) async throws {
        let next = try Self.present(settings, host)
        state.withLock { $0.present = next }
        keepDraining()
        ledger.rebind(to: next)
        drainage.wake()
    }

    /// Requests in progress end; no more are sent, and posted requests are still accepted.
    func drain() async { await drainage.drain() }

    func stop() async {
        state.withLock { state in
            state.isEnded = true
            state.clerks = [:]
            // The schedules hold this part in turn.
            state.schedules = nil
        }
        drainage.end()
    }

    // MARK: Clerks

    func attend(_ service: String, _ clerk: any OutboxDelegate, in registrations: Registrations) {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            if !state.isEnded { state.clerks[service] = (state.lastTicket, clerk) }
            return state.lastTicket
        }
        drainage.hasten(.awaiting(OutboxRules.Awaited.clerk))
        registrations.add { [weak self] in
            self?.state.withLock { if $0.clerks[service]?.ticket == ticket { $0.clerks[service] = nil } }
        }
    }

    func clerk(of service: String) -> (any OutboxDelegate)? { state.withLock { $0.clerks[service]?.clerk } }
}

/// The name of the queue of an app in an environment.
struct OutboxQueueName {
    let text: String

    init(app: String, environment: String, _ host: BackgroundHost) throws {
        let name = "outbox/\(app)/\(environment)"
        // A custom environment is named by its URL, which may be long.
        guard name.utf8.count > 200, let secrecy = host.find(.secrecy) else {
            text = name
            return
        }
        let digest = Hexadecimal.text(of: try secrecy.digest(Array(environment.utf8)).bytes)
        text = "outbox/\(app)/#\(digest)"
    }
}

/// The outbox for other services; does not keep the part alive.
struct OfferedOutbox: Outbox {
    let part: OutboxPart

    func post(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxReceipt { try await part.post(request) }
    func drain() { part.drainage.hasten(.all(butAwaiting: OutboxRules.Awaited.server)) }
    func attend(_ service: String, _ clerk: any OutboxDelegate, in registrations: Registrations) {
        part.attend(service, clerk, in: registrations)
    }
}
