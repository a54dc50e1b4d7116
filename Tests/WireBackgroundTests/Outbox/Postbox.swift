import Support
import Synchronization
import WireBackground
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireWorkContract
import Workbench

/// An outbox that runs, with a real store and servers played by the test.
final class Postbox: Sendable {
    let bench: Workbench
    let servers: PlayedServers
    let network = PlayedNetwork()
    let people = PlayedPeople()
    let tokens = PlayedTokens()
    let service: BackgroundService
    let outbox: any Outbox
    /// What the queue is called in the store.
    let queue: String
    /// The queue, where it is one that fails.
    let shaky: ShakyQueue?
    private let life: Mutex<Task<Void, any Error>?>

    init(
        _ section: String = "{}",
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        servers: PlayedServers = PlayedServers(),
        failing step: ShakyQueue.Step? = nil,
        as kind: StoreFailure.Kind = .busy,
        group: DataStore? = nil
    ) async throws {
        let storeClock = StoreClock(
            now: { clock.clockwork.wall() },
            uptime: { clock.clockwork.monotonic().inMicroseconds / 1_000 },
            boot: "boot"
        )
        bench = try Workbench(in: folder, clock: clock, storeClock: storeClock)
        self.servers = servers
        let store = bench.store
        shaky = step.map { ShakyQueue(store, failing: $0, as: kind) }
        let text = "version: 1\napp: { id: com.example.tasks }\nnetwork: {}\nbackground: \(section)\n"
        let file = try SectionInFile<BackgroundSection>(file: text)
        let host: BackgroundHost = bench.host(
            for: file,
            offering: [
                ServiceAbility.serverRequests.offered(by: servers), ServiceAbility.connectivity.offered(by: network),
                ServiceAbility.userPresence.offered(by: people), ServiceAbility.accessTokens.offered(by: tokens),
            ],
            queue: shaky,
            group: group
        )
        queue = "outbox/com.example.tasks/\(host.environmentScope)"
        service = try await BackgroundService.prepare(file.settings, in: host)
        guard let outbox = Abilities(service.abilities)[.outbox] else {
            throw Missing()
        }
        self.outbox = outbox
        try await service.start()
        let service = service
        life = Mutex(Task { try await service.run() })
    }

    struct Missing: Error {}

    /// Ends it as the runner does.
    func stop() async {
        await service.drain()
        await kill()
    }

    /// Ends it without letting anything end by itself.
    func kill() async {
        let task = life.withLock { $0.take() }
        task?.cancel()
        _ = await task?.result
        await service.stop()
        await bench.store.close()
    }

    /// Lets time pass, for the store as well.
    func pass(_ time: Duration) async throws { try await bench.pass(time) }

    func post(_ id: String, lane: String = "ada", _ change: (inout OutboxRequest) -> Void = { _ in }) async throws
        -> OutboxReceipt
    {
        var request = OutboxRequest(.post, "/things/\(id)", lane: lane, service: "app")
        request.id = id
        change(&request)
        return try await outbox.post(request)
    }

    /// What the local API answers.
    func ask(_ method: WireHTTP.Method, _ target: String, _ body: String = "") async throws -> (
        status: Int, json: JSONValue
    ) {
        guard let parsed = Target(parsing: target) else { throw Missing() }
        var request = Request(
            method: method,
            target: parsed,
            fields: body.isEmpty ? [:] : ["Content-Type": "application/json"],
            caller: .address("test")
        )
        request.body = Array(body.utf8)
        let wanted = parsed.segments
        for route in service.routes where route.method == method {
            let parts = route.pattern.split(separator: "/").map(String.init)
            guard parts.count == wanted.count, zip(parts, wanted).allSatisfy({ $0.hasPrefix("{") || $0 == $1 }) else {
                continue
            }
            request.parameters = zip(parts, wanted).filter { $0.0.hasPrefix("{") }
                .map { (name: String($0.0.dropFirst().dropLast()), value: $0.1) }
            guard case .work(let answer) = route.handler else { continue }
            do {
                return try Self.read(await answer(request))
            } catch let problem as Problem {
                return try Self.read(problem.response)
            } catch let failure as OutboxFailure {
                return try Self.read(Problem(failure).response)
            }
        }
        throw Missing()
    }

    private static func read(_ response: Response) throws -> (Int, JSONValue) {
        guard case .bytes(let bytes) = response.body else { throw Missing() }
        return (response.status.code, bytes.isEmpty ? .null : try JSONValue(parsing: bytes, named: "answer"))
    }

    /// The ids of events so far, by their names without `outbox.`.
    func told(_ name: String) -> [String] {
        bench.events(named: "outbox.\(name)").compactMap { $0.data["id"]?.string }
    }
}

/// Servers whose answers the test decides; they note what they were sent.
final class PlayedServers: ServerClient {
    enum Play: Sendable {
        case answer(Int, Fields = [:], String = "")
        case failure(CallFailure)
        /// Nothing comes until the test lets it.
        case held(OneShot)
    }

    struct Sent: Sendable {
        let id: String
        let call: ServerCall
    }

    private let state = Mutex((sent: [Sent](), play: { @Sendable (_: Sent, _: Int) -> Play in .answer(201) }))

    func play(_ play: @escaping @Sendable (Sent, _ attempt: Int) -> Play) { state.withLock { $0.play = play } }

    var sent: [Sent] { state.withLock { $0.sent } }
    var ids: [String] { sent.map(\.id) }

    private let base = try? WebURL(parsing: "https://api.example.com/v2")

    func url(of address: Address) -> WebURL? { address.resolved(against: base) }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        let sent = Sent(id: call.fields["Request-ID"] ?? "", call: call)
        let (play, attempt) = state.withLock { state in
            let attempt = state.sent.filter { $0.id == sent.id }.count
            state.sent.append(sent)
            return (state.play, attempt)
        }
        switch play(sent, attempt) {
        case .answer(let status, let fields, let body):
            return ServerAnswer(status: Status(status), fields: fields, body: PlayedBody(body))
        case .failure(let failure): throw failure
        case .held(let barrier):
            await barrier.wait()
            return ServerAnswer(status: .created, fields: [:], body: PlayedBody(""))
        }
    }
}

final class PlayedBody: BodyReader {
    private let rest: Mutex<[UInt8]?>

    init(_ text: String) { rest = Mutex(text.isEmpty ? nil : Array(text.utf8)) }

    func read() async throws -> [UInt8]? { rest.withLock { $0.take() } }
}

/// A network that comes and goes as the test says.
final class PlayedNetwork: Connectivity {
    private let state = Mutex((isOnline: true, listeners: [AsyncStream<Bool>.Continuation]()))

    var isOnline: Bool { state.withLock { $0.isOnline } }
    var obstacle: String? { isOnline ? nil : "there is no network" }

    func set(online: Bool) {
        let listeners = state.withLock { state in
            state.isOnline = online
            return state.listeners
        }
        for listener in listeners { listener.yield(online) }
    }

    func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        state.withLock { state in
            continuation.yield(state.isOnline)
            state.listeners.append(continuation)
        }
        return stream
    }
}

/// Somebody who signs in and out as the test says.
final class PlayedPeople: UserPresence {
    private let state = Mutex((user: nil as SignedInUser?, listeners: [AsyncStream<SignedInUser?>.Continuation]()))

    var user: SignedInUser? { state.withLock { $0.user } }
    let allowsAnonymous = true

    func signIn(_ name: String?) {
        let user = name.map { SignedInUser(subject: $0, issuer: "test", claims: .null, session: $0) }
        let listeners = state.withLock { state in
            state.user = user
            return state.listeners
        }
        for listener in listeners { listener.yield(user) }
    }

    func changes() -> AsyncStream<SignedInUser?> {
        let (stream, continuation) = AsyncStream.makeStream(of: SignedInUser?.self)
        state.withLock { state in
            continuation.yield(state.user)
            state.listeners.append(continuation)
        }
        return stream
    }
}

/// Tokens of which a test says when there are some again.
final class PlayedTokens: AccessTokens {
    private let listeners = Subscribers<Void>()

    func token(_ requestedRun: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        throw TokenRefusal(.unavailable, guidance: "There is no token now.")
    }
    func refused(_ token: AccessToken) async {}
    func recoveries() -> AsyncStream<Void> { listeners.listen(beginningWith: ()) }
    func recover() { listeners.notify(()) }
}
