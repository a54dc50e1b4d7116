import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireNetworkContract
import WireService
import WireSQLite
import WireSync
import WireTelemetry
import Workbench

/// The service with a server that the test plays: queries by a closure, subscriptions by event streams.
final class LiveBench: Sendable {
    static let schema = """
        scalar GraphbackTimestamp
        type Task { id: ID!, title: String!, owner: String }
        type TaskPage { items: [Task]!, count: Int }
        type TaskDelta { id: ID!, title: String, owner: String, _deleted: Boolean, _lastUpdatedAt: GraphbackTimestamp }
        type TaskDeltaList { items: [TaskDelta]!, lastSync: GraphbackTimestamp!, limit: Int }
        type Query {
          findTasks: TaskPage!
          getTask(id: ID!): Task
          tasksOf(owner: String!): [Task!]!
          syncTasks(lastSync: GraphbackTimestamp!, limit: Int): TaskDeltaList!
          version: Int
        }
        type Mutation { createTask(title: String!): Task }
        type Subscription { newTask(owner: String): Task!, count: Int! }
        """
    static let operations = """
        query AllTasks { findTasks { items { id title } } }
        query OneTask($id: ID!) { getTask(id: $id) { id title } }
        query TasksOf($owner: String!) { tasksOf(owner: $owner) { id title } }
        query Version { version }
        query Changed($lastSync: GraphbackTimestamp!, $limit: Int) {
          syncTasks(lastSync: $lastSync, limit: $limit) { items { id title _deleted } lastSync }
        }
        query Told($lastSync: GraphbackTimestamp!, $limit: Int) {
          syncTasks(lastSync: $lastSync, limit: $limit) { items { id title _deleted _lastUpdatedAt } lastSync }
        }
        mutation CreateTask($title: String!) { createTask(title: $title) { id title } }
        subscription NewTask($owner: String) { newTask(owner: $owner) { id title } }
        """

    let bench: Workbench
    let server: LiveServer
    let link: HandLink
    let people: HandPeople
    let service: SyncService
    private let life: Mutex<Task<Void, any Error>?>

    init(
        _ section: String,
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        server: LiveServer = LiveServer(),
        isOfUsers: Bool = false,
        people: HandPeople = HandPeople()
    ) async throws {
        bench = try Workbench(in: folder, clock: clock)
        (self.server, link, self.people) = (server, HandLink(), people)
        _ = try bench.folder.write(Self.schema, to: "schema.graphqls")
        _ = try bench.folder.write(Self.operations, to: "operations.graphql")
        let text = """
            version: 1
            app: { id: com.example.tasks }
            network: {}
            \(isOfUsers ? "auth: { url: https://sso.example.com, clientId: tasks, redirectUri: 'com.example.tasks://r' }" : "")
            sync:
              url: https://api.example.com/graphql
              protocol: sse
              authenticated: \(isOfUsers)
              schema: schema.graphqls
              operations: operations.graphql
              reconnect: { min: 1s, max: 1s }
            \(section.split(separator: "\n").map { "  \($0)\n" }.joined())
            """
        let file = try SectionInFile<SyncSection>(file: text)
        var abilities: [OfferedAbility] = [
            ServiceAbility.serverRequests.offered(by: server), ServiceAbility.connectivity.offered(by: link),
            Ability.secrecy.offered(by: OpenSSLSecrecy()),
        ]
        if isOfUsers {
            abilities += [
                ServiceAbility.userPresence.offered(by: people), ServiceAbility.accessTokens.offered(by: people),
            ]
        }
        service = try await SyncService.prepare(file.settings, in: bench.host(for: file, offering: abilities))
        try await service.start()
        let service = service
        life = Mutex(Task { try await service.run() })
    }

    func end() async {
        await service.drain()
        let life = life.withLock { $0.take() }
        life?.cancel()
        _ = await life?.result
        await service.stop()
        await bench.store.close()
    }

    /// The next run of the program, over the same files.
    func restarted(_ section: String) async throws -> LiveBench {
        await end()
        return try await LiveBench(section, in: bench.folder, clock: bench.clock, server: server)
    }

    /// Waits until something is so, letting time pass.
    func passing(_ time: Duration = .seconds(1), until isSo: () async throws -> Bool) async rethrows -> Bool {
        for _ in 0..<200 {
            for _ in 0..<20 {
                if try await isSo() { return true }
                await breath()
            }
            bench.clock.pass(time)
        }
        return false
    }

    // MARK: Asking

    func ask(
        _ method: WireHTTP.Method,
        _ path: String,
        _ body: JSONValue? = nil,
        rights: Rights = .everything("test")
    ) async throws -> JSONValue {
        let target = try #require(Target(parsing: path))
        let fields: Fields = body == nil ? [:] : ["Content-Type": "application/json"]
        var request = Request(
            method: method,
            target: target,
            fields: fields,
            caller: .process(user: 0, group: 0, id: 1)
        )
        request.rights = rights
        let response: Response
        switch Router(service.routes).exchange(for: request).plan {
        case .answer(let answer): response = answer
        case .collect(_, let collect):
            request.body = body?.bytes() ?? []
            switch collect(request) {
            case .now(let answer): response = answer
            case .later(let work): response = await work()
            }
        case .stream: return .null
        }
        guard case .bytes(let bytes) = response.body else { return .null }
        return bytes.isEmpty ? .null : try JSONValue(parsing: bytes, named: "answer")
    }

    func query(_ name: String, _ policy: String, _ variables: JSONValue? = nil) async throws -> JSONValue {
        let body = JSONValue.members([
            "operation": .string(name), "policy": .string(policy), "variables": variables,
        ])
        return try await ask(.post, "/v1/sync/query", body)
    }

    /// The titles of the cached list; nil where it is not cached.
    func titles() async throws -> [String]? {
        try await query("AllTasks", "cacheOnly")["data"]?["findTasks"]?["items"]?.array?.map { task in
            "\(task["id"]?.string ?? "?") \(task["title"]?.string ?? "?")"
        }
    }

    func live() async throws -> JSONValue { try await ask(.get, "/v1/sync/subscriptions") }

    func subscription(_ index: Int = 0) async throws -> JSONValue {
        try await live()["subscriptions"]?.array?.dropFirst(index).first ?? .null
    }

    func delta() async throws -> JSONValue { try await live()["delta"]?.array?.first ?? .null }
}

/// A server that the test plays.
final class LiveServer: ServerClient {
    struct Stream: Sendable {
        let variables: JSONValue?
        fileprivate let body: StreamedBody

        func send(_ data: JSONValue) {
            let result = JSONValue.members(["data": data])
            body.put(Array("event: next\ndata: \(result.text())\n\n".utf8))
        }

        func cut() { body.end() }
    }

    private struct State {
        var isOnline = true
        var streams: [Stream] = []
        var requests: [JSONValue] = []
        var refusal: String?
        var answer: @Sendable (JSONValue) -> JSONValue = { _ in .members(["data": .members([:])]) }
    }

    private let state = Mutex(State())

    var streams: [Stream] { state.withLock { $0.streams } }
    /// The requests for an operation so far.
    func requests(_ name: String) -> [JSONValue] {
        state.withLock { $0.requests.filter { $0["operationName"]?.string == name } }
    }

    func answer(_ answer: @escaping @Sendable (JSONValue) -> JSONValue) { state.withLock { $0.answer = answer } }
    func set(online: Bool) { state.withLock { $0.isOnline = online } }
    /// Refuses subscriptions with a message, or takes them.
    func refuse(_ message: String?) { state.withLock { $0.refusal = message } }

    func url(of address: Address) -> WebURL? { address.absolute }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        guard case .bytes(let bytes)? = Optional(call.body), let json = try? JSONValue(parsing: bytes, named: "request")
        else { throw CallFailure(.noAddress, "no request", wasNotSent: true) }
        let isStream = call.fields["Accept"]?.hasPrefix("text/event-stream") == true
        let (stream, answer): (StreamedBody?, JSONValue) = try state.withLock { state throws(CallFailure) in
            guard state.isOnline else { throw CallFailure(.offline, "there is no network", wasNotSent: true) }
            state.requests.append(json)
            guard isStream else { return (nil, state.answer(json)) }
            if let refusal = state.refusal {
                return (nil, .members(["errors": .array([.members(["message": .string(refusal)])])]))
            }
            let body = StreamedBody()
            state.streams.append(Stream(variables: json["variables"], body: body))
            return (body, .null)
        }
        let type = stream == nil ? "application/json" : "text/event-stream"
        let body: any BodyReader = stream ?? WholeBody(answer.bytes())
        return ServerAnswer(status: Status(200), fields: ["Content-Type": type], body: body)
    }
}

private final class WholeBody: BodyReader {
    private let rest: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) { rest = Mutex(bytes) }

    func read() async throws -> [UInt8]? { rest.withLock { $0.take() } }
}

private final class StreamedBody: BodyReader {
    private let waiting = Mutex<(bytes: [UInt8], isOver: Bool)>(([], false))
    private let wakeup = Wakeup()

    func put(_ bytes: [UInt8]) {
        waiting.withLock { $0.bytes += bytes }
        wakeup.wake()
    }

    func end() {
        waiting.withLock { $0.isOver = true }
        wakeup.wake()
    }

    func read() async throws -> [UInt8]? {
        while true {
            let (bytes, isOver) = waiting.withLock { waiting in
                defer { waiting.bytes = [] }
                return waiting
            }
            if !bytes.isEmpty { return bytes }
            if isOver { return nil }
            guard await wakeup.next() != nil else { throw CancellationError() }
        }
    }
}
