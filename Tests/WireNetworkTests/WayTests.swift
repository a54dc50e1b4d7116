import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

@testable import WireNetwork

@Suite("Targets of requests")
struct WayTests {
    @Test("URLs are resolved below the base URL, and declared fields are sent only there")
    func addresses() async throws {
        let (server, other) = (try ScriptedServer(), try ScriptedServer())
        let workshop = try await Workshop("\(server.url)/base", "{ headers: { x-client: kiosk, x-more: \"1\" } }")
        _ = try await workshop.get("a/b?c=%20d&c")
        let address = try Address(parsing: "graphql")
        _ = try await workshop.ask(ServerCall(.get, .address(address), from: "test"))
        _ = try await workshop.ask(ServerCall(.get, .below(address, path: "x/17", query: nil), from: "test"))
        _ = try await workshop.ask(ServerCall(.get, .address(try Address(parsing: "/root")), from: "test"))
        #expect(server.paths == ["/base/a/b?c=%20d&c", "/base/graphql", "/base/graphql/x/17", "/base/root"])
        #expect(server.seen.allSatisfy { $0.fields["x-client"] == "kiosk" && $0.fields["x-more"] == "1" })
        _ = try await workshop.ask(ServerCall(.get, .address(try Address(parsing: "\(other.url)/far")), from: "test"))
        #expect(other.paths == ["/far"] && other.seen[0].fields["x-client"] == nil)
        #expect(workshop.service.url(of: address)?.description == "\(server.url)/base/graphql")
    }

    @Test("an environment without a base URL rejects relative requests")
    func noBase() async throws {
        let workshop = try await Workshop(nil)
        let failure = try await workshop.failure(of: Workshop.call(.get, "a"))
        guard case .noAddress = failure.kind else {
            Issue.record("\(failure)")
            return
        }
        #expect(failure.help?.contains("baseUrl") ?? false)
    }

    @Test(
        "a path that leaves the base URL is never sent, however it is encoded",
        arguments: [
            "..", "../x", "a/../../x", "a/%2e%2e/x", "a/.%2E/x", "a%2f..%2fb", "a/..%5cb", "a%5C..%5Cb", "a/..;x/b",
            "./a",
            "a/%2e", "a%00", "a%0d%0aX:y", "a%zz", "a b", "a\u{e4}", "a\"b",
        ]
    )
    func traversal(path: String) async throws {
        let server = try ScriptedServer()
        let workshop = try await Workshop("\(server.url)/base")
        let failure = try await workshop.failure(of: ServerCall(.get, .path(path, query: nil), from: "test"))
        guard case .noAddress = failure.kind else {
            Issue.record("\(failure)")
            return
        }
        #expect(failure.wasNotSent)
        #expect(server.seen.isEmpty)
    }

    @Test("an invalid query is never sent; question marks are valid in a query")
    func queries() async throws {
        let server = try ScriptedServer()
        let workshop = try await Workshop("\(server.url)/base")
        for query in ["a b", "a#b", "a\"b", "a\u{e4}", "a\\b", "a\u{7f}"] {
            let failure = try await workshop.failure(of: ServerCall(.get, .path("x", query: query), from: "test"))
            guard case .noAddress = failure.kind else {
                Issue.record("\(query): \(failure)")
                return
            }
        }
        #expect(try await workshop.get("x?a?b=../c&%20").status == 200)
        #expect(server.paths == ["/base/x?a?b=../c&%20"])
    }

    @Test("dots inside a segment are preserved")
    func dots() async throws {
        let server = try ScriptedServer()
        let workshop = try await Workshop(server.url)
        for path in ["a..b", "...", "a.json", "%2e%2ea", "a//b"] { _ = try await workshop.get(path) }
        #expect(server.paths == ["/a..b", "/...", "/a.json", "/%2e%2ea", "/a//b"])
    }

    @Test("redirects follow the file, and secrets go to no other host")
    func redirects() async throws {
        let other = try ScriptedServer { _, _ in .text("other") }
        let far = "http://localhost:\(other.port)/far"
        let server = try ScriptedServer { _, request in
            switch request.target.path {
            case "/near": .text("", 302, ["Location": "/here"])
            case "/away": .text("", 307, ["Location": far])
            default: .text("here")
            }
        }
        let call = { (path: String, method: WireHTTP.Method) in
            Workshop.call(method, path) {
                $0.fields = ["X-Api-Key": "k", "Accept": "text/plain"]
                if method == .post { $0.body = .bytes([1]) }
            }
        }
        for (rule, near, away) in [("never", 302, 307), ("sameHost", 200, 307), ("follow", 200, 200)] {
            let workshop = try await Workshop(
                server.url,
                "{ redirects: \(rule), headers: { x-client: kiosk } }",
                tokens: HandTokens()
            )
            #expect(try await workshop.ask(call("near", .get)).status == near, "\(rule)")
            #expect(try await workshop.ask(call("away", .get)).status == away, "\(rule)")
        }
        let stranger = try #require(other.seen.first)
        #expect(other.seen.count == 1 && stranger.fields["Accept"] == "text/plain")
        for name in ["Authorization", "X-Api-Key", "x-client"] { #expect(stranger.fields[name] == nil) }
        // A body belongs to the first server alone.
        let workshop = try await Workshop(server.url, "{ redirects: follow }")
        #expect(try await workshop.ask(call("away", .post)).status == 307)
        #expect(other.seen.count == 1)
    }

    @Test("requests in progress are limited; others wait, and one over the queue limit is rejected")
    func turns() async throws {
        let barrier = OneShot()
        let server = try ScriptedServer { _, _ in
            await barrier.wait()
            return .text("x")
        }
        let workshop = try await Workshop(server.url, "{ limits: { maxConcurrent: 2, maxWaiting: 1 }, timeout: 1h }")
        let tasks = (0..<2).map { _ in Task { try await workshop.get("a") } }
        #expect(await eventually { server.seen.count == 2 })
        let third = Task { try await workshop.get("b") }
        // That somebody waits for the clock does not say yet that it has its place in the line.
        #expect(await eventually { workshop.service.turns.counts.waiting == 1 })
        let fourth = try await workshop.failure(of: Workshop.call(.get, "c"))
        guard case .busy = fourth.kind else {
            Issue.record("\(fourth)")
            return
        }
        #expect(fourth.wasNotSent)
        workshop.clock.pass(.seconds(1))
        barrier.fire()
        for task in tasks { #expect(try await task.value.status == 200) }
        #expect(try await third.value.answer.waited == .seconds(1))
        #expect(server.paths.sorted() == ["/a", "/a", "/b"])
    }

    @Test("a request that waits too long, or is cancelled, leaves the queue")
    func impatience() async throws {
        let barrier = OneShot()
        let server = try ScriptedServer { _, _ in
            await barrier.wait()
            return .text("x")
        }
        let workshop = try await Workshop(server.url, "{ limits: { maxConcurrent: 1 }, timeout: 1h }")
        let first = Task { try await workshop.get("a") }
        #expect(await eventually { server.seen.count == 1 })
        let late = Task { try await workshop.failure(of: Workshop.call(.get, "b")) }
        #expect(await eventually { workshop.clock.sleepers == 1 })
        workshop.clock.pass(.seconds(3_600))
        let failure = try await late.value
        #expect(failure.waited == .seconds(3_600) && failure.origin?.path == "network.limits.maxConcurrent")
        let unwanted = Task { try await workshop.failure(of: Workshop.call(.get, "c")) }
        #expect(await eventually { workshop.clock.sleepers == 1 })
        unwanted.cancel()
        guard case .cancelled = try await unwanted.value.kind else {
            Issue.record("not cancelled")
            return
        }
        barrier.fire()
        _ = try await first.value
        #expect(try await workshop.get("d").status == 200)
        #expect(server.paths == ["/a", "/d"])
    }

    @Test("bodies over the limit are rejected in both directions")
    func sizes() async throws {
        let server = try ScriptedServer { _, request in
            let parts = request.target.path.split(separator: "/")
            let bytes = [UInt8](repeating: 1, count: parts.last.flatMap { Int($0) } ?? 0)
            guard parts.first == "stream" else { return Response(.ok, body: .bytes(bytes)) }
            return Response(.ok, body: .stream { writer in try await writer.write(bytes) })
        }
        let workshop = try await Workshop(server.url, "{ limits: { maxBodySize: 1KiB } }")
        for body in [
            OutgoingRequest.Body.bytes([UInt8](repeating: 1, count: 1_025)), .stream(length: 1_025, Whole([])),
        ] {
            let failure = try await workshop.failure(of: Workshop.call(.put, "a") { $0.body = body })
            #expect(failure.wasNotSent && failure.origin?.path == "network.limits.maxBodySize", "\(failure)")
        }
        #expect(server.seen.isEmpty)
        let failure = try await workshop.failure(of: Workshop.call(.get, "1025"))
        #expect(failure.origin?.path == "network.limits.maxBodySize" && !failure.wasNotSent)
        #expect(try await workshop.get("1025") { $0.isLong = true }.text.count == 1_025)
        #expect(try await workshop.get("1024").text.count == 1_024)
        // A limit of the caller takes the place of that of the file.
        #expect(try await workshop.get("2048") { $0.largestBody = .bytes(2_048) }.text.count == 2_048)
        let larger = OutgoingRequest.Body.stream(length: 1_025, Whole([UInt8](repeating: 1, count: 1_025)))
        let put = Workshop.call(.put, "a") { ($0.body, $0.largestBody) = (larger, .bytes(1_025)) }
        #expect(try await workshop.ask(put).status == 200)
        await #expect(throws: BodyTooLarge.self) {
            try await workshop.get("2048") { $0.largestBody = .bytes(2_047) }
        }
        // What does not say how long it is breaks off where it gets too long.
        #expect(try await workshop.get("stream/1024").text.count == 1_024)
        await #expect(throws: BodyTooLarge.self) { _ = try await workshop.get("stream/1025") }
        #expect(try await workshop.get("stream/1025") { $0.isLong = true }.text.count == 1_025)
    }

    @Test("a silent server causes a timeout")
    func timeout() async throws {
        let barrier = OneShot()
        let server = try ScriptedServer { _, _ in
            await barrier.wait()
            return .text("x")
        }
        // By the clock of the machine, and long enough that the request has left, however busy that is.
        let workshop = try await Workshop(server.url, "{ timeout: 2s }")
        let failure = try await workshop.failure(of: Workshop.call(.get, "a"))
        guard case .transfer(.timeout) = failure.kind else {
            Issue.record("\(failure)")
            return
        }
        #expect(failure.origin?.path == "network.timeout" && !failure.wasNotSent)
        let own = try await workshop.failure(of: Workshop.call(.get, "a") { $0.timeout = .milliseconds(1_600) })
        #expect(own.reason.contains("1.6 seconds"))
        let last = try await workshop.failure(of: Workshop.call(.get, "a") { $0.deadline = .seconds(1) })
        #expect(!last.wasNotSent && last.reason.hasSuffix("before the request's deadline"), "\(last)")
        barrier.fire()
    }

    @Test("after the service has stopped nothing is sent, and waiting callers get an error")
    func stopped() async throws {
        let server = try ScriptedServer { _, _ in .text("no", 503) }
        let workshop = try await Workshop(server.url, "{ retries: 1, backoff: { first: 10s } }")
        let waiting = Task { try await workshop.failure(of: Workshop.call(.get, "a")) }
        #expect(await eventually { workshop.clock.sleepers > 0 })
        await workshop.service.stop()
        await workshop.service.stop()
        for failure in [try await waiting.value, try await workshop.failure(of: Workshop.call(.get, "a"))] {
            guard case .ended = failure.kind else {
                Issue.record("\(failure)")
                return
            }
        }
        #expect(server.seen.count == 1)
    }
}
