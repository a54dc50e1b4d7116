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
/// send requests that this one has accepted. Requests that only this machine can send are in a queue of its own.
final class OutboxPart: BackgroundPart {
    /// The present settings; replaced as a whole.
    final class Present: Sendable {
        let settings: BackgroundSection
        let rules: OutboxRetryPolicy
        let host: BackgroundHost
        /// The usual queue first, and the one for local requests last.
        let queues: [OutboxQueue]

        init(settings: BackgroundSection, rules: OutboxRetryPolicy, host: BackgroundHost, queues: [OutboxQueue]) {
            (self.settings, self.rules, self.host, self.queues) = (settings, rules, host, queues)
        }
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
    /// One for each queue.
    let dispatchers: [OutboxDispatcher]
    /// The barrier of sending, closed while requests are cleared.
    let barrier = WorkBarrier()

    init(_ settings: BackgroundSection, in host: BackgroundHost) async throws {
        let present = try Self.present(settings, host)
        state = Mutex(State(present: present))
        let dispatchers = present.queues.indices.map(OutboxDispatcher.init)
        self.dispatchers = dispatchers
        telemetry = OutboxTelemetry(present, active: { dispatchers.reduce(0) { $0 + $1.active } })
    }

    private static func present(_ settings: BackgroundSection, _ host: BackgroundHost) throws -> Present {
        let name = try OutboxQueueName(app: host.app?.id.text ?? "", environment: host.environmentScope, host).text
        return Present(
            settings: settings,
            rules: OutboxRetryPolicy(settings),
            host: host,
            queues: OutboxQueue.all(name, in: host.stores)
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

    func run() async throws {
        await withDiscardingTaskGroup { group in
            for dispatcher in dispatchers { group.addTask { await dispatcher.run(self) } }
        }
    }

    /// The regular drain is a task: it is listed with its next time, and can be run on request.
    private func keepDraining() {
        let (present, schedules) = state.withLock { ($0.present, $0.schedules) }
        let task = ScheduledTask(Self.drainTask, every: present.settings.drainEvery)
        schedules?.keep(task, in: present.host.registrations) { [weak self] in await self?.drainRegularly() }
    }

    static let drainTask = "background.drain"

    private func drainRegularly() async {
        for queue in present.queues { await dropAged(queue) }
        expedite(.all(butAwaiting: OutboxRetryPolicy.Awaited.server))
    }

    /// Wakes the dispatchers: a request may be due.
    func wake() { for dispatcher in dispatchers { dispatcher.wake() } }

    /// Makes waiting requests due soon.
    func expedite(_ which: WorkExpediting) { for dispatcher in dispatchers { dispatcher.expedite(which) } }

    func rebind(to settings: BackgroundSection, in host: BackgroundHost) async throws {
        let next = try Self.present(settings, host)
        state.withLock { $0.present = next }
        keepDraining()
        telemetry.rebind(to: next)
        wake()
    }

    /// Requests in progress end; no more are sent, and posted requests are still accepted.
    func drain() async {
        await withDiscardingTaskGroup { group in
            for dispatcher in dispatchers { group.addImmediateTask { await dispatcher.drain() } }
        }
    }

    func stop() async {
        state.withLock { state in
            state.isEnded = true
            state.delegates = [:]
            // The schedules hold this part in turn.
            state.schedules = nil
        }
        for dispatcher in dispatchers { dispatcher.end() }
    }

    // MARK: Clerks

    func attend(_ service: String, _ delegate: any OutboxDelegate, in registrations: Registrations) {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            if !state.isEnded { state.delegates[service] = (state.lastTicket, delegate) }
            return state.lastTicket
        }
        expedite(.awaiting(OutboxRetryPolicy.Awaited.delegate))
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
        let name = "\(SharedData.outbox.root)/\(app)/\(environment)"
        // A custom environment is named by its URL, which may be long.
        guard name.utf8.count > 200, let secrecy = host.find(.secrecy) else {
            text = name
            return
        }
        let digest = Hexadecimal.text(of: try secrecy.digest(Array(environment.utf8)).bytes)
        text = "\(SharedData.outbox.root)/\(app)/#\(digest)"
    }
}

/// The outbox for other services; does not keep the part alive.
struct OfferedOutbox: Outbox {
    let part: OutboxPart

    func post(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxReceipt { try await part.post(request) }
    func isUntried(_ id: String) async -> Bool {
        guard case .waiting(let waiting)? = try? await part.find(id) else { return false }
        // A claim counts as an attempt from its beginning, also where it is lost: its worker may still be sending.
        return waiting.work.attempts == 0
    }
    func drain() { part.expedite(.all(butAwaiting: OutboxRetryPolicy.Awaited.server)) }
    func register(_ service: String, _ delegate: any OutboxDelegate, in registrations: Registrations) {
        part.attend(service, delegate, in: registrations)
    }
}
