import Foundation
import Support
import Testing

/// BY-17: a local GraphQL endpoint for any client.
@Suite("The local GraphQL endpoint", .timeLimit(.minutes(3)))
struct GraphQLEndpointTests {
    private static let path = "/v1/sync/graphql"

    private static func request(_ document: String) -> String { #"{"query":"\#(document)"}"# }

    @Test(
        "statuses and media types follow GraphQL over HTTP",
        arguments: [
            ("application/json", "{ findTasks { count } }", 200, "application/json; charset=utf-8"),
            ("application/json", "{ nothing }", 200, "application/json; charset=utf-8"),
            ("application/json", "{", 200, "application/json; charset=utf-8"),
            (
                "application/graphql-response+json", "{ findTasks { count } }", 200,
                "application/graphql-response+json; charset=utf-8"
            ),
            (
                "application/graphql-response+json", "{ nothing }", 400,
                "application/graphql-response+json; charset=utf-8"
            ),
            ("*/*", "{ findTasks { count } }", 200, "application/json; charset=utf-8"),
            ("text/html", "{ findTasks { count } }", 406, "application/problem+json"),
        ]
    )
    func statuses(accept: String, document: String, status: Int, type: String) async throws {
        let runner = try await SyncRunner.start()
        let fields = SyncRunner.json + ["Accept: \(accept)"]
        let answer = try await runner.ask("POST", Self.path, fields, text: Self.request(document))
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer["Content-Type"] == type)
        #expect(answer.text.contains(#""data""#) == document.contains("findTasks") || status == 406)
    }

    @Test("a cached response is identical however it is requested, and during a stop")
    func wire() async throws {
        let runner = try await SyncRunner.start()
        let body = Self.request("{ findTasks { count } }")
        func post(_ body: String, cutAt count: Int? = nil) -> String {
            let head = "POST \(Self.path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            return "\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body.prefix(count ?? body.count))"
        }
        let client = try await runner.connect(sending: post(body))
        let first = try await client.answer()
        #expect(first.status == 200 && first["Corewire-Cache"] == "miss", "\(first.text)")
        func hit(_ client: RawClient) async throws {
            let answer = try await client.answer()
            #expect(answer.text == first.text && answer.fields.map(\.name) == first.fields.map(\.name))
            #expect(answer["Corewire-Cache"]?.hasPrefix("hit; age=") == true)
        }
        for byte in Array(post(body).utf8) { try await client.send([byte]) }
        try await hit(client)
        // A long body takes the other way, and overtakes nothing.
        let long = body + String(repeating: " ", count: 20_000)
        let live = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
        try await client.send(post(body) + post(long) + post(body) + live + post(body))
        for _ in 0..<3 { try await hit(client) }
        #expect(try await client.answer().status == 200)
        try await hit(client)
        // One whose sender goes in the middle of it disturbs no other.
        try await runner.connect(sending: post(body, cutAt: 10)).close()
        try await client.send("POST \(Self.path) HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n")
        try await client.send("Content-Type: application/json\r\n\r\n")
        #expect(try await client.answer().status == 413)
        let last = try await runner.connect(
            sending: "POST \(Self.path) HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
        )
        try await last.send("Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
        #expect(try await last.answer(toHead: true).status == 100)
        runner.program.signal(SIGTERM)
        try await last.send(body)
        #expect(try await last.answer().text == first.text)
        #expect(try await last.isEnded())
    }

    @Test("a query can be sent by GET, a mutation cannot")
    func get() async throws {
        let runner = try await SyncRunner.start()
        let query = "?query=%7B%20findTasks%20%7B%20count%20%7D%20%7D"
        #expect(try await runner.ask("GET", Self.path + query).text == #"{"data":{"findTasks":{"count":3}}}"#)
        let mutation = "?query=mutation%20%7B%20deleteWard(input%3A%7Bid%3A%224A%22%7D)%20%7B%20id%20%7D%20%7D"
        let refused = try await runner.ask("GET", Self.path + mutation)
        #expect(refused.status == 405)
        #expect(refused["Allow"] == "POST")
        #expect(try await runner.ask("GET", Self.path + query).text == #"{"data":{"findTasks":{"count":3}}}"#)
    }

    @Test("introspection is answered from the schema file without the server")
    func introspection() async throws {
        let runner = try await SyncRunner.start()
        try await runner.breakServer()
        let document = Self.request("{ __type(name: \\\"Task\\\") { fields { name } } }")
        let answer = try await runner.ask("POST", Self.path, SyncRunner.json, text: document)
        #expect(answer.text.contains(#"{"name":"title"}"#), "\(answer.text)")
    }

    @Test("with 'only: declared' only declared documents are run")
    func onlyDeclared() async throws {
        let runner = try await SyncRunner.start("only: declared")
        let text = try Repository.text(of: "configs/local/graphql/tasks.graphql")
        let whole = try JSONSerialization.data(withJSONObject: ["query": text, "operationName": "AllWards"])
        let declared = try await runner.ask("POST", Self.path, SyncRunner.json, body: Array(whole))
        #expect(declared.text.contains("Surgery"), "\(declared.text)")
        let document = Self.request("{ findTasks { count } }")
        let other = try await runner.ask("POST", Self.path, SyncRunner.json, text: document)
        #expect(other.text.contains("not one of the declared operations"), "\(other.text)")
        #expect(!other.text.contains(#""data""#))
    }

    @Test("a persisted query is accepted by its hash after it was sent once")
    func persisted() async throws {
        let runner = try await SyncRunner.start()
        let hash = "05ba6add57b99a5d4f6f3c4e4dad0c0c7d5e0f9b9d4c3fd0c2b2fd6c5a8a7f10"
        let ask = { (query: String, hash: String) in
            let text = #"{\#(query)"extensions":{"persistedQuery":{"version":1,"sha256Hash":"\#(hash)"}}}"#
            return try await runner.ask("POST", Self.path, SyncRunner.json, text: text).text
        }
        let unknown = try await ask("", hash)
        #expect(unknown.contains("PersistedQueryNotFound"))
        let wrong = try await ask(#""query":"{ findTasks { count } }","#, hash)
        #expect(wrong.contains("not the hash of the document"))
        let run = try Program.run("/bin/sh", ["-c", "printf '{ findTasks { count } }' | sha256sum | cut -d' ' -f1"])
        let right = run.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try await ask(#""query":"{ findTasks { count } }","#, right).contains(#""count":3"#))
        #expect(try await ask("", right).contains(#""count":3"#))
    }

    @Test("at the loopback address an app token is required, and limits the rights")
    func loopback() async throws {
        let api = """
            api:
              listen: 127.0.0.1:0
              apps:
                reader: { token: reader-0123456789abcdef0123456789ab, access: read }
                writer: { token: writer-0123456789abcdef0123456789ab, access: write }
            """
        let address = try await LoopbackAddress(SyncRunner.start(more: api))
        func ask(_ token: String?, _ document: String) async throws -> RawClient.Answer {
            let rights = token.map { ["Authorization: Bearer \($0)-0123456789abcdef0123456789ab"] } ?? []
            return try await address.ask("POST", Self.path, SyncRunner.json + rights, text: Self.request(document))
        }
        #expect(try await ask(nil, "{ findTasks { count } }").status == 403)
        #expect(try await ask("reader", "{ findTasks { count } }").text.contains(#""count":3"#))
        let mutation = "mutation { deleteWard(input: { id: \\\"4A\\\" }) { id } }"
        #expect(try await ask("reader", mutation).text.contains("may not run mutations"))
        #expect(try await ask("reader", "{ findTasks { count } }").text.contains(#""count":3"#))
        #expect(try await ask("writer", mutation).text.contains(#""id":"4A""#))
    }

    private static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    private static let hasClients = (try? Program.run(python, ["-c", "import websockets.asyncio.client"]).status) == 0

    @Test("a WebSocket client sends its token in connection_init, in both sub-protocols", .enabled(if: hasClients))
    func sockets() async throws {
        let api =
            "api: { listen: 127.0.0.1:0, apps: { kiosk: { token: kiosk-0123456789abcdef0123456789abc, access: write } } }"
        let address = try await LoopbackAddress(SyncRunner.start(more: api))
        let script = Repository.root.appendingPathComponent("Tests/CorewireRunnerTests/Sync/socket_client.py").path
        // The runner ends with the test, not with the thread that waits for the client.
        let (python, port) = (Self.python, address.port)
        defer { withExtendedLifetime(address) {} }
        let run = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        try Program.run(
                            python,
                            [script, "\(port)", "kiosk-0123456789abcdef0123456789abc"],
                            environment: ["PYTHONDONTWRITEBYTECODE": "1"]
                        )
                    }
                )
            }
        }
        #expect(run.status == 0, "\(run.everything)")
    }
}
