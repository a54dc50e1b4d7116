import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireSync
import WireTelemetry
import Workbench

@Suite("Queries answered from memory", .timeLimit(.minutes(2)))
struct AnsweredAtOnceTests {
    private static let now = #"{"query":"{ now }"}"#
    private static let graphQL = "/v1/sync/graphql"
    private static let query = "/v1/sync/query"

    @Test(
        "an answer from memory is sent on the listener's thread, with the same fields and bytes as otherwise",
        arguments: [
            (graphQL, now, "application/json"), (graphQL, now, "application/graphql-response+json"),
            (graphQL, #"{"query":"{ now }","extensions":{"corewire":{}}}"#, "*/*"),
            (graphQL, #"{"query":"{ now }","extensions":{"corewire":{"policy":"cacheOnly","maxAge":"5s"}}}"#, "*/*"),
            (query, now, "application/json"),
            (query, #"{"query":"{ now }","policy":"cacheOnly","variables":{}}"#, "application/json"),
        ]
    )
    func sameAnswer(path: String, body: String, accept: String) async throws {
        let server = HandServer { _, _ in HandServer.data(#"{"now":"é \"x\" \\ \u0001 \u2028 🎉"}"#) }
        let bench = try await AskBench(server: server)
        #expect(try await bench.service.post(path, Self.now).status == 200)
        bench.bench.clock.pass(.seconds(10))
        let (quick, requests) = try await bench.service.postUntilAtOnce(path, body, ["Accept": accept])
        // A long body is not read on that thread.
        let space = String(repeating: " ", count: Request.smallBody)
        let slow = try await bench.service.post(path, body + space, ["Accept": accept])
        #expect(quick.isAtOnce && !slow.isAtOnce)
        #expect(quick.status == 200 && quick.status == slow.status)
        #expect(quick.fields == slow.fields)
        #expect(quick.text == slow.text && quick.text.contains(#""now":"é \"x\""#))
        #expect(server.count == 1)
        let hits = await bench.bench.metrics.text(.openMetrics).split(separator: "\n").filter {
            $0.hasPrefix("corewire_sync_queries_total")
        }
        let result = body.contains("maxAge") ? "stale" : "hit"
        #expect(hits.contains(#"corewire_sync_queries_total{result="\#(result)"} \#(requests + 1)"#), "\(hits)")
        await bench.end()
    }

    @Test(
        "all other requests are answered by async work",
        arguments: [
            (graphQL, #"{"query":"{  now }"}"#), (graphQL, #"{"query":"{ now }"#), (graphQL, "[]"),
            (graphQL, #"{"query":"{ now }","extensions":{"corewire":{"policy":"networkOnly"}}}"#),
            (graphQL, #"{"query":"{ now }","extensions":{"corewire":{"policy":"networkFirst"}}}"#),
            (graphQL, #"{"query":"{ now }","extensions":{"corewire":{"policy":"cacheAndNetwork"}}}"#),
            (graphQL, #"{"query":"{ now }","extensions":{"corewire":{"policy":"noCache"}}}"#),
            (graphQL, #"{"query":"{ now }","extensions":{"corewire":{"policy":"none"}}}"#),
            (graphQL, #"{"query":"{ now }","extensions":{"corewire":{"maxAge":"10s"}}}"#),
            (graphQL, #"{"query":"{ now }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}"#),
            (graphQL, #"{"query":"{ now }","operationName":"Other"}"#),
            (graphQL, #"{"query":"mutation { touch }"}"#), (query, #"{"query":"{ now }","policy":"networkOnly"}"#),
            (query, #"{"query":"{ now }","operation":"Now"}"#), (query, #"{"query":"{ now }","variables":[]}"#),
        ]
    )
    func others(path: String, body: String) async throws {
        let server = HandServer { _, number in HandServer.data(#"{"now":\#(number)}"#) }
        let bench = try await AskBench(server: server)
        _ = try await bench.service.post(path, Self.now)
        _ = try await bench.service.post(Self.graphQL, #"{"query":"mutation { touch }"}"#)
        bench.bench.clock.pass(.seconds(10))
        #expect(try await !bench.service.post(path, body).isAtOnce)
        await bench.end()
    }

    @Test("no answer from memory is sent to a caller without rights")
    func hidden() async throws {
        let people = HandPeople()
        people.signIn("anna")
        let bench = try await LiveBench("", isOfUsers: true, people: people)
        bench.server.answer { _ in .members(["data": .members(["version": .integer(1)])]) }
        let body = #"{"query":"{ version }"}"#
        _ = try await bench.service.post(Self.graphQL, body)
        #expect(try await bench.service.postUntilAtOnce(Self.graphQL, body).answer.isAtOnce)
        bench.server.set(online: false)
        let reader = Rights(access: .read, tokens: .none, account: "reader")
        let scoped = Rights(access: .read, tokens: TokenRights(modes: nil, scopes: ["a"]), account: "scoped")
        for rights in [reader, scoped] {
            let answer = try await bench.service.post(Self.graphQL, body, rights: rights)
            #expect(!answer.isAtOnce && !answer.text.contains(#""version":1"#), "\(answer.text)")
        }
        people.lock(TokenRefusal(.locked, guidance: "Unlock the session."))
        let locked = try await bench.service.post(Self.graphQL, body)
        #expect(!locked.isAtOnce && !locked.text.contains(#""version":1"#), "\(locked.text)")
        people.lock(nil)
        #expect(try await bench.service.postUntilAtOnce(Self.graphQL, body).answer.isAtOnce)
        people.signIn("bob")
        let other = try await bench.service.post(Self.graphQL, body)
        #expect(!other.isAtOnce && !other.text.contains(#""version":1"#), "\(other.text)")
        await bench.end()
    }
}

/// What a request by POST is answered with, and whether on the listener's own thread.
private struct PostAnswer {
    var isAtOnce = false
    let status: Int
    let fields: Fields
    let text: String
}

extension SyncService {
    /// Repeats a request that found the memory locked by another thread; returns the number of requests too.
    fileprivate func postUntilAtOnce(
        _ path: String,
        _ body: String,
        _ fields: Fields = [:]
    ) async throws -> (answer: PostAnswer, requests: Int) {
        var (answer, requests) = (try await post(path, body, fields), 1)
        while !answer.isAtOnce, requests < 100 {
            await Task.yield()
            (answer, requests) = (try await post(path, body, fields), requests + 1)
        }
        return (answer, requests)
    }

    fileprivate func post(
        _ path: String,
        _ body: String,
        _ fields: Fields = [:],
        rights: Rights = .everything("test")
    ) async throws -> PostAnswer {
        var fields = fields
        fields["Content-Type"] = "application/json"
        var request = Request(
            method: .post,
            target: try #require(Target(parsing: path)),
            fields: fields,
            caller: .process(user: 0, group: 0, id: 1)
        )
        request.rights = rights
        guard case .collect(_, let collector) = Router(routes).exchange(for: request).plan else {
            throw AskBench.Unanswered()
        }
        request.body = Array(body.utf8)
        let (response, isAtOnce) =
            switch collector(request) {
            case .now(let answer): (answer, true)
            case .later(let work): (await work(), false)
            }
        guard case .bytes(let bytes) = response.body else { throw AskBench.Unanswered() }
        return PostAnswer(
            isAtOnce: isAtOnce,
            status: response.status.code,
            fields: response.fields,
            text: String(decoding: bytes, as: UTF8.self)
        )
    }
}
