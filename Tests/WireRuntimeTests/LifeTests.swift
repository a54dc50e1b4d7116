import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireRunnerContract
import WireRuntime
import WireService
import WireSQLite
import WireStore
import Workbench

@Suite("Service lifecycle", .timeLimit(.minutes(1)))
struct LifeTests {
    @Test("a service starts after those it uses, and stops before them")
    func order() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "beta": {}, "alpha": {} }"#) { () async throws in
            let starts = stage.diary.lines.filter { $0.hasSuffix("start") }
            #expect(starts == ["alpha 1 start", "beta 2 start"])
            #expect(stage.runner.status.isReady)
        }
        #expect(stage.diary.lines.filter { $0.hasSuffix("stop") } == ["beta 2 stop", "alpha 1 stop"])
    }

    @Test("all services are prepared before any starts")
    func preparation() async throws {
        let stage = try Stage()
        let report = await stage.start(#"{ "alpha": {}, "beta": { "mood": "unprepared" } }"#)
        #expect(report.outcome == .rolledBack)
        // What was prepared is let go of, and was never started.
        #expect(stage.diary.lines == ["alpha 1 prepare", "alpha 1 stop"])
    }

    @Test(
        "a required service that fails stops the start, with the line of the file",
        arguments: ["failing", "unprepared"]
    )
    func failure(mood: String) async throws {
        let stage = try Stage()
        let report = await stage.start("{ \"alpha\": {},\n \"beta\": { \"mood\": \"\(mood)\" } }")
        #expect(report.outcome == .rolledBack)
        #expect(report.reason?.hasPrefix("beta: cannot") == true)
        let fault = report.services.compactMap(\.fault).first
        #expect(fault?.origin == ValueOrigin(path: "beta.mood", place: "test.json:2:20"))
        let prepared = stage.diary.lines.filter { $0.hasSuffix("prepare") }.count
        #expect(stage.diary.lines.filter { $0.hasSuffix("stop") }.count == prepared)
    }

    @Test("a service prepared after the deadline is stopped")
    func preparedTooLate() async throws {
        let stage = try Stage()
        async let start = stage.start(#"{ "alpha": { "mood": "late" } }"#)
        await stage.diary.gate("alpha is awaited").wait()
        await stage.until { stage.clock.sleepers > 0 }
        stage.clock.pass(.seconds(3_600))
        _ = await start
        #expect(stage.diary.lines.isEmpty)
        stage.diary.gate("alpha is late").fire()
        await stage.until { stage.diary.lines.last == "alpha 1 stop" }
        #expect(stage.diary.lines == ["alpha 1 prepare", "alpha 1 stop"])
    }

    @Test("an optional service fails alone", arguments: ["failing", "unprepared"])
    func optional(mood: String) async throws {
        let stage = try Stage()
        try await stage.perform("{ \"alpha\": { \"mood\": \"\(mood)\", \"required\": false }, \"gamma\": {} }") {
            () async throws in
            let status = stage.runner.status
            #expect(status.isReady)
            #expect(status.services.first { $0.name == "alpha" }?.state.name == "failed")
            #expect(status.services.first { $0.name == "gamma" }?.state.name == "ready")
        }
    }

    @Test("a service unsupported by the host or the build is inert, with the reason")
    func inert() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": { "mood": "missing" }, "delta": {}, "gamma": {} }"#) { () async throws in
            let states = stage.runner.status.services.map { "\($0.name) \($0.state.name) \($0.state.reason ?? "")" }
            #expect(
                states == [
                    "alpha inert there is no hardware for it", "gamma ready ", "delta inert not in this build",
                ]
            )
            #expect(stage.runner.status.isReady)
        }
    }

    @Test("a service that is not ready in time has failed")
    func deadline() async throws {
        let stage = try Stage()
        let start = Task { await stage.start(#"{ "alpha": { "mood": "hanging" } }"#) }
        await stage.diary.gate("alpha hangs").wait()
        await stage.until { stage.clock.sleepers > 0 }
        stage.clock.pass(.milliseconds(29_999))
        #expect(stage.clock.sleepers == 1)
        stage.clock.pass(.milliseconds(1))
        let report = await start.value
        #expect(report.outcome == .rolledBack)
        #expect(report.reason == "alpha: not ready within 30.0 seconds")
    }

    @Test("a service that fails at run time is reported with its line, and restarts with backoff")
    func restart() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": { "mood": "fragile" } }"#) { () async throws in
            await stage.diary.gate("alpha 1 runs").wait()
            stage.diary.gate("alpha 1 breaks").fire()
            await stage.until { stage.runner.status.services[0].state.name == "failed" }
            let fault = stage.runner.status.services[0].state.fault
            #expect(fault?.reason == "it broke" && fault?.origin?.place == "test.json:1:22")
            #expect(!stage.runner.status.isReady)
            await stage.until { stage.clock.sleepers > 0 }
            stage.clock.pass(.milliseconds(999))
            #expect(stage.clock.sleepers == 1)
            stage.clock.pass(.milliseconds(1))
            await stage.diary.gate("alpha 2 runs").wait()
            #expect(stage.runner.status.isReady)
            #expect(stage.runner.status.services[0].restarts == 1)
            #expect(try await stage.ask("/alpha").text == "2")
            stage.diary.gate("alpha 2 breaks").fire()
            await stage.until { stage.runner.status.services[0].state.name == "failed" }
            var passed = 0
            // The service that is let go of waits for the clock as well, so that the end of the pause cannot be hit.
            while !stage.diary.lines.contains("alpha 3 prepare") {
                if stage.clock.sleepers > 0 {
                    stage.clock.pass(.milliseconds(1))
                    passed += 1
                }
                await Task.yield()
            }
            #expect(passed >= 2_000)
            await stage.diary.gate("alpha 3 runs").wait()
            #expect(stage.runner.status.services[0].restarts == 2)
        }
    }

    @Test("a generation that could not be stored is stored later, which clears the fault")
    func refusedByStore() async throws {
        let isFull = Atomic(true)
        let stage = try Stage(around: { FullStore(store: $0, isFull: { isFull.load(ordering: .relaxed) }) })
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            #expect(stage.runner.status.faults.map(\.reason) == ["the generation cannot be stored: full"])
            #expect(!stage.runner.status.isReady)
            await stage.until { stage.clock.sleepers > 0 }
            stage.clock.pass(.seconds(5))
            // It has been tried in vain, and is waited for again.
            await stage.until { stage.clock.sleepers > 0 }
            #expect(await stage.runner.generations().isEmpty && !stage.runner.status.isReady)
            isFull.store(false, ordering: .relaxed)
            stage.clock.pass(.seconds(5))
            await stage.until { stage.runner.status.isReady }
            #expect(await stage.runner.generations().map(\.number) == [1])
        }
    }

    @Test("a generation whose number another process has taken meanwhile is stored under another one")
    func takenNumber() async throws {
        let isFull = Atomic(true)
        let stage = try Stage(around: { FullStore(store: $0, isFull: { isFull.load(ordering: .relaxed) }) })
        try await stage.perform(#"{ "alpha": { "mood": "own" } }"#) { () async throws in
            let other = GenerationHistory(in: stage.store, of: "other")
            let candidate = try #require(stage.candidate)
            #expect(await other.reserveNumber(for: candidate) == 1)
            isFull.store(false, ordering: .relaxed)
            await stage.untilTimePasses { stage.runner.status.isReady }
            let own = await stage.runner.generations()
            #expect(own.map(\.number) == [2] && own.map(\.isCurrent) == [true])
            #expect(await stage.runner.effectiveFile(of: 2)?.contains("own") == true)
            #expect(await stage.reload(#"{ "alpha": { "mood": "new" } }"#).generation == 3)
            #expect(await stage.runner.generations().map(\.number) == [3, 2])
        }
    }

    @Test("a decision that could not be stored is stored later; a confirmation is not")
    func refusedDecision() async throws {
        let isFull = Atomic(false)
        let stage = try Stage(around: { FullStore(store: $0, isFull: { isFull.load(ordering: .relaxed) }) })
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            _ = await stage.reload(#"{ "alpha": { "mood": "new" } }"#)
            isFull.store(true, ordering: .relaxed)
            #expect(await stage.change(to: .generation(1)).outcome == .applied)
            #expect(!stage.runner.status.isReady)
            let history = GenerationHistory(in: stage.store, of: "test")
            #expect(try await history.nextStart().setAside == nil)
            isFull.store(false, ordering: .relaxed)
            await stage.untilTimePasses { stage.runner.status.isReady }
            #expect(try await history.nextStart().setAside == .init(generation: 2, instead: 3, reason: .rolledBack))
            _ = await stage.reload(#"{ "alpha": { "mood": "newer" } }"#) { $0.confirmWithin = .seconds(60) }
            isFull.store(true, ordering: .relaxed)
            await #expect(throws: Fault.self) { try await stage.runner.confirm() }
            isFull.store(false, ordering: .relaxed)
            #expect(try await stage.runner.confirm())
            #expect(try await history.nextStart().trial == nil)
        }
    }

    /// A store with no room for anything for a while.
    private struct FullStore: StoreAround {
        let store: any KeyValueStore
        let isFull: @Sendable () -> Bool

        func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
            async throws(StoreFailure) -> StoreReceipt
        {
            if isFull() { throw StoreFailure(.full, "full") }
            return try await store.put(value, under: key, in: namespace, if: condition)
        }
    }

    @Test("a request before the start gets an error after 30 seconds")
    func tooEarly() async throws {
        let stage = try Stage()
        let answer = Task { try await stage.ask("/alpha") }
        await stage.until { stage.clock.sleepers > 0 }
        stage.clock.pass(.milliseconds(29_999))
        #expect(stage.clock.sleepers == 1)
        stage.clock.pass(.milliseconds(1))
        #expect(try await answer.value.status == 503)
        await stage.store.close()
    }

    @Test("a request before the start waits for it")
    func early() async throws {
        let stage = try Stage()
        let answer = Task { try await stage.ask("/alpha") }
        await stage.until { stage.clock.sleepers > 0 }
        try await stage.perform(#"{ "alpha": {} }"#) { () async throws in
            #expect(try await answer.value.text == "1")
        }
    }
}
