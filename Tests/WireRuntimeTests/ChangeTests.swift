import Support
import Testing
import WireBase
import WireRunnerContract
import WireRuntime
import WireStore
import Workbench

@Suite("Configuration changes", .timeLimit(.minutes(1)))
struct ChangeTests {
    private static func actions(_ report: ChangeReport) -> [String] {
        report.services.map { "\($0.name) \($0.action.rawValue)" }
    }

    /// The last that the first service did.
    private static func lastOfFirst(_ stage: Stage) -> [String] {
        stage.diary.lines.filter { $0.hasPrefix("alpha 1 ") }.suffix(3)
    }

    @Test("unchanged content makes no change; with force, services restart")
    func same() async throws {
        let stage = try Stage()
        let text = #"{ "alpha": {}, "gamma": {} }"#
        try await stage.perform(text) { () async throws in
            let report = await stage.reload(text)
            #expect(report.outcome == .unchanged && report.generation == 1)
            let forced = await stage.reload(text) { $0.isForced = true }
            #expect(forced.outcome == .applied && forced.generation == 2)
            #expect(Self.actions(forced) == ["alpha restart", "gamma rebind"])
        }
    }

    @Test("only changed services restart, and those that use them")
    func onlyChanged() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {}, "beta": {}, "gamma": {} }"#) { () async throws in
            let report = await stage.reload(#"{ "alpha": { "mood": "better" }, "beta": {}, "gamma": {} }"#)
            #expect(Self.actions(report) == ["alpha restart", "beta restart", "gamma keep"])
            #expect(report.settings.map(\.path) == ["alpha.mood"])
            #expect(try await stage.ask("/gamma").text == "3")
            #expect(try await stage.ask("/alpha").text == "4")
            await stage.diary.gate("alpha 1 stopped").wait()
            await stage.diary.gate("beta 2 stopped").wait()
            let added = await stage.reload(#"{ "alpha": { "mood": "better" }, "gamma": {} }"#)
            #expect(Self.actions(added) == ["alpha keep", "gamma keep", "beta stop"])
        }
    }

    @Test("a service that uses a removed service restarts, even with unchanged settings")
    func gone() async throws {
        let stage = try Stage()
        let gamma = #""gamma": { "mood": "attached" }"#
        try await stage.perform("{ \"alpha\": {}, \(gamma) }") { () async throws in
            let report = await stage.reload("{ \(gamma) }")
            #expect(Self.actions(report) == ["gamma rebind", "alpha stop"])
        }
    }

    @Test("a service starts after those it uses, and gets the running ones")
    func uses() async throws {
        let stage = try Stage()
        let beta = #""beta": { "mood": "attached" }"#
        try await stage.perform("{ \(beta), \"alpha\": {} }") { () async throws in
            #expect(stage.diary.lines.contains("beta 2 finds 1"))
            _ = await stage.reload("{ \(beta), \"alpha\": { \"mood\": \"better\" } }")
            #expect(stage.diary.lines.contains("beta 4 finds 3"))
            _ = await stage.reload(#"{ "beta": {}, "alpha": { "mood": "better" } }"#)
            #expect(stage.diary.lines.last { $0.hasPrefix("beta 5") && $0.contains("finds") } == nil)
        }
    }

    @Test("a rebindable service keeps running with new settings, and gets the old ones back on failure")
    func rebind() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": { "tone": 1 }, "gamma": {} }"#) { () async throws in
            let report = await stage.reload(#"{ "alpha": { "tone": 2 }, "gamma": {} }"#)
            #expect(Self.actions(report) == ["alpha rebind", "gamma keep"])
            #expect(try await stage.ask("/alpha").text == "1")
            stage.diary.forget()
            let failed = await stage.reload(#"{ "alpha": { "tone": 3 }, "gamma": { "mood": "failing" } }"#)
            #expect(failed.outcome == .rolledBack)
            let rebound = stage.diary.lines.filter { $0.contains("rebind") }
            #expect(rebound == ["alpha 1 rebind to 3", "alpha 1 rebind to 2"])
        }
    }

    @Test("a failed change leaves everything unchanged, and is remembered until one succeeds")
    func failure() async throws {
        let stage = try Stage()
        let text = #"{ "alpha": {} }"#
        try await stage.perform(text) { () async throws in
            let report = await stage.reload(#"{ "alpha": { "mood": "failing" } }"#)
            #expect(report.outcome == .rolledBack && report.generation == 1)
            #expect(try await stage.ask("/alpha").text == "1")
            #expect(stage.runner.status.isReady && stage.runner.status.rejected?.outcome == .rolledBack)
            let invalid = await stage.reload(#"{ "alpha": { "moood": 1 } }"#)
            #expect(invalid.outcome == .rejected && invalid.reason?.contains("moood") == true)
            #expect(stage.runner.status.rejected?.outcome == .rejected)
            #expect(await stage.reload(text).outcome == .unchanged)
            #expect(stage.runner.status.rejected == nil)
        }
    }

    @Test("a request is answered by the generation in which it arrived, which ends afterwards")
    func inFlight() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            let slow = Task { try await stage.ask("/alpha/slow") }
            await stage.diary.gate("alpha began").wait()
            let planned = await stage.runner.plan(RequestedChange(.environment("none"), origin: .api))
            #expect(planned.outcome == .rejected)
            let report = await stage.reload(#"{ "alpha": { "mood": "better" } }"#)
            #expect(report.services.map(\.inFlight) == [1])
            #expect(try await stage.ask("/alpha").text == "2")
            await stage.until { stage.diary.lines.contains("alpha 1 drain") }
            #expect(!stage.diary.lines.contains("alpha 1 stop"))
            stage.diary.gate("alpha may end").fire()
            let answer = try await slow.value
            #expect(answer.text == "1" && answer.generation == "1")
            await stage.diary.gate("alpha 1 stopped").wait()
            #expect(Self.lastOfFirst(stage) == ["alpha 1 drain", "alpha 1 answers", "alpha 1 stop"])
        }
    }

    @Test("an in-process call counts as in flight, and uses the current generation")
    func asked() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            #expect(await stage.runner.ask(Scripted<BetaSection>.self) { $0.number } == nil)
            let slow = Task {
                await stage.runner.ask(Scripted<AlphaSection>.self) { service in
                    stage.diary.gate("alpha began").fire()
                    await stage.diary.gate("alpha may end").wait()
                    stage.diary.note("alpha \(service.number) answers")
                    return service.number
                }
            }
            await stage.diary.gate("alpha began").wait()
            let report = await stage.reload(#"{ "alpha": { "mood": "better" } }"#)
            #expect(report.services.map(\.inFlight) == [1])
            #expect(await stage.runner.ask(Scripted<AlphaSection>.self) { $0.number } == 2)
            await stage.until { stage.diary.lines.contains("alpha 1 drain") }
            #expect(!stage.diary.lines.contains("alpha 1 stop"))
            stage.diary.gate("alpha may end").fire()
            #expect(await slow.value == 1)
            await stage.diary.gate("alpha 1 stopped").wait()
            #expect(Self.lastOfFirst(stage) == ["alpha 1 drain", "alpha 1 answers", "alpha 1 stop"])
        }
    }

    @Test("a service that does not drain in time is stopped")
    func drainLimit() async throws {
        let stage = try Stage(drainLimit: .seconds(5))
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            let slow = Task { try await stage.ask("/alpha/slow") }
            await stage.diary.gate("alpha began").wait()
            _ = await stage.reload(#"{ "alpha": { "mood": "better" } }"#)
            await stage.until { stage.clock.sleepers > 0 }
            stage.clock.pass(.milliseconds(4_999))
            #expect(stage.clock.sleepers == 1)
            stage.clock.pass(.milliseconds(1))
            await stage.diary.gate("alpha 1 stopped").wait()
            stage.diary.gate("alpha may end").fire()
            _ = try await slow.value
        }
    }

    @Test("a switch restarts services of the environment, and keeps those that span environments")
    func environments() async throws {
        let stage = try Stage()
        let text = #"""
            { "environment": "dev", "environments": { "dev": { "baseUrl": "https://d.example.com" },
              "stage": { "baseUrl": "https://s.example.com" } }, "alpha": {}, "gamma": {} }
            """#
        try await stage.perform(text) { () async throws in
            let plan = await stage.runner.plan(RequestedChange(.environment("stage"), origin: .api))
            #expect(plan.outcome == .planned && Self.actions(plan) == ["alpha restart", "gamma keep"])
            #expect(stage.runner.status.environment == "dev")
            // Only who switches is remembered, not what a start was told.
            #expect(try await GenerationHistory(in: stage.store, of: "test").nextStart().environment == nil)
            let report = await stage.change(to: .environment("stage"))
            #expect(report.outcome == .applied && report.environment == "stage")
            #expect(report.settings.map(\.path) == ["baseUrl"])
            // A reload stays where it is.
            #expect(await stage.reload(text).outcome == .unchanged)
            let unknown = await stage.change(to: .environment("prod"))
            #expect(unknown.outcome == .rejected && stage.runner.status.environment == "stage")
            #expect(try await GenerationHistory(in: stage.store, of: "test").nextStart().environment == "stage")
        }
    }

    @Test("a conditional change requires the expected content")
    func conditional() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            let hash = stage.runner.status.hash
            let other = await stage.reload(#"{ "alpha": { "tone": 1 } }"#) { $0.expectedHash = "other" }
            #expect(other.outcome == .conflict && stage.runner.status.generation == 1)
            let right = await stage.reload(#"{ "alpha": { "tone": 1 } }"#) { $0.expectedHash = hash }
            #expect(right.outcome == .applied)
        }
    }

    @Test("an unconfirmed change is rolled back at the deadline; a confirmed one stays")
    func confirmation() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            _ = await stage.reload(#"{ "alpha": { "mood": "new" } }"#) { $0.confirmWithin = .seconds(60) }
            #expect(stage.runner.status.confirmBy == stage.clock.clockwork.wall() + 60_000)
            #expect(await stage.runner.generations().filter(\.awaitsConfirmation).map(\.number) == [2])
            await stage.diary.gate("alpha 1 stopped").wait()
            await stage.untilTakenBack(to: 3)
            #expect(stage.runner.status.confirmBy == nil)
            #expect(await stage.runner.effectiveFile(of: 3) == stage.runner.effectiveFile(of: 1))
            _ = await stage.reload(#"{ "alpha": { "mood": "newer" } }"#) { $0.confirmWithin = .seconds(60) }
            #expect(try await stage.runner.confirm())
            #expect(try await !stage.runner.confirm())
            // Nobody is left who would wake to take it back.
            await stage.until { stage.clock.sleepers == 0 }
            stage.clock.pass(.seconds(120))
            #expect(stage.runner.status.generation == 4)
        }
    }

    @Test("a confirmation covers the generation at the time of the request; later changes are rolled back to it")
    func confirmedBefore() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            _ = await stage.reload(#"{ "alpha": { "mood": "new" } }"#) { $0.confirmWithin = .seconds(60) }
            async let later = stage.reload(#"{ "alpha": { "mood": "hanging" } }"#) { $0.confirmWithin = .seconds(60) }
            await stage.diary.gate("alpha hangs").wait()
            let confirming = Task.immediate { try await stage.runner.confirm() }
            stage.diary.gate("never").fire()
            #expect(await later.outcome == .applied)
            #expect(try await confirming.value)
            #expect(await stage.runner.generations().filter(\.awaitsConfirmation).map(\.number) == [3])
            #expect(try await GenerationHistory(in: stage.store, of: "test").nextStart().trial?.former == 2)
            await stage.untilTakenBack(to: 4)
            #expect(await stage.runner.effectiveFile(of: 4) == stage.runner.effectiveFile(of: 2))
        }
    }

    @Test("before the start is complete no change is accepted")
    func early() async throws {
        let stage = try Stage()
        try await stage.perform { () async throws in
            let early = await stage.reload(#"{ "alpha": {} }"#)
            #expect(early.outcome == .conflict && early.reason == "the runner has not started yet")
            #expect(await stage.start(#"{ "alpha": {} }"#).generation == 1)
        }
    }

    @Test("generation numbers are unique, and apps have separate configurations")
    func numbers() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            let candidate = try #require(stage.candidate)
            let histories = ["one", "two"].map { GenerationHistory(in: stage.store, of: $0) }
            let numbers = await withTaskGroup(of: Int.self) { group in
                for history in histories {
                    for _ in 0..<20 { group.addTask { await history.reserveNumber(for: candidate) } }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(numbers).count == 40 && !numbers.contains(1))
            // A run that ended over a number leaves it taken, also where no generation came of it.
            let next = await GenerationHistory(in: stage.store, of: "one").reserveNumber(for: candidate)
            #expect(next > numbers.max() ?? 0)
            var query = NextStart()
            query.setAside = .init(generation: 1, instead: 1, reason: .rolledBack)
            try await histories[0].save(query)
            #expect(try await histories[0].sources(of: 1) == nil)
        }
    }

    @Test("the texts of a generation are kept while its record cannot be read")
    func unreadable() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            let candidate = try #require(stage.candidate)
            let values = FailingReads(stage.store)
            let history = GenerationHistory(in: values, of: "one")
            let number = await history.reserveNumber(for: candidate)
            var next = NextStart()
            next.setAside = .init(generation: number, instead: number, reason: .rolledBack)
            try await history.save(next)
            values.fail("00000000\(number)")
            await #expect(throws: StoreFailure.self) { try await history.save(NextStart()) }
            values.fail(nil)
            #expect(try await history.sources(of: number) != nil)
            // The record is missing, not unreadable.
            try await history.save(NextStart())
            #expect(try await history.sources(of: number) == nil)
        }
    }

    @Test("after several unconfirmed changes the configuration before all of them returns")
    func unconfirmed() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            for mood in ["new", "newer"] {
                _ = await stage.reload("{ \"alpha\": { \"mood\": \"\(mood)\" } }") { $0.confirmWithin = .seconds(60) }
            }
            for number in 1...2 { await stage.diary.gate("alpha \(number) stopped").wait() }
            await stage.untilTakenBack(to: 4)
            #expect(await stage.runner.effectiveFile(of: 4) == stage.runner.effectiveFile(of: 1))
        }
    }

    @Test("generations survive a restart, and each can be rolled back to")
    func history() async throws {
        let first = try Stage()
        try await first.perform(#"{ "alpha": { "mood": "first" } }"#) { () async throws in
            _ = await first.reload(#"{ "alpha": { "mood": "second" } }"#)
        }
        let second = try Stage(in: first.folder)
        try await second.perform(#"{ "alpha": { "mood": "third" } }"#) { () async throws in
            #expect(second.runner.status.generation == 3)
            #expect(await second.runner.generations().map(\.number) == [3, 2, 1])
            let report = await second.change(to: .generation(1))
            #expect(report.outcome == .applied && report.generation == 4)
            #expect(report.settings.map(\.new) == ["first"])
            #expect(await second.change(to: .generation(99)).reason == "generation 99 is not stored")
        }
    }

    @Test("only the latest generations are stored")
    func latest() async throws {
        let stage = try Stage(keeping: 2)
        try await stage.perform(#"{ "alpha": { "mood": "first" } }"#) { () async throws in
            _ = await stage.reload(#"{ "alpha": { "mood": "second" } }"#)
            #expect(await stage.runner.generations().map(\.number) == [2, 1])
            _ = await stage.reload(#"{ "alpha": { "mood": "third" } }"#)
            #expect(await stage.runner.generations().map(\.number) == [3, 2])
            #expect(await stage.runner.effectiveFile(of: 1) == nil)
            #expect(await stage.change(to: .generation(1)).reason == "generation 1 is not stored")
            #expect(await stage.change(to: .generation(2)).outcome == .applied)
        }
    }
}
