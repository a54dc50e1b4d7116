import Testing
import WireBase
import WireHTTP
import WireRunnerContract
import WireRuntime
import WireService

@Suite("Requests during a change of generation", .timeLimit(.minutes(1)))
struct SwitchTests {
    @Test("a routed request keeps its service alive, since its body may still arrive")
    func arriving() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            let head = Request(
                method: .get,
                target: try #require(Target(parsing: "/alpha/slow")),
                fields: [:],
                caller: .address("127.0.0.1")
            )
            let exchange = stage.dispatcher.exchange(for: head)
            #expect(await stage.reload(#"{ "alpha": { "mood": "better" } }"#).outcome == .applied)
            await stage.until { stage.diary.lines.contains("alpha 1 drain") }
            guard case .collect(_, let answer) = exchange.plan, case .later(let work) = answer(head) else {
                Issue.record("work was expected")
                return
            }
            stage.diary.gate("alpha may end").fire()
            #expect(await work().status == .ok)
            #expect(!stage.diary.gate("alpha 1 stopped").hasFired)
            exchange.finished()
            await stage.diary.gate("alpha 1 stopped").wait()
            let life = stage.diary.lines.filter { $0.hasPrefix("alpha 1 ") }
            #expect(life.suffix(3) == ["alpha 1 drain", "alpha 1 answers", "alpha 1 stop"])
        }
    }

    @Test(
        "what a service declares as short may run on the thread of a connection, and nothing else",
        arguments: [true, false]
    )
    func short(isShort: Bool) async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            let head = Request(
                method: .get,
                target: try #require(Target(parsing: isShort ? "/alpha/short" : "/alpha/slow")),
                fields: [:],
                caller: .address("127.0.0.1")
            )
            let exchange = stage.dispatcher.exchange(for: head)
            #expect(exchange.runsInline == isShort)
            exchange.finished()
        }
    }

    @Test("a synchronously answered request keeps its service alive while its body arrives")
    func collecting() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            let head = Request(
                method: .post,
                target: try #require(Target(parsing: "/alpha/quick")),
                fields: ["Content-Length": "5"],
                caller: .address("127.0.0.1")
            )
            let exchange = stage.dispatcher.exchange(for: head)
            #expect(await stage.reload(#"{ "alpha": { "mood": "better" } }"#).outcome == .applied)
            await stage.until { stage.diary.lines.contains("alpha 1 drain") }
            // Another one that nothing holds is stopped meanwhile.
            #expect(await stage.reload(#"{ "alpha": { "mood": "best" } }"#).outcome == .applied)
            await stage.diary.gate("alpha 2 stopped").wait()
            #expect(!stage.diary.gate("alpha 1 stopped").hasFired)
            guard case .collect(_, let answer) = exchange.plan, case .now(let response) = answer(head) else {
                Issue.record("an answer at once was expected")
                return
            }
            #expect(response.status == .ok)
            exchange.finished()
            await stage.diary.gate("alpha 1 stopped").wait()
            let life = stage.diary.lines.filter { $0.hasPrefix("alpha 1 ") }
            #expect(life.suffix(3) == ["alpha 1 drain", "alpha 1 answers", "alpha 1 stop"])
        }
    }

    @Test("a service ends after those that use it")
    func order() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {}, "beta": {} }"#) { () async throws in
            let slow = Task { try await stage.ask("/beta/slow") }
            await stage.diary.gate("beta began").wait()
            #expect(await stage.reload(#"{ "alpha": { "mood": "better" }, "beta": {} }"#).outcome == .applied)
            await stage.until { stage.diary.lines.contains("beta 2 drain") }
            #expect(!stage.diary.lines.contains("alpha 1 drain"))
            stage.diary.gate("beta may end").fire()
            _ = try await slow.value
            await stage.diary.gate("alpha 1 stopped").wait()
            let ends = stage.diary.lines.filter { ["beta 2 stop", "alpha 1 drain", "alpha 1 stop"].contains($0) }
            #expect(ends == ["beta 2 stop", "alpha 1 drain", "alpha 1 stop"])
        }
    }

    @Test("a new service is notified when it is alone, and a rebound one when its former settings are unused")
    func former() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {}, "gamma": {} }"#) { () async throws in
            let gamma = stage.diary.lines.contains("gamma 1 prepare") ? "gamma 1" : "gamma 2"
            await stage.diary.gate("\(gamma) is alone").wait()
            let slow = Task { try await stage.ask("/alpha/slow") }
            await stage.diary.gate("alpha began").wait()
            let changed = #"{ "alpha": { "mood": "better" }, "gamma": { "tone": 1 } }"#
            #expect(await stage.reload(changed).outcome == .applied)
            await stage.until { stage.diary.lines.contains { $0.hasPrefix("alpha") && $0.hasSuffix("drain") } }
            #expect(stage.diary.lines.contains("\(gamma) rebind to 1"))
            #expect(!stage.diary.gate("\(gamma) is alone again").hasFired)
            stage.diary.gate("alpha may end").fire()
            _ = try await slow.value
            await stage.diary.gate("\(gamma) is alone again").wait()
            #expect(stage.diary.lines.contains { $0.hasPrefix("alpha") && $0.hasSuffix("stop") })
        }
    }
}
