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
import Workbench

/// The service in front of a server whose answers a test gives.
final class AskBench: Sendable {
    let bench: Workbench
    let server: HandServer
    let service: SyncService
    private let life: Task<Void, any Error>

    /// The section has more keys in lines of their own.
    init(
        _ section: String = "",
        schema: String? = nil,
        url: String = "https://api.example.com/graphql",
        server: HandServer = HandServer(),
        requests: (any ServerClient)? = nil,
        abilities more: [OfferedAbility] = []
    ) async throws {
        (bench, self.server) = (try Workbench(), server)
        if let schema { _ = try bench.folder.write(schema, to: "schema.graphqls") }
        let text = """
            version: 1
            app: { id: com.example.tasks }
            network: {}
            sync:
              url: \(url)
              authenticated: false
              \(schema == nil ? "" : "schema: schema.graphqls")
              \(section)
            """
        let file = try SectionInFile<SyncSection>(file: text)
        let abilities: [OfferedAbility] = [
            ServiceAbility.serverRequests.offered(by: requests ?? server),
            Ability.secrecy.offered(by: OpenSSLSecrecy()),
        ]
        service = try await SyncService.prepare(file.settings, in: bench.host(for: file, offering: abilities + more))
        try await service.start()
        let service = service
        life = Task { try await service.run() }
        // Requests are shared once it runs.
        #expect(await eventually { service.isRunning })
    }

    func end() async {
        await service.drain()
        life.cancel()
        _ = await life.result
        await service.stop()
        await bench.store.close()
    }

    /// What a route answers; a stream goes to the writer.
    func ask(
        _ method: WireHTTP.Method,
        _ path: String,
        _ body: String = "",
        _ fields: Fields = [:],
        rights: Rights = .everything("test"),
        to writer: (any BodyWriter)? = nil
    ) async throws -> (status: Int, fields: Fields, json: JSONValue) {
        var fields = fields
        if !body.isEmpty { fields["Content-Type"] = "application/json" }
        return try await ask(method, path, bytes: Array(body.utf8), fields, rights: rights, to: writer)
    }

    /// The same with a body that comes in pieces.
    func ask(
        _ method: WireHTTP.Method,
        _ path: String,
        bytes: [UInt8],
        _ fields: Fields,
        rights: Rights = .everything("test"),
        piece: Int = 65_536,
        to writer: (any BodyWriter)? = nil
    ) async throws -> (status: Int, fields: Fields, json: JSONValue) {
        var request = Request(
            method: method,
            target: try #require(Target(parsing: path)),
            fields: fields,
            caller: .process(user: 0, group: 0, id: 1)
        )
        request.rights = rights
        let response: Response
        switch Router(service.routes).exchange(for: request).plan {
        case .answer(let answer): response = answer
        case .collect(_, let collect):
            request.body = bytes
            switch collect(request) {
            case .now(let answer): response = answer
            case .later(let work): response = await work()
            }
        case .stream(_, let work): response = await work(request, Piecewise(bytes, by: piece))
        }
        switch response.body {
        case .bytes(let bytes):
            let json = bytes.isEmpty ? JSONValue.null : try JSONValue(parsing: bytes, named: "answer")
            return (response.status.code, response.fields, json)
        case .stream(let write):
            try await write(try #require(writer))
            return (response.status.code, response.fields, .null)
        default: throw Unanswered()
        }
    }

    struct Unanswered: Error {}

    func query(_ text: String, policy: String = "networkOnly", rights: Rights = .everything("test")) async throws -> (
        status: Int, json: JSONValue
    ) {
        let body = JSONValue.members(["query": .string(text), "policy": .string(policy)])
        let answer = try await ask(.post, "/v1/sync/query", body.text(), rights: rights)
        return (answer.status, answer.json)
    }
}

/// A server that answers as a test says, and keeps what it was asked.
final class HandServer: ServerClient {
    typealias Answer = @Sendable (_ request: JSONValue, _ number: Int) async -> JSONValue

    private struct State {
        var calls: [ServerCall] = []
        var requests: [JSONValue] = []
        var cancelled = 0
        var answer: Answer
    }

    private let state: Mutex<State>

    init(_ answer: @escaping Answer = { _, _ in HandServer.data("{}") }) { state = Mutex(State(answer: answer)) }

    static func data(_ text: String) -> JSONValue { .members(["data": try? json(text)]) }

    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    var calls: [ServerCall] { state.withLock { $0.calls } }
    var requests: [JSONValue] { state.withLock { $0.requests } }
    var count: Int { state.withLock { $0.calls.count } }
    var cancelled: Int { state.withLock { $0.cancelled } }

    func url(of address: Address) -> WebURL? { address.absolute }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        var request = JSONValue.null
        if case .bytes(let bytes) = call.body { request = (try? JSONValue(parsing: bytes, named: "request")) ?? .null }
        let (answer, number) = state.withLock { state in
            state.calls.append(call)
            state.requests.append(request)
            return (state.answer, state.calls.count)
        }
        let json = await answer(request, number)
        if Task.isCancelled {
            state.withLock { $0.cancelled += 1 }
            throw CallFailure(.cancelled, "cancelled", wasNotSent: false)
        }
        return ServerAnswer(
            status: .ok,
            fields: ["Content-Type": "application/json"],
            body: Piecewise(json.bytes())
        )
    }
}

/// A body that comes in pieces.
final class Piecewise: BodyReader {
    private let rest: Mutex<ArraySlice<UInt8>>
    private let size: Int

    init(_ bytes: [UInt8], by size: Int = 65_536) {
        rest = Mutex(bytes[...])
        self.size = size
    }

    func read() async throws -> [UInt8]? {
        rest.withLock { rest in
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
    }
}

/// Reads the events of a stream.
final class HeardEvents: BodyWriter {
    private let text = Mutex("")

    func write(_ bytes: [UInt8]) async throws {
        text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
    }

    /// The data of each event so far.
    var all: [String] {
        text.withLock { $0.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { String($0.dropFirst(6)) } }
    }
}
