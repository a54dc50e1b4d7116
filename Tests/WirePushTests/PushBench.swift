import Support
import Synchronization
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireCrypto
import WireDeviceContract
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WirePush
import WirePushContract
import WireService
import WireSQLite
import WireWorkContract
import Workbench

struct Strange: Error {}

/// The service of push registration, with a server, an outbox, users and sources of tokens that do what a test says.
final class PushBench: Sendable {
    private static func base(_ environment: String) -> String {
        let facts = environment == "dev" ? "backend: embedded" : "baseUrl: \"https://api.example.com\""
        return """
            version: 1
            app: { id: com.example.tasks, name: Tasks, version: 1.4.0 }
            environments: { \(environment): { \(facts) } }
            environment: \(environment)
            auth:
              url: https://sso.example.com
              clientIds: { \(environment): tasks }
              redirectUri: com.example.tasks://x

            """
    }

    let bench: Workbench
    let values: FailingReads
    let service: PushService
    let server: ScriptedServer
    let outbox: ScriptedOutbox
    let allUsers: People
    let permission: NotificationPermission
    let sources: Sources
    let device: HeldDevice
    let code: PushTokenCode
    private let life: Task<Void, any Error>

    init(
        _ section: String,
        environment: String = "prod",
        in folder: TemporaryFolder? = nil,
        allUsers: People = People(),
        permission: NotificationPermission = NotificationPermission(),
        sources: Sources = Sources(),
        server: ScriptedServer = ScriptedServer(),
        outbox: ScriptedOutbox? = nil,
        embedded: Bool = false,
        isAlone: Bool = true
    ) async throws {
        bench = try Workbench(in: folder)
        values = FailingReads(bench.store)
        (self.allUsers, self.permission, self.sources, self.server) = (allUsers, permission, sources, server)
        let outbox = outbox ?? ScriptedOutbox(server)
        self.outbox = outbox
        (device, code) = (HeldDevice(), PushTokenCode())
        let file = try SectionInFile<PushSection>(file: Self.base(environment) + section, environment: environment)
        var offered = [
            ServiceAbility.serverRequests.offered(by: server), ServiceAbility.outbox.offered(by: outbox),
            Ability.secrecy.offered(by: OpenSSLSecrecy()), Ability.webPushCrypto.offered(by: OpenSSLSecrecy()),
            ServiceAbility.userPresence.offered(by: allUsers),
            Ability.tokenSources.offered(by: sources), Ability.notificationPermission.offered(by: permission),
            ServiceAbility.device.offered(by: device), Ability.pushTokenCode.offered(by: code),
            Ability.declaredAlias.offered(by: DeclaredAlias { "cart-17" }),
        ]
        if embedded { offered.append(ServiceAbility.embeddedPushing.offered(by: Embedded())) }
        service = try await PushService.prepare(
            file.settings,
            in: bench.host(for: file, offering: offered, values: values)
        )
        try await service.start()
        let service = service
        life = Task { try await service.run() }
        if isAlone { await service.predecessorsDidStop() }
    }

    func end() async {
        life.cancel()
        await service.stop()
        _ = try? await life.value
    }

    /// Waits until something waits in the outbox, and carries the first.
    func deliver() async throws {
        _ = await eventually { !self.outbox.waiting.isEmpty }
        let count = server.asked.count
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

    func registrar(_ name: String = "it") async throws -> JSONValue {
        try await ask(.get, "/v1/push/registrars/\(name)").json
    }

    /// Waits until a registrar stands so.
    func stands(_ state: String, for what: String? = nil, _ name: String = "it") async throws -> Bool {
        try await eventually {
            let told = try await registrar(name)
            return told["state"]?.string == state && (what == nil || told["waitsFor"]?.string == what)
        }
    }
}

/// Those who sign in.
final class People: UserPresence, Sendable {
    private struct State {
        var user: SignedInUser?
        var listeners: [AsyncStream<SignedInUser?>.Continuation] = []
    }

    private let state = Mutex(State())

    init(_ name: String? = nil) { state.withLock { $0.user = name.map(Self.user) } }

    private static func user(_ name: String) -> SignedInUser {
        SignedInUser(subject: name, issuer: "https://sso.example.com", claims: .members([:]), session: name)
    }

    var user: SignedInUser? { state.withLock { $0.user } }
    var allowsAnonymous: Bool { true }

    func changes() -> AsyncStream<SignedInUser?> {
        let (stream, continuation) = AsyncStream.makeStream(of: SignedInUser?.self)
        state.withLock { state in
            state.listeners.append(continuation)
            continuation.yield(state.user)
        }
        return stream
    }

    func become(_ name: String?) {
        let (user, listeners) = state.withLock { state in
            state.user = name.map(Self.user)
            return (state.user, state.listeners)
        }
        for listener in listeners { listener.yield(user) }
    }
}

/// Sources of tokens by file, variable and program; each counts how often it is asked.
final class Sources: TokenSources, Sendable {
    private struct State {
        var tokens: [String: String] = [:]
        var asked: [String] = []
    }

    private let state = Mutex(State())
    private let held: OneShot?

    /// Nobody gets a token before something has happened.
    init(_ tokens: [String: String] = [:], until held: OneShot? = nil) {
        self.held = held
        state.withLock { $0.tokens = tokens }
    }

    var asked: [String] { state.withLock { $0.asked } }
    func become(_ name: String, _ token: String?) { state.withLock { $0.tokens[name] = token } }

    func supply(_ origin: TokenOrigin, timeLimit: Duration, from place: ValueOrigin?) -> any TokenSupply {
        let name =
            switch origin {
            case .auth: "auth"
            case .file(let path): path
            case .variable(let name): name
            case .program(let call, _): call.program
            case .code: "code"
            }
        return Supply(name: name, sources: self)
    }

    fileprivate func token(_ name: String) async throws(Fault) -> SuppliedToken {
        await held?.wait()
        let token = state.withLock { state in
            state.asked.append(name)
            return state.tokens[name]
        }
        guard let token else { throw Fault("\(name) has none") }
        return SuppliedToken(Secret(token))
    }

    private struct Supply: TokenSupply {
        let name: String
        let sources: Sources
        var fault: Fault? { nil }
        func refused(_ token: SuppliedToken) async {}
        func token(minimumLifetime: Duration) async throws(Fault) -> SuppliedToken { try await sources.token(name) }
    }
}

/// The device that HALO learns tokens with.
final class HeldDevice: DeviceRegistering, Sendable {
    private struct State {
        var device = KnownDevice(id: "d-1", alias: "cart-17", email: nil, tags: [], tokens: [])
        var registrationState = DeviceRegistrationState.saved
        var saves = 0
        var listeners: [AsyncStream<KnownDevice>.Continuation] = []
    }

    private let state = Mutex(State())

    var device: KnownDevice { state.withLock { $0.device } }
    var registrationState: DeviceRegistrationState { state.withLock { $0.registrationState } }
    /// How often somebody has wanted it saved though nothing had changed.
    var saves: Int { state.withLock { $0.saves } }

    func changes() -> AsyncStream<KnownDevice> {
        let (stream, continuation) = AsyncStream.makeStream(of: KnownDevice.self)
        state.withLock { $0.listeners.append(continuation) }
        return stream
    }

    func change(_ change: @escaping @Sendable (inout KnownDevice) -> Void) async throws(Fault) {
        state.withLock { change(&$0.device) }
    }

    func save() async throws(Fault) { state.withLock { $0.saves += 1 } }

    func become(_ registrationState: DeviceRegistrationState) {
        let (device, listeners) = state.withLock { state in
            state.registrationState = registrationState
            return (state.device, state.listeners)
        }
        for listener in listeners { listener.yield(device) }
    }
}

/// Servers that are built in.
private struct Embedded: EmbeddedPushing {
    func unifiedPush(_ registrar: String, admitting variant: String, secret: Secret<String>) -> String {
        "http://127.0.0.1:1/\(variant)"
    }
    func altcraft(_ registrar: String, admitting roleToken: Secret<String>?, webPush: String?) -> String {
        "http://127.0.0.1:1/crm"
    }
    func healthCloud(_ registrar: String, at path: String, header: String, key: Secret<String>) {}
    func halo(_ registrar: String) {}
    func autopush() -> String? { nil }
    func pushes() -> AsyncStream<CarriedPush> { AsyncStream { $0.finish() } }
    func acknowledge(_ id: String) async {}
}

/// A server that answers what it is told to, and notes what it was asked.
final class ScriptedServer: ServerClient {
    struct Asked: Sendable {
        let method: String
        let address: String
        let fields: Fields
        let body: String
    }

    private struct State {
        var asked: [Asked] = []
        var answers: [(status: Int, body: String)] = []
    }

    private let state = Mutex(State())

    var asked: [Asked] { state.withLock { $0.asked } }

    /// The next answers, in their order; where there are none, what the real server answers where all is well.
    func answer(_ status: Int, _ body: String = "") { state.withLock { $0.answers.append((status, body)) } }

    func take(_ asked: Asked) -> (status: Int, body: String) {
        state.withLock { state in
            state.asked.append(asked)
            guard state.answers.isEmpty else { return state.answers.removeFirst() }
            if asked.method == "POST", asked.address.hasSuffix("/registry/device") { return (200, asked.body) }
            let isAltcraft = ["/subscription/", "/profile/", "/event/"].contains { asked.address.contains($0) }
            return (200, isAltcraft ? #"{"error":0,"error_text":""}"# : "")
        }
    }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        let address: String
        switch call.destination {
        case .address(let given): address = given.text
        case .path(let path, let query): address = path + (query.map { "?\($0)" } ?? "")
        case .below: throw CallFailure(.noAddress, "no address", wasNotSent: true)
        }
        let answer = take(.init(method: call.method.name, address: address, fields: call.fields, body: ""))
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
        var delegate: (any OutboxDelegate)?
        var waiting: [OutboxRequest] = []
        var done: Set<String> = []
        var reasons: [String] = []
        var tries: [String: Int] = [:]
        var last = 0
    }

    private let server: ScriptedServer
    private let state = Mutex(State())

    init(_ server: ScriptedServer) { self.server = server }

    var waiting: [OutboxRequest] { state.withLock { $0.waiting } }
    /// Why requests wait or are not needed any more.
    var reasons: [String] { state.withLock { $0.reasons } }

    func post(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxReceipt {
        state.withLock { state in
            state.last += 1
            var request = request
            let id = request.id ?? "request-\(state.last)"
            request.id = id
            guard !state.done.contains(id), !state.waiting.contains(where: { $0.id == id }) else {
                return OutboxReceipt(id: id, isNew: false)
            }
            state.waiting.append(request)
            return OutboxReceipt(id: id, isNew: true)
        }
    }

    func isUntried(_ id: String) async -> Bool { false }
    func drain() {}
    func register(_ service: String, _ delegate: any OutboxDelegate, in _: Registrations) {
        state.withLock { $0.delegate = delegate }
    }

    /// Carries the first that waits; one that fails for now waits on.
    ///
    /// `before` comes between request and response.
    func deliver(_ before: () async throws -> Void = {}) async throws {
        let (delegate, first, tries) = state.withLock { state in
            (state.delegate, state.waiting.first, state.waiting.first?.id.flatMap { state.tries[$0] } ?? 0)
        }
        guard let first, let id = first.id else { return }
        let item = OutboxItem(id: id, request: first, attempts: tries, posted: 0)
        var request = first
        guard let delegate else { return }
        switch await delegate.ready(item) {
        case .send(let readied): request = readied
        case .wait(let reason, _): return state.withLock { $0.reasons.append(reason) }
        case .obsolete(let reason):
            state.withLock { $0.reasons.append(reason) }
            return end(id)
        }
        let body = String(decoding: request.body, as: UTF8.self)
        let told = server.take(
            .init(method: request.method.name, address: request.address, fields: request.fields, body: body)
        )
        try await before()
        let answer = OutboxAnswer(status: Status(told.status), fields: [:], body: Array(told.body.utf8))
        switch told.status {
        case 200..<300:
            try await delegate.answered(item, answer)
            end(id)
        case 429, 500...: state.withLock { $0.tries[id, default: 0] += 1 }
        default:
            end(id)
            await delegate.givenUp(item, because: "the server responded with status \(told.status)", answer: answer)
        }
    }

    private func end(_ id: String) {
        state.withLock { state in
            state.waiting.removeAll { $0.id == id }
            state.done.insert(id)
        }
    }
}
