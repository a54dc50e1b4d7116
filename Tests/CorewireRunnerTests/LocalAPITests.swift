import Foundation
import Support
import Testing

@Suite("Input validation of the local API")
struct LocalAPITests {
    /// Every operation the description has, with a path that fits it.
    static let operations: [(method: String, path: String)] = {
        let run = try? Program.corewire(["schema", "api", "--format", "json"])
        let json = run.flatMap { try? JSONSerialization.jsonObject(with: Data($0.output.utf8)) as? [String: Any] }
        let paths = json?["paths"] as? [String: [String: Any]] ?? [:]
        return paths.sorted { $0.key < $1.key }.flatMap { path, methods in
            let filled = path.replacingOccurrences(of: "{namespace}", with: "notes")
                .replacingOccurrences(of: "{key}", with: "k").replacingOccurrences(of: "{generation}", with: "1")
                .replacingOccurrences(of: "\\{[a-z]+\\}", with: "x1", options: .regularExpression)
            return methods.keys.sorted().map { ($0.uppercased(), filled) }
        }
    }()

    @Test("the running routes equal the description")
    func described() async throws {
        let address = try await LoopbackAddress.open(sections: LoopbackAddress.everything)
        let paths = Set(Self.operations.map(\.path))
        #expect(paths.count >= 15)
        for path in paths.sorted() {
            let methods = Set(Self.operations.filter { $0.path == path }.map(\.method))
            let answer = try await address.owner("BREW", path)
            #expect(answer.status == 405, "\(path)")
            #expect(answer.kind == "method-not-allowed")
            let allowed = Set(
                (answer["Allow"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            )
            // A path such as /v1/outbox/pause is no name of something, whatever stands beside it.
            #expect(allowed == (methods.contains("GET") ? methods.union(["HEAD"]) : methods), "\(path)")
        }
    }

    @Test("an invalid request gets a problem at every route, and changes nothing")
    func oddities() async throws {
        let address = try await LoopbackAddress.open(sections: LoopbackAddress.everything)
        // What follows /v1/network/ is the server's to judge.
        for (method, path) in Self.operations where !path.hasPrefix("/v1/network/") {
            let isSafe = method == "GET"
            let strangeQuery = try await address.owner(method, "\(path)?qwerty=1")
            #expect(strangeQuery.status == 400, "\(method) \(path)")
            #expect(strangeQuery.isProblem && strangeQuery.text.contains("qwerty"), "\(method) \(path)")
            if isSafe {
                let withBody = try await address.owner(method, path, text: "x")
                #expect(withBody.status == 400, "\(method) \(path)")
                #expect(withBody.kind == "body-not-expected")
            }
            for field in [
                "Content-Length: 1\r\nContent-Length: 1", "Transfer-Encoding: gzip", "Bad Name: x", "X: a\u{1}b",
            ] {
                let answer = try await address.owner(method, path, [field])
                #expect(answer.status == 400, "\(method) \(path) \(field)")
                #expect(answer.isProblem, "\(method) \(path) \(field)")
            }
            for target in ["\(path)/%00", "\(path)/../x", "\(path)/%2e%2e", "\(path)/%", "\(path)/%ff", "\(path)#x"] {
                let answer = try await address.owner(method, target)
                #expect(answer.status == 400, "\(method) \(target)")
                #expect(answer.isProblem, "\(method) \(target)")
            }
            let long = try await address.owner(method, path + "/" + String(repeating: "x", count: 9_000))
            #expect(long.status == 414, "\(method) \(path)")
            #expect(long.isProblem)
            let wide = try await address.owner(method, path, ["X: " + String(repeating: "x", count: 20_000)])
            #expect(wide.status == 431, "\(method) \(path)")
            #expect(wide.isProblem)
        }
        let status = try await address.owner("GET", "/v1/status").text
        #expect(status.contains("\"generation\":1"))
        #expect(try await address.owner("GET", "/v1/state").text.contains("\"namespaces\":[]"))
    }

    @Test("an invalid body is rejected with the place in it, and changes nothing")
    func bodies() async throws {
        let address = try await LoopbackAddress.open(sections: LoopbackAddress.everything)
        let json = ["Content-Type: application/json"]
        for (method, path) in [
            ("PUT", "/v1/environment"), ("POST", "/v1/reload"), ("POST", "/v1/plan"), ("POST", "/v1/confirm"),
            ("POST", "/v1/generations/1/rollback"),
        ] {
            for type in ["text/plain", "application/xml", "nonsense", "application/jsonx"] {
                let answer = try await address.owner(method, path, ["Content-Type: \(type)"], text: "{}")
                #expect(answer.status == 415, "\(method) \(path) \(type)")
                #expect(answer["Accept"] == "application/json")
            }
            for body in [
                "{", "[]", "1", "\"x\"", "{\"strange\":1}", "{\"force\":\"yes\"}", "{\"force\":true,\"force\":true}",
                "{\"confirmWithinSeconds\":0}", "{\"confirmWithinSeconds\":1.5}", "{\"environment\":7}", "{}{}",
                "{\"environment\":\"test\",\"generation\":1}", String(repeating: "[", count: 200), "\u{1}",
            ] {
                let answer = try await address.owner(method, path, json, text: body)
                #expect(answer.status == 400, "\(method) \(path) \(body)")
                #expect(answer.kind == "invalid-body", "\(method) \(path) \(body)")
            }
            let large = "{\"x\":\"\(String(repeating: "x", count: 70_000))\"}"
            let answer = try await address.owner(method, path, json, text: large)
            #expect(answer.status == 413, "\(method) \(path)")
            #expect(answer.isProblem)
            for truncated in ["Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"] {
                let client = try await RawClient.connect(to: .tcp("127.0.0.1", address.port))
                let fields = (LoopbackAddress.rights() + json).joined(separator: "\r\n")
                try await client.send(
                    "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(address.port)\r\n\(fields)\r\n\(truncated)"
                )
                try await client.close()
            }
        }
        let empty = try await address.owner("PUT", "/v1/environment")
        #expect(empty.status == 400)
        #expect(empty.kind == "invalid-body")
        #expect(try await address.owner("GET", "/v1/status").text.contains("\"generation\":1"))
    }

    @Test("a caller over the rate limit gets 429, and other callers are not affected")
    func rate() async throws {
        let address = try await LoopbackAddress.open(TokenTests.apps + "limits: { rate: 1 }\n")
        var answers: [RawClient.Answer] = []
        // One a second: of so many at least one comes too soon, on any machine that answers ten in ten seconds.
        let client = try await RawClient.connect(to: .tcp("127.0.0.1", address.port))
        let request =
            "GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:\(address.port)\r\n"
            + "Authorization: Bearer \(LoopbackAddress.token)\r\n\r\n"
        try await client.send(String(repeating: request, count: 50))
        for _ in 0..<50 { answers.append(try await client.answer()) }
        let refused = try #require(answers.first { $0.status == 429 })
        #expect(refused.isProblem)
        #expect(refused["Retry-After"] == "1")
        #expect(refused.text.contains("api.limits.rate"))
        let other = try await address.ask("GET", "/v1/state", LoopbackAddress.rights(TokenTests.token("a")))
        #expect(other.status == 200)
    }

    @Test("connections over the limit get 503")
    func connections() async throws {
        let address = try await LoopbackAddress.open("limits: { connections: 2, connectionsPerUser: 2 }\n")
        let request = "GET /livez HTTP/1.1\r\nHost: 127.0.0.1:\(address.port)\r\n\r\n"
        var held: [RawClient] = []
        for _ in 0..<2 {
            let client = try await RawClient.connect(to: .tcp("127.0.0.1", address.port))
            try await client.send(
                "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:\(address.port)\r\n"
                    + "Authorization: Bearer \(LoopbackAddress.token)\r\n\r\n"
            )
            #expect(try await client.head().status == 200)
            held.append(client)
        }
        let client = try await RawClient.connect(to: .tcp("127.0.0.1", address.port))
        let answer = try await client.answer()
        #expect(answer.status == 503)
        #expect(answer.isProblem && answer.kind == "too-many-connections")
        // Where one has ended there is room, and one that only waits makes room.
        try await held[0].close()
        var idle = try await RawClient.connect(to: .tcp("127.0.0.1", address.port))
        while try await !idle.isAnswered(request) {
            idle = try await RawClient.connect(to: .tcp("127.0.0.1", address.port))
        }
        #expect(await eventually { (try? await address.ask("GET", "/livez").status) == 200 })
        #expect(try await idle.waitForEnd())
        try await held[1].close()
    }

    @Test("health is available in short and verbose form")
    func health() async throws {
        let address = try await LoopbackAddress.open(sections: LoopbackAddress.everything)
        #expect(try await address.ask("GET", "/livez").text == "ok")
        #expect(try await address.ask("GET", "/readyz").text == "ok")
        #expect(try await address.ask("GET", "/livez?verbose").text.contains("livez check passed"))
        let ready = try await address.ask("GET", "/readyz?verbose")
        #expect(ready.text.contains("[+]persistence ready"))
        #expect(ready.text.contains("readyz check passed"))
        #expect(try await address.ask("HEAD", "/readyz").status == 200)
    }

    @Test("the metrics are in the Prometheus format", .enabled(if: Program.isInstalled("promtool")))
    func metrics() async throws {
        let address = try await LoopbackAddress.open(sections: LoopbackAddress.everything)
        _ = try await address.owner("PUT", "/v1/state/a/k", text: "x")
        let answer = try await address.owner("GET", "/metrics")
        #expect(answer["Content-Type"]?.hasPrefix("text/plain") == true)
        let checked = try Program.run("promtool", ["check", "metrics"], input: Data(answer.body))
        #expect(checked.status == 0, "\(checked.everything)")
        let open = try await address.owner("GET", "/metrics", ["Accept: application/openmetrics-text"])
        #expect(open["Content-Type"]?.hasPrefix("application/openmetrics-text") == true)
        #expect(open.text.hasSuffix("# EOF\n"))
        #expect(try await address.ask("GET", "/metrics").status == 401)
    }

    @Test("no secret of a caller appears in logs, events, status, metrics or errors")
    func canaries() async throws {
        let address = try await LoopbackAddress.open(TokenTests.apps + "limits: { wrongTokens: 1000 }\n")
        let canary = "canary-5b1f0e9d7c3a4e62"
        let link = try await address.link()
        let session = try await ConsoleTests.signIn(address)
        var told = ""
        for fields in [
            ["Authorization: Bearer \(canary)"], ["Authorization: Basic \(canary)"], ["Corewire-Console: \(canary)"],
            ["Authorization: Bearer \(LoopbackAddress.token)"], ["Corewire-Console: \(session)"],
            ["Authorization: Bearer \(TokenTests.token("a"))"],
        ] {
            for (method, path) in Self.operations where path != "/v1/events" {
                let json = ["Content-Type: application/json", "X-Corewire: 1"]
                let body = method == "GET" || method == "DELETE" ? nil : "{\"strange\":\"\(canary)\"}"
                let answer = try await address.ask(method, path, fields + json, text: body)
                if !path.contains("/state/"), path != "/v1/console/link", path != "/v1/console/session" {
                    told += answer.text
                }
            }
        }
        told += try await address.owner("GET", "/v1/events?follow=false").text
        told += try await address.owner("GET", "/metrics").text
        told += try await address.owner("GET", "/v1/status").text
        told += try await address.owner("GET", "/v1/generations/1").text
        told += address.runner.log
        told += (try? address.runner.home.text(of: "com.example.tasks.out")) ?? ""
        let key = try #require(link.components(separatedBy: "key=").last)
        for secret in [canary, LoopbackAddress.token, session, key] + ["a", "b", "eye", "none"].map(TokenTests.token) {
            #expect(!told.contains(secret), "\(secret)")
        }
        #expect(told.contains("corewire_"))
    }
}

extension RawClient {
    /// Whether there was room for it, and its request was answered.
    fileprivate func isAnswered(_ request: String) async throws -> Bool {
        try await send(request)
        return try await answer().status == 200
    }
}
