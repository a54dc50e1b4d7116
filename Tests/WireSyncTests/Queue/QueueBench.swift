import Support
import Synchronization
import Testing
import WireBackground
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireNetworkContract
import WireService
import WireSQLite
import WireStore
import WireSync
import WireTelemetry
import Workbench

/// The service with its real outbox and store, and a server that the test plays.
final class QueueBench: Sendable {
    static let schema = """
        type Task { id: ID!, title: String!, done: Boolean!, note: String, _version: Int }
        type TaskResultList { items: [Task]!, count: Int }
        input CreateTaskInput { title: String!, done: Boolean = false, note: String }
        input MutateTaskInput { id: ID!, title: String, done: Boolean, note: String, _version: Int }
        type Query { findTasks: TaskResultList!, getTask(id: ID!): Task, overdue: [Task!]! }
        type Mutation {
          createTask(input: CreateTaskInput!): Task
          updateTask(input: MutateTaskInput!): Task
          deleteTask(input: MutateTaskInput!): Task
          sweep: Int
        }
        """
    static let operations = """
        query AllTasks { findTasks { items { id title done note _version } } }
        query OneTask($id: ID!) { getTask(id: $id) { id title } }
        mutation CreateTask($input: CreateTaskInput!) { createTask(input: $input) { id title done note _version } }
        mutation UpdateTask($input: MutateTaskInput!) { updateTask(input: $input) { id title done note _version } }
        mutation Rename($id: ID!, $title: String, $version: Int) {
          updateTask(input: { id: $id, title: $title, _version: $version }) { id title _version }
        }
        mutation DeleteTask($input: MutateTaskInput!) { deleteTask(input: $input) { id } }
        mutation Sweep { sweep }
        """

    let bench: Workbench
    let server: TaskServer
    let network: HandLink
    let people: HandPeople
    let service: SyncService
    let background: BackgroundService
    private let lives: Mutex<[Task<Void, any Error>]>

    init(
        _ section: String = "",
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        server: TaskServer = TaskServer(),
        network: HandLink = HandLink(),
        people: HandPeople = HandPeople(),
        isOfUsers: Bool = false,
        isQueueing: Bool = true,
        group: DataStore? = nil,
        around: (any KeyValueStore) -> (any KeyValueStore) = { $0 }
    ) async throws {
        let storeClock = StoreClock(
            now: { clock.clockwork.wall() },
            uptime: { clock.clockwork.monotonic().inMilliseconds },
            boot: "boot"
        )
        bench = try Workbench(in: folder, clock: clock, storeClock: storeClock)
        (self.server, self.network, self.people) = (server, network, people)
        _ = try bench.folder.write(Self.schema, to: "schema.graphqls")
        _ = try bench.folder.write(Self.operations, to: "operations.graphql")
        let text = """
            version: 1
            app: { id: com.example.tasks }
            network: {}
            background: { retry: { min: 1s, max: 10s } }
            \(isOfUsers ? "auth: { url: https://sso.example.com, clientId: tasks, redirectUri: 'com.example.tasks://r' }" : "")
            sync:
              url: https://api.example.com/graphql
              authenticated: \(isOfUsers)
              queueMutations: \(isQueueing)
              schema: schema.graphqls
              operations: operations.graphql
              secretHeaders: { api-key: sesame }
            \(section)
            """
        let abilities: [OfferedAbility] = [
            ServiceAbility.serverRequests.offered(by: server), ServiceAbility.connectivity.offered(by: network),
            Ability.secrecy.offered(by: OpenSSLSecrecy()), ServiceAbility.userPresence.offered(by: people),
            ServiceAbility.accessTokens.offered(by: people),
        ]
        let queue = try SectionInFile<BackgroundSection>(file: text)
        background = try await BackgroundService.prepare(
            queue.settings,
            in: bench.host(for: queue, offering: abilities, group: group)
        )
        let outbox = background.abilities.filter { $0.provision == Provision(.outbox) }
        let file = try SectionInFile<SyncSection>(file: text)
        service = try await SyncService.prepare(
            file.settings,
            in: bench.host(for: file, offering: abilities + outbox, values: around(bench.store), group: group)
        )
        try await background.start()
        try await service.start()
        let (service, background) = (service, background)
        lives = Mutex([
            Task { try await background.run() }, Task { try await service.run() },
        ])
    }

    /// Ends it without letting anything end by itself.
    func kill() async {
        let tasks = lives.withLock { lives in
            defer { lives = [] }
            return lives
        }
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        await service.stop()
        await background.stop()
        await bench.store.close()
    }

    /// The next run of the program, over the same files.
    func restarted(_ section: String = "") async throws -> QueueBench {
        await kill()
        return try await QueueBench(
            section,
            in: bench.folder,
            clock: bench.clock,
            server: server,
            network: network,
            people: people
        )
    }

    func goOffline() {
        server.set(online: false)
        network.become(false)
    }

    func goOnline() {
        server.set(online: true)
        network.become(true)
    }

    // MARK: Asking

    func ask(_ method: WireHTTP.Method, _ path: String, _ body: JSONValue? = nil) async throws -> (
        status: Int, json: JSONValue
    ) {
        let target = try #require(Target(parsing: path))
        let fields: Fields = body == nil ? [:] : ["Content-Type": "application/json"]
        var request = Request(
            method: method,
            target: target,
            fields: fields,
            caller: .process(user: 0, group: 0, id: 1)
        )
        request.rights = .everything("test")
        let response: Response
        switch Router(service.routes).exchange(for: request).plan {
        case .answer(let answer): response = answer
        case .collect(_, let collect):
            request.body = body?.bytes() ?? []
            switch collect(request) {
            case .now(let answer): response = answer
            case .later(let work): response = await work()
            }
        case .stream: throw Unanswered()
        }
        guard case .bytes(let bytes) = response.body else { throw Unanswered() }
        return (response.status.code, bytes.isEmpty ? .null : try JSONValue(parsing: bytes, named: "answer"))
    }

    struct Unanswered: Error {}

    func mutate(_ operation: String, _ input: JSONValue?, _ more: KeyValuePairs<String, JSONValue?> = [:]) async throws
        -> (status: Int, json: JSONValue)
    {
        let variables = input.map { JSONValue.object([("input", $0)]) }
        var members: [(key: String, value: JSONValue)] = [("operation", .string(operation))]
        if let variables { members.append(("variables", variables)) }
        for (key, value) in more { if let value { members.append((key, value)) } }
        return try await ask(.post, "/v1/sync/mutate", .object(members))
    }

    /// The titles of the cached list, each with the beginning of its id; nil where it is not cached.
    func titles() async throws -> [String]? {
        let (status, json) = try await ask(
            .post,
            "/v1/sync/query",
            .members(["operation": .string("AllTasks"), "policy": .string("cacheOnly")])
        )
        guard status == 200 else { return nil }
        return json["data"]?["findTasks"]?["items"]?.array?.map { task in
            "\(task["id"]?.string?.prefix(6) ?? "?") \(task["title"]?.string ?? "?")"
        }
    }

    /// Fills the cache with what the server has.
    func fetch() async throws {
        _ = try await ask(
            .post,
            "/v1/sync/query",
            .members(["operation": .string("AllTasks"), "policy": .string("networkOnly")])
        )
    }

    func state(_ id: String) async throws -> String? {
        try await ask(.get, "/v1/sync/queue/\(id)").json["state"]?.string
    }

    /// Waits until a mutation has come so far and that is told, letting time pass.
    func reaches(_ id: String, _ wanted: String) async throws -> Bool {
        for _ in 0..<400 {
            for _ in 0..<20 {
                if told(wanted).contains(id), try await state(id) == wanted { return true }
                await breath()
            }
            try await pass(.seconds(1))
        }
        return false
    }

    /// Lets time pass, for the store as well.
    func pass(_ time: Duration) async throws { try await bench.pass(time) }

    /// The mutations whose events are of a kind.
    func told(_ kind: String) -> [String] {
        bench.events(named: "sync.mutation.\(kind)").compactMap { $0.data["id"]?.string }
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}

func input(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue { .members(members) }

/// Users that sign in and out as a test says.
final class HandPeople: UserPresence, AccessTokens {
    private let state = Mutex((user: nil as SignedInUser?, listeners: [AsyncStream<SignedInUser?>.Continuation]()))

    var user: SignedInUser? { state.withLock { $0.user } }
    let allowsAnonymous = true
    /// Why nothing may be shown.
    private let locked = Mutex<TokenRefusal?>(nil)
    /// Told when there is a token again.
    let recovered = Subscribers<Void>()

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

    func token(_ options: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        AccessToken(value: Secret(user?.subject ?? "-"), type: "Bearer", expires: nil, mode: .user, scopes: [])
    }

    func refused(_ token: AccessToken) async {}
    func lock(_ refusal: TokenRefusal?) { locked.withLock { $0 = refusal } }
    func refusal(_ mode: TokenMode?) -> TokenRefusal? { locked.withLock { $0 } }
    /// Fires once the first of the recoveries was read; nil where recoveries are read at once.
    ///
    /// The read takes time, as on a busy machine: a recovery before it would replace the first value.
    let isHeard: OneShot?

    init(hearing isHeard: OneShot? = nil) { self.isHeard = isHeard }

    func recoveries() -> AsyncStream<Void> {
        let values = recovered.listen(beginningWith: ())
        guard let isHeard else { return values }
        return AsyncStream(unfolding: {
            for _ in 0..<100 where !isHeard.hasFired { await breath() }
            defer { isHeard.fire() }
            return await values.first { _ in true }
        })
    }
}
