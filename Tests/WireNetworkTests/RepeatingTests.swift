import ClientConformance
import Support
import Testing
import WireBase
import WireHTTP
import WireNetworkContract

@Suite("Retries")
struct RepeatingTests {
    private static let quick =
        "{ retries: 2, backoff: { first: 1s, max: 4s, jitter: 0 }, limits: { maxConcurrent: 8 } }"

    /// Sends a call, and lets the clock pass while somebody waits for it.
    private func answer(_ workshop: Workshop, _ call: ServerCall, passing steps: [Duration]) async throws -> (
        status: Int, text: String, answer: ServerAnswer
    ) {
        async let answer = workshop.ask(call)
        for step in steps {
            #expect(await eventually { workshop.clock.sleepers >= 2 })
            workshop.clock.pass(step)
        }
        return try await answer
    }

    @Test("a temporary error is retried after a doubling pause")
    func repeats() async throws {
        let server = try ScriptedServer { number, _ in .text("\(number)", number < 3 ? 503 : 200) }
        let workshop = try await Workshop(server.url, Self.quick)
        let (status, text, answer) = try await answer(
            workshop,
            Workshop.call(.get, "a"),
            passing: [.seconds(1), .seconds(2)]
        )
        #expect(status == 200 && text == "3" && answer.attempts == 3)
        #expect(answer.waited == .seconds(3))
    }

    @Test("a repeat by the HTTP client, after a kept connection was closed, counts as an attempt")
    func keptConnection() async throws {
        let server = try await HostileServer.start()
        let workshop = try await Workshop(server.base)
        #expect(try await workshop.get("once?name=a").answer.attempts == 1)
        let second = try await workshop.get("once?name=a")
        #expect(second.text == "once" && second.answer.attempts == 2)
        #expect(try await server.events("attempt a").count == 3)
    }

    @Test("the last response is returned after all retries, and none are made by default")
    func last() async throws {
        let server = try ScriptedServer { number, _ in .text("\(number)", 503) }
        let workshop = try await Workshop(server.url, Self.quick)
        let none = try await workshop.get("a") { $0.retries = 0 }
        #expect(none.status == 503 && none.answer.attempts == 1)
        let one = try await answer(workshop, Workshop.call(.get, "a") { $0.retries = 1 }, passing: [.seconds(1)])
        #expect(one.status == 503 && one.answer.attempts == 2 && one.text == "3")
        let plain = try await Workshop(server.url).get("a")
        #expect(plain.answer.attempts == 1)
    }

    @Test("Retry-After is honoured, in seconds or as a date", arguments: [true, false])
    func retryAfter(isDate: Bool) async throws {
        let clock = HandClock()
        let moment = HTTPDate(milliseconds: clock.clockwork.wall() + 60_001)
        let server = try ScriptedServer { number, _ in
            .text("\(number)", number < 2 ? 429 : 200, ["Retry-After": isDate ? "\(moment)" : "60"])
        }
        let workshop = try await Workshop(server.url, Self.quick)
        async let answer = workshop.get("a")
        #expect(await eventually { workshop.clock.sleepers >= 2 })
        // A date is as exact as a second, and here the clock stands a millisecond before one.
        workshop.clock.pass(.milliseconds(isDate ? 60_000 : 59_999))
        #expect(workshop.clock.sleepers == 2)
        workshop.clock.pass(.milliseconds(1))
        #expect(try await answer.text == "2")
    }

    @Test(
        "a Retry-After over the limit returns the response at once",
        .timeLimit(.minutes(1))
    )
    func tooLong() async throws {
        let server = try ScriptedServer { _, request in
            .text("later", 503, ["Retry-After": request.target.path == "/soon" ? "20" : "301"])
        }
        let workshop = try await Workshop(server.url, Self.quick)
        let (status, _, answer) = try await workshop.get("a")
        #expect(status == 503 && answer.attempts == 1)
        #expect(answer.fields["Retry-After"] == "301")
        // Nor is one waited for whose time is over by then.
        let short = try await workshop.get("soon") { $0.deadline = .seconds(20) }
        #expect(short.answer.attempts == 1)
    }

    @Test(
        "a request that is not idempotent is sent once, unless it has an idempotency key",
        arguments: [
            ("POST", false, 1), ("PATCH", false, 1), ("POST", true, 3), ("PUT", false, 3), ("DELETE", false, 3),
        ]
    )
    func safety(method: String, isRepeatable: Bool, attempts: Int) async throws {
        let server = try ScriptedServer { _, request in .text(request.bodyText, 503) }
        let workshop = try await Workshop(server.url, Self.quick)
        let call = Workshop.call(Method(method), "a") {
            $0.isRepeatable = isRepeatable
            $0.body = .bytes(Array("body".utf8))
        }
        let steps: [Duration] = attempts == 1 ? [] : [.seconds(1), .seconds(2)]
        let (_, text, answer) = try await answer(workshop, call, passing: steps)
        #expect(answer.attempts == attempts && text == "body")
        #expect(server.seen.allSatisfy { $0.bodyText == "body" })
    }

    @Test("a request redirected to an unreachable server counts as sent", .timeLimit(.minutes(1)))
    func redirected() async throws {
        let away = try ScriptedServer()
        let url = "http://localhost:\(away.port)/"
        await away.stop()
        let server = try ScriptedServer { _, _ in .text("", 303, ["Location": url]) }
        let workshop = try await Workshop(server.url, "{ retries: 2, redirects: follow }")
        let failure = try await workshop.failure(of: Workshop.call(.post, "a") { $0.body = .bytes([1]) })
        guard case .transfer(.unreachable) = failure.kind else {
            Issue.record("\(failure)")
            return
        }
        #expect(!failure.wasNotSent && failure.attempts == 1 && server.seen.count == 1)
    }

    @Test("a streamed body is sent once")
    func streamed() async throws {
        let server = try ScriptedServer { _, request in .text(request.bodyText, 503) }
        let workshop = try await Workshop(server.url, Self.quick)
        let (status, text, answer) = try await workshop.ask(
            Workshop.call(.put, "a") { $0.body = .stream(length: 4, Whole(Array("body".utf8))) }
        )
        #expect(answer.attempts == 1 && text == "body", "\(status) \(text)")
    }

    @Test("a permanent failure is reported at once", arguments: [400, 401, 403, 404, 409, 501, 505])
    func hopeless(status: Int) async throws {
        let server = try ScriptedServer { _, _ in .text("no", status) }
        let answer = try await Workshop(server.url, Self.quick).get("a")
        #expect(answer.status == status && answer.answer.attempts == 1)
    }

    @Test("an unreachable server is retried, and the failure has the number of attempts")
    func unreachable() async throws {
        let server = try ScriptedServer()
        let url = server.url
        await server.stop()
        let workshop = try await Workshop(url, Self.quick)
        async let failure = workshop.failure(of: Workshop.call(.post, "a") { $0.body = .bytes([1]) })
        for step in [1, 2] {
            #expect(await eventually { workshop.clock.sleepers >= 2 })
            workshop.clock.pass(.seconds(step))
        }
        let told = try await failure
        // Nothing has left, so even a POST may be tried again.
        #expect(told.attempts == 3 && told.wasNotSent && told.waited == .seconds(3))
        guard case .transfer(.unreachable) = told.kind else {
            Issue.record("\(told)")
            return
        }
    }

    @Test("cancellation ends the pause")
    func cancelled() async throws {
        let server = try ScriptedServer { _, _ in .text("no", 503) }
        let workshop = try await Workshop(server.url, Self.quick)
        let task = Task { try await workshop.failure(of: Workshop.call(.get, "a")) }
        #expect(await eventually { workshop.clock.sleepers >= 2 })
        task.cancel()
        let failure = try await task.value
        guard case .cancelled = failure.kind else {
            Issue.record("\(failure)")
            return
        }
        #expect(workshop.clock.sleepers == 0 && !failure.wasNotSent)
    }

    @Test("during an outage retries are limited to a share of requests")
    func budget() async throws {
        let server = try ScriptedServer { _, _ in .text("no", 503) }
        let workshop = try await Workshop(
            server.url,
            "{ retries: 1, backoff: { first: 1ms, max: 1ms, jitter: 0 }, limits: { maxConcurrent: 1 } }"
        )
        let passing = Task {
            while !Task.isCancelled {
                if workshop.clock.sleepers > 0 { workshop.clock.pass(.milliseconds(1)) }
                await Task.yield()
            }
        }
        for _ in 0..<60 { _ = try await workshop.get("a") }
        passing.cancel()
        // Ten in any case, and one for every five of the 60 requests.
        #expect(server.seen.count == 82)
    }
}
