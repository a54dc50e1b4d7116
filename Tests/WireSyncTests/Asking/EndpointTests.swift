import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireSync
import Workbench

@Suite("The GraphQL endpoint", .timeLimit(.minutes(2)))
struct EndpointTests {
    private static let counting: @Sendable () -> HandServer = {
        HandServer { _, number in HandServer.data(#"{"now":\#(number)}"#) }
    }

    @Test(
        "the cache policy of a request is in an extension or a header field",
        arguments: [
            (nil, nil, #"{"now":1}"#, "hit; age=10"), ("networkOnly", nil, #"{"now":2}"#, "miss"),
            (nil, #"{"policy":"networkOnly"}"#, #"{"now":2}"#, "miss"),
            ("networkOnly", #"{"policy":"cacheOnly"}"#, #"{"now":1}"#, "hit; age=10"),
            (nil, #"{"maxAge":"10s"}"#, #"{"now":2}"#, "miss"),
            (nil, #"{"maxAge":"11s"}"#, #"{"now":1}"#, "hit; age=10"),
            (nil, #"{"policy":"cacheOnly","maxAge":"5s"}"#, #"{"now":1}"#, "stale; age=10"),
        ] as [(String?, String?, String, String)]
    )
    func policy(field: String?, options: String?, data: String, fact: String) async throws {
        let bench = try await AskBench(server: Self.counting())
        _ = try await bench.graphQL("{ now }")
        bench.bench.clock.pass(.seconds(10))
        let fields: Fields = field.map { ["Corewire-Policy": $0] } ?? [:]
        let answer = try await bench.graphQL("{ now }", options: options, fields)
        #expect(answer.status == 200 && answer.json["data"]?.text() == data)
        #expect(answer.fields["Corewire-Cache"] == fact)
        // An answer to a client that knows nothing of it is the server's own.
        let told = answer.json["extensions"]?["corewire"]
        #expect((told == nil) == (options == nil))
        guard let told else { return await bench.end() }
        #expect(told["source"]?.string == (fact == "miss" ? "server" : "cache"))
        #expect(told["age"]?.integer == (fact == "miss" ? nil : 10))
        #expect(told["stale"]?.text() == "\(fact.hasPrefix("stale"))")
        await bench.end()
    }

    @Test(
        "an unknown policy gets 400",
        arguments: [
            ("cachefirst", nil, "'Corewire-Policy': found 'cachefirst'"),
            (nil, #"{"policy":"none"}"#, "'extensions.corewire.policy': found 'none'"),
            (nil, #"{"policy":1}"#, "'extensions.corewire.policy': expected text, found a number"),
            (nil, #"{"maxAge":"old"}"#, "'extensions.corewire.maxAge': found 'old', expected a duration"),
            (nil, "[]", "'extensions.corewire': expected an object, found a list"),
        ] as [(String?, String?, String)]
    )
    func unknownPolicy(field: String?, options: String?, message: String) async throws {
        let bench = try await AskBench(server: Self.counting())
        let fields: Fields = field.map { ["Corewire-Policy": $0] } ?? [:]
        let answer = try await bench.graphQL("{ now }", options: options, fields)
        #expect(answer.status == 400)
        let error = answer.json["errors"]?.array?.first
        #expect(error?["message"]?.string?.hasPrefix(message) == true, "\(answer.json.text())")
        #expect(error?["extensions"]?["code"]?.string == "BAD_REQUEST")
        #expect(bench.server.count == 0)
        await bench.end()
    }

    @Test("queries use GET if set, long ones and mutations POST; HTTP caches store the responses")
    func get() async throws {
        let bench = try await AskBench("queriesByGet: true", server: Self.counting())
        _ = try await bench.graphQL("{ now }")
        let call = try #require(bench.server.calls.first)
        #expect(call.method == .get)
        guard case .below(_, let path, let query) = call.destination else {
            Issue.record("\(call.destination)")
            return
        }
        #expect(path.isEmpty)
        #expect(query?.removingPercentEncoding?.hasPrefix("query={") == true, "\(query ?? "")")
        #expect(call.fields["Content-Type"] == nil && call.fields["Apollo-Require-Preflight"] == "true")
        #expect(try await bench.graphQL("{ now }").fields["Corewire-Cache"] == "hit; age=0")
        _ = try await bench.query("{ now(text: \"\(String(repeating: "x", count: 5_000))\") }")
        _ = try await bench.ask(.post, "/v1/sync/mutate", #"{"query":"mutation { touch }"}"#)
        #expect(bench.server.calls.map(\.method).suffix(2) == [.post, .post])
        await bench.end()
    }

    @Test("a persisted query is sent by GET, and by POST if the server does not know it")
    func persistedByGet() async throws {
        let unknown = try json(#"{"errors":[{"message":"PersistedQueryNotFound"}]}"#)
        let server = HandServer { _, number in number == 1 ? unknown : HandServer.data(#"{"now":2}"#) }
        let bench = try await AskBench("queriesByGet: true\n  persistedQueries: true", server: server)
        #expect(try await bench.graphQL("{ now }").json["data"]?.text() == #"{"now":2}"#)
        #expect(server.calls.map(\.method) == [.get, .post])
        guard case .below(_, _, let query) = server.calls[0].destination else { return }
        #expect(query?.hasPrefix("extensions=%7B%22persistedQuery%22") == true)
        await bench.end()
    }

    @Test(
        "without a schema, rules that need none still apply",
        arguments: [
            ("{ ...a } fragment a on T { ...b } fragment b on T { ...a }", "spreads itself"),
            ("{ ...a }", "unknown fragment 'a'"), ("query { x(a: $b) }", "$b"),
            ("query a { x } query a { y }", "duplicate operation"),
        ]
    )
    func names(text: String, message: String) async throws {
        let bench = try await AskBench(server: Self.counting())
        let answer = try await bench.query(text)
        #expect(answer.status == 400)
        #expect(answer.json["detail"]?.string?.contains(message) == true, "\(answer.json.text())")
        #expect(bench.server.count == 0)
        await bench.end()
    }

    @Test("clearing removes persisted documents")
    func cleared() async throws {
        let bench = try await AskBench(server: Self.counting())
        let hash = "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"
        let named = #"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"\#(hash)"}}}"#
        let whole = #"{"query":"{__typename}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"\#(hash)"}}}"#
        _ = try await bench.ask(.post, "/v1/sync/graphql", whole)
        #expect(try await bench.ask(.post, "/v1/sync/graphql", named).json["errors"] == nil)
        _ = try await bench.bench.clear(.all)
        let answer = try await bench.ask(.post, "/v1/sync/graphql", named)
        #expect(answer.json["errors"]?.array?.first?["message"]?.string == "PersistedQueryNotFound")
        await bench.end()
    }
}

extension AskBench {
    func graphQL(_ text: String, options: String? = nil, _ fields: Fields = [:]) async throws -> (
        status: Int, fields: Fields, json: JSONValue
    ) {
        let extensions = try options.map { try JSONValue.object([("corewire", json($0))]) }
        let body = JSONValue.members(["query": .string(text), "extensions": extensions])
        return try await ask(.post, "/v1/sync/graphql", body.text(), fields)
    }
}
