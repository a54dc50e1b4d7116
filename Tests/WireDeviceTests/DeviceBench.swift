import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireDevice
import WireDeviceContract
import WireHTTP
import WireNetworkContract
import WireService
import WireSQLite
import WireWorkContract
import Workbench

/// The service of the device, with a server and an outbox that do what a test says.
final class DeviceBench: Sendable {
    static let base = """
        version: 1
        app: { id: com.example.tasks, name: Tasks, version: 1.4.0 }
        environments:
          prod: { baseUrl: "https://api.example.com" }
          qa: { extends: prod, baseUrl: "https://qa.example.com" }
        environment: prod
        auth:
          url: https://sso.example.com
          clientIds: { prod: tasks, qa: tasks-qa }
          redirectUri: com.example.tasks://restore

        """

    let bench: Workbench
    let service: DeviceService
    let server: ScriptedServer
    let outbox: ScriptedOutbox
    let hooks: DeviceHooks
    /// The store, where it is one that reads slowly.
    let late: LateStore?
    private let life: Task<Void, any Error>

    init(
        _ section: String = "device: {}",
        environment: String? = nil,
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        server: ScriptedServer = ScriptedServer(),
        hooks: DeviceHooks = DeviceHooks(),
        machine: MachineFacts = MachineFacts(),
        isLate: Bool = false
    ) async throws {
        bench = try Workbench(in: folder, clock: clock)
        late = isLate ? LateStore(bench.store) : nil
        (self.server, self.hooks) = (server, hooks)
        let outbox = ScriptedOutbox(server)
        self.outbox = outbox
        let file = try SectionInFile<DeviceSection>(file: Self.base + section, environment: environment ?? "prod")
        let alias = file.settings.alias
        let host: DeviceHost = bench.host(
            for: file,
            offering: [
                ServiceAbility.serverRequests.offered(by: server), ServiceAbility.outbox.offered(by: outbox),
                Ability.deviceHooks.offered(by: hooks), Ability.secrecy.offered(by: OpenSSLSecrecy()),
                Ability.machine.offered(by: KnownMachine(known: machine)),
                Ability.declaredAlias.offered(by: DeclaredAlias { alias }),
            ],
            values: late
        )
        let service = try await DeviceService.prepare(file.settings, in: host)
        self.service = service
        try await service.start()
        life = Task { try await service.run() }
    }

    func end() async {
        life.cancel()
        _ = try? await life.value
        await service.stop()
    }

    /// Waits until a request waits in the outbox, and carries it to the server.
    func deliver() async throws {
        _ = await eventually { !self.outbox.waiting.isEmpty }
        let count = server.asked.count
        // Who is not ready yet is asked again.
        _ = try await eventually {
            try await outbox.deliver()
            return server.asked.count > count || outbox.waiting.isEmpty
        }
    }

    func ask(_ method: WireHTTP.Method, _ path: String, _ body: String = "") async throws -> (
        status: Int, json: JSONValue
    ) {
        try await service.routes.answer(method, path, body)
    }

    func registration() async throws -> String? { try await ask(.get, "/v1/device").json["registration"]?.string }
}

struct Strange: Error {}

private struct KnownMachine: MachineDescribing {
    let known: MachineFacts
    func facts() -> MachineFacts { known }
}

/// A server that answers what it is told to, and notes what it was asked.
final class ScriptedServer: ServerClient {
    struct Asked: Sendable {
        let method: String
        let path: String
        let body: String
        /// Whether it carries the token that requests usually do.
        let isUsual: Bool

        init(_ method: String, _ path: String, _ authorization: ServerCall.Authorization, body: String) {
            (self.method, self.path, self.body) = (method, path, body)
            isUsual = if case .usual = authorization { true } else { false }
        }
    }

    private struct State {
        var asked: [Asked] = []
        var answers: [(status: Int, body: String)] = []
    }

    private let state = Mutex(State())

    init(_ answers: [(status: Int, body: String)] = []) {
        state.withLock { $0.answers = answers }
    }

    var asked: [Asked] { state.withLock { $0.asked } }

    /// The next answers, in their order; 503 where there are none.
    func answer(_ status: Int, _ body: String = "") { state.withLock { $0.answers.append((status, body)) } }

    func take(_ asked: Asked) -> (status: Int, body: String) {
        state.withLock { state in
            state.asked.append(asked)
            return state.answers.isEmpty ? (503, "") : state.answers.removeFirst()
        }
    }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        guard case .below(let address, let path, _) = call.destination else {
            throw CallFailure(.noAddress, "no address", wasNotSent: true)
        }
        let answer = take(Asked(call.method.name, "\(address.text)/\(path)", call.authorization, body: ""))
        return ServerAnswer(status: Status(answer.status), fields: [:], body: Bytes(Array(answer.body.utf8)))
    }

    func url(of address: Address) -> WebURL? { nil }
}

private final class Bytes: BodyReader {
    private let rest: Mutex<[UInt8]?>
    init(_ bytes: [UInt8]) { rest = Mutex(bytes) }

    func read() async throws -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}

/// An outbox that carries what waits when it is told to, by the rules of the real one.
final class ScriptedOutbox: Outbox {
    private struct State {
        var clerk: (any OutboxDelegate)?
        var waiting: [OutboxRequest] = []
        var done: Set<String> = []
        /// The request that is being sent.
        var sending: String?
        var refuses = false
        var delays = false
        var delayed: OutboxRequest?
        /// Keeps the next request that is posted from arriving until it is fired.
        var barrier: OneShot?
    }

    private let server: ScriptedServer
    private let state = Mutex(State())

    init(_ server: ScriptedServer) { self.server = server }

    var waiting: [OutboxRequest] { state.withLock { $0.waiting } }
    func refuse() { state.withLock { $0.refuses = true } }
    /// Delays the next request that is posted, as if a slow process posted it.
    func delay() { state.withLock { $0.delays = true } }

    /// Keeps the next request that is posted from arriving until the barrier is fired.
    func hold(_ barrier: OneShot) { state.withLock { $0.barrier = barrier } }

    /// Whether a request is being held.
    var holds: Bool { state.withLock { $0.barrier == nil } }

    /// Posts the delayed request.
    func arrive() async throws {
        if let request = state.withLock({ $0.delayed }) { _ = try await post(request) }
    }

    func post(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxReceipt {
        guard !state.withLock(\.refuses) else { throw OutboxFailure(.full, "1000 requests wait already") }
        await state.withLock { $0.barrier.take() }?.wait()
        return state.withLock { state in
            let id = request.id ?? "none"
            guard !state.done.contains(id), !state.waiting.contains(where: { $0.id == id }) else {
                return OutboxReceipt(id: id, isNew: false)
            }
            if state.delays {
                (state.delays, state.delayed) = (false, request)
                return OutboxReceipt(id: id, isNew: true)
            }
            if request.replacesFormer {
                state.done.formUnion(state.waiting.filter { $0.lane == request.lane }.compactMap(\.id))
                state.waiting.removeAll { $0.lane == request.lane }
            }
            state.waiting.append(request)
            return OutboxReceipt(id: id, isNew: true)
        }
    }

    func isUntried(_ id: String) async -> Bool {
        state.withLock { state in state.sending != id && state.waiting.contains { $0.id == id } }
    }
    func drain() {}
    func register(_ service: String, _ clerk: any OutboxDelegate, in _: Registrations) {
        state.withLock { $0.clerk = clerk }
    }

    /// Carries the first that waits; one that fails for now waits on.
    func deliver() async throws {
        let (clerk, first) = state.withLock { ($0.clerk, $0.waiting.first) }
        guard let first, let id = first.id else { throw Strange() }
        state.withLock { $0.sending = id }
        defer { state.withLock { $0.sending = nil } }
        let item = OutboxItem(id: id, request: first, attempts: 0, posted: 0)
        var request = first
        if let clerk {
            switch await clerk.ready(item) {
            case .send(let readied): request = readied
            case .wait: return
            case .obsolete: return end(id)
            }
        } else if first.needsDelegate {
            return
        }
        let body = String(decoding: request.body, as: UTF8.self)
        let told = server.take(.init(request.method.name, request.address, request.authorization, body: body))
        let answer = OutboxAnswer(status: Status(told.status), fields: [:], body: Array(told.body.utf8))
        switch told.status {
        case 200..<300:
            try await clerk?.answered(item, answer)
            end(id)
        case 429, 500...: return
        default:
            end(id)
            await clerk?.givenUp(item, because: "the server responded with status \(told.status)", answer: answer)
        }
    }

    /// Gives up the last that waits, without an attempt.
    func giveUpLast() async throws {
        let (clerk, last) = state.withLock { ($0.clerk, $0.waiting.last) }
        guard let last, let id = last.id else { throw Strange() }
        end(id)
        let item = OutboxItem(id: id, request: last, attempts: 0, posted: 0)
        await clerk?.givenUp(item, because: "the request is too old", answer: nil)
    }

    private func end(_ id: String) {
        state.withLock { state in
            state.waiting.removeAll { $0.id == id }
            state.done.insert(id)
        }
    }
}

extension TemporaryFolder {
    /// Whether a text is in any of its files.
    func holds(_ text: String) throws -> Bool {
        let names = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
        return names.contains { name in
            (try? Data(contentsOf: url.appendingPathComponent(name)))?.range(of: Data(text.utf8)) != nil
        }
    }
}
