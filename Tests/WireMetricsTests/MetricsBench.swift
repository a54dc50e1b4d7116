import Support
import Synchronization
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireCrypto
import WireDeviceContract
import WireHTTP
import WireMetrics
import WireMetricsContract
import WireService
import WireSQLite
import WireWorkContract
import Workbench

/// The service of metrics with an outbox that does what a test says, and rules that come to what it says.
final class MetricsBench: Sendable {
    let bench: Workbench
    let service: MetricsService
    let outbox: ScriptedOutbox
    let rules = ScriptedRules()
    let publisher = EmbedderMetricsPublisher()
    let schedules = ScriptedSchedules()
    private let life: Task<Void, any Error>
    private let registrations: Registrations

    static func file(_ section: String, embedded: Bool = false) -> String {
        """
        version: 1
        app: { id: com.example.tasks, name: Tasks, version: 1.4.0 }
        environments:
          prod: { \(embedded ? "backend: embedded" : "baseUrl: \"https://api.example.com\"") }
          qa: { extends: prod }
        environment: prod
        metrics: \(section)

        """
    }

    init(
        _ section: String = #"{ url: "https://metrics.example.com/metrics" }"#,
        environment: String = "prod",
        embedded: EmbeddedSecurity? = nil,
        in folder: TemporaryFolder? = nil,
        status: Int = 204,
        body: String = "",
        isFull: Bool = false
    ) async throws {
        bench = try Workbench(in: folder)
        outbox = ScriptedOutbox(status, body)
        if isFull { outbox.refuse() }
        let text = Self.file(section, embedded: embedded != nil)
        let file = try SectionInFile<MetricsSection>(file: text, environment: environment)
        let host: MetricsHost = bench.host(
            for: file,
            offering: [
                ServiceAbility<any Outbox>.outbox.offered(by: outbox), ServiceAbility.schedules.offered(by: schedules),
                Ability.secrecy.offered(by: OpenSSLSecrecy()), ServiceAbility.securityResults.offered(by: rules),
                Ability.machine.offered(by: KnownMachine()), Ability.broughtPublisher.offered(by: publisher),
                Ability.embeddedSecurity.offered(by: embedded ?? EmbeddedSecurity()),
            ]
        )
        let service = try await MetricsService.prepare(file.settings, in: host)
        self.service = service
        registrations = host.registrations
        try await service.start()
        life = Task { try await service.run() }
    }

    func end() async {
        life.cancel()
        _ = try? await life.value
        await service.stop()
        registrations.end()
        await bench.store.close()
    }

    func ask(_ method: WireHTTP.Method, _ path: String, _ body: String = "") async throws -> (
        status: Int, json: JSONValue
    ) { try await service.routes.answer(method, path, body) }

    /// Waits until so many messages wait, or were sent.
    func waits(_ count: Int) async -> Bool { await eventually { self.outbox.posted.count >= count } }
}

private struct KnownMachine: MachineDescribing {
    func facts() -> MachineFacts {
        var facts = MachineFacts()
        (facts.systemVersion, facts.model) = ("12", "cart")
        return facts
    }
}

/// Rules that come to what a test says.
final class ScriptedRules: SecurityResults {
    private let state = Mutex<(last: [SecurityResult], listener: AsyncStream<[SecurityResult]>.Continuation?)>(
        ([], nil)
    )

    func results() -> AsyncStream<[SecurityResult]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [SecurityResult].self)
        state.withLock { state in
            continuation.yield(state.last)
            state.listener = continuation
        }
        return stream
    }

    func come(to results: [SecurityResult]) {
        state.withLock { state in
            state.last = results
            state.listener?.yield(results)
        }
    }

    var isHeard: Bool { state.withLock { $0.listener != nil } }
}

/// Tasks that are done when a test says.
final class ScriptedSchedules: Schedules {
    private let tasks = Mutex<[String: (task: ScheduledTask, work: @Sendable () async throws -> Void)]>([:])

    func keep(
        _ task: ScheduledTask,
        in registrations: Registrations,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        tasks.withLock { $0[task.name] = (task, work) }
        registrations.add { [weak self] in self?.tasks.withLock { $0[task.name] = nil } }
    }
    func runNow(_ name: String) -> Bool { false }

    subscript(name: String) -> (task: ScheduledTask, work: @Sendable () async throws -> Void)? {
        tasks.withLock { $0[name] }
    }
}

/// An outbox that carries what waits when it is told to, to a server that answers the same to everything.
final class ScriptedOutbox: Outbox {
    private struct State {
        var clerk: (any OutboxDelegate)?
        var waiting: [(id: String, request: OutboxRequest)] = []
        var posted: [OutboxRequest] = []
        var sent: [OutboxRequest] = []
        var refuses = false
    }

    private let state = Mutex(State())
    private let status: Int
    private let body: String

    init(_ status: Int, _ body: String) { (self.status, self.body) = (status, body) }

    var posted: [OutboxRequest] { state.withLock(\.posted) }
    var waiting: Int { state.withLock(\.waiting.count) }
    /// As they were sent, word for word.
    var sent: [OutboxRequest] { state.withLock(\.sent) }
    var bodies: [String] { posted.map { String(decoding: $0.body, as: UTF8.self) } }
    func refuse() { state.withLock { $0.refuses = true } }

    func post(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxReceipt {
        let id = state.withLock { state -> String? in
            guard !state.refuses else { return nil }
            let id = "m\(state.posted.count + 1)"
            state.waiting.append((id, request))
            state.posted.append(request)
            return id
        }
        guard let id else { throw OutboxFailure(.full, "1000 requests wait already") }
        return OutboxReceipt(id: id, isNew: true)
    }

    func isUntried(_ id: String) async -> Bool { false }
    func drain() {}
    func register(_ service: String, _ clerk: any OutboxDelegate, in _: Registrations) {
        state.withLock { $0.clerk = clerk }
    }

    /// Carries the first that waits; why it waits on, where it does.
    @discardableResult
    func deliver() async throws -> String? {
        _ = await eventually { self.state.withLock { $0.clerk != nil && !$0.waiting.isEmpty } }
        let (clerk, first) = try state.withLock { state in
            (try #require(state.clerk), try #require(state.waiting.first))
        }
        let item = OutboxItem(id: first.id, request: first.request, attempts: 0, posted: 0)
        switch await clerk.ready(item) {
        case .wait(let reason, _): return reason
        case .obsolete: drop()
        case .send(let request):
            state.withLock { $0.sent.append(request) }
            drop()
            let answer = OutboxAnswer(status: Status(status), fields: [:], body: Array(body.utf8))
            if (200..<300).contains(status) {
                try await clerk.answered(item, answer)
            } else {
                await clerk.givenUp(item, because: "the server responded with status \(status)", answer: answer)
            }
        }
        return nil
    }

    private func drop() { state.withLock { state in _ = state.waiting.removeFirst() } }
}
