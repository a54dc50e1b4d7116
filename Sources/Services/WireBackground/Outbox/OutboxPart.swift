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
        let rules: OutboxRetryPolicy
        let host: BackgroundHost
        let queue: String

        var store: any WorkQueue { host.stores[.outbox].queue }
    }

    private struct State {
        var present: Present
        var delegates: [String: (ticket: Int, delegate: any OutboxDelegate)] = [:]
        var lastTicket = 0
        var schedules: (any Schedules)?
        var isEnded = false
    }

    private let state: Mutex<State>
    let telemetry: OutboxTelemetry
    let dispatcher: OutboxDispatcher
    /// The barrier of sending, closed while requests are cleared.
    let barrier = WorkBarrier()

    init(_ settings: BackgroundSection, in host: BackgroundHost) async throws {
        let present = try Self.present(settings, host)
        state = Mutex(State(present: present))
        let drainage = OutboxDispatcher()
        self.dispatcher = drainage
        telemetry = OutboxTelemetry(present, active: { drainage.active })
    }

    private static func present(_ settings: BackgroundSection, _ host: BackgroundHost) throws -> Present {
        Present(
            settings: settings,
            rules: OutboxRetryPolicy(settings),
            host: host,
            queue: try OutboxQueueName(app: host.app?.id.text ?? "", environment: host.environmentScope, host).text
        )
    }

    var abilities: [OfferedAbility] { [ServiceAbility.outbox.offered(by: OfferedOutbox(part: self))] }

    var present: Present { state.withLock { $0.present } }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    func connect(_ others: [OfferedAbility]) {
        let schedules = Abilities(others)[.schedules]
        state.withLock { $0.schedules = schedules }
    }

    func start() async throws { keepDraining() }
    func run() async throws { await dispatcher.run(self) }

    /// The regular drain is a task: it is listed with its next time, and can be run on request.
    private func keepDraining() {
        let (present, schedules) = state.withLock { ($0.present, $0.schedules) }
        let task = ScheduledTask(Self.drainTask, every: present.settings.drainEvery)
        schedules?.keep(task, in: present.host.registrations) { [weak self] in await self?.drainRegularly() }
    }

    static let drainTask = "background.drain"

    private func drainRegularly() async {
        await dropAged()
        dispatcher.expedite(.all(butAwaiting: OutboxRetryPolicy.Awaited.server))
    }

    func rebind(to settings: BackgroundSection, in host: BackgroundHost) async throws {
        let next = try Self.present(settings, host)
        state.withLock { $0.present = next }
        keepDraining()
        telemetry.rebind(to: next)
        dispatcher.wake()
    }

    /// Requests in progress end; no more are sent, and posted requests are still accepted.
    func drain() async { await dispatcher.drain() }

    func stop() async {
        state.withLock { state in
            state.isEnded = true
            state.delegates = [:]
            // The schedules hold this part in turn.
            state.schedules = nil
        }
        dispatcher.end()
    }

    // MARK: Clerks

    func attend(_ service: String, _ delegate: any OutboxDelegate, in registrations: Registrations) {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            if !state.isEnded { state.delegates[service] = (state.lastTicket, delegate) }
            return state.lastTicket
        }
        dispatcher.expedite(.awaiting(OutboxRetryPolicy.Awaited.delegate))
        registrations.add { [weak self] in
            self?.state.withLock { if $0.delegates[service]?.ticket == ticket { $0.delegates[service] = nil } }
        }
    }

    func delegate(of service: String) -> (any OutboxDelegate)? { state.withLock { $0.delegates[service]?.delegate } }
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
    func drain() { part.dispatcher.expedite(.all(butAwaiting: OutboxRetryPolicy.Awaited.server)) }
    func register(_ service: String, _ delegate: any OutboxDelegate, in registrations: Registrations) {
        part.attend(service, delegate, in: registrations)
    }
}
