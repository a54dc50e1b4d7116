import Support
import Testing
import WireBase
import WireConfig
import WireRunnerContract
import WireRuntime
import WireService

@Suite("Services that need a user", .timeLimit(.minutes(1)))
struct UserTests {
    private static func state(_ stage: Stage, _ name: String = "zeta") -> String {
        stage.runner.status.services.first { $0.name == name }?.state.name ?? "absent"
    }

    private static func restarts(_ stage: Stage) -> Int? {
        stage.runner.status.services.first { $0.name == "zeta" }?.restarts
    }

    private func settle(_ stage: Stage, _ name: String, _ state: String) async {
        await stage.until { Self.state(stage, name) == state }
    }

    @Test("a service waits for a sign-in, runs for that user, and stops at sign-out")
    func presence() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "zeta": {}, "door": {}, "gamma": {} }"#) { () async throws in
            #expect(Self.state(stage) == "waiting" && stage.runner.status.isReady)
            #expect(stage.runner.status.services.first { $0.name == "zeta" }?.state.reason == "no user is signed in")
            #expect(Self.restarts(stage) == 0)
            let refused = try await stage.ask("/zeta")
            #expect(refused.status == 401 && refused.text.contains("signed-out"))
            #expect(refused.text.contains("sign in with"))
            stage.visitors.enter("ada")
            await settle(stage, "zeta", "ready")
            #expect(try await stage.ask("/zeta").text == "ada")
            stage.visitors.leave()
            await settle(stage, "zeta", "waiting")
            // That somebody comes or goes is no restart.
            #expect(Self.restarts(stage) == 0)
            #expect(try await stage.ask("/zeta").status == 401)
            await stage.until { stage.diary.lines.contains("zeta ada stop") }
            #expect(stage.runner.status.generation == 1)
        }
        #expect(
            stage.diary.lines.filter { $0.hasPrefix("zeta") } == [
                "zeta ada prepare", "zeta ada start", "zeta ada drain", "zeta ada stop",
            ]
        )
        #expect(stage.diary.lines.filter { $0.hasPrefix("gamma") && $0.hasSuffix(" run") }.count == 1)
    }

    private static func reason(_ stage: Stage) -> String? {
        stage.runner.status.services.first { $0.name == "zeta" }?.state.reason
    }

    @Test("a service whose user is blocked by a security rule waits and names the rule, also if the rule changes")
    func withheld() async throws {
        let stage = try Stage()
        stage.visitors.enter("ada")
        try await stage.perform(#"{ "zeta": {}, "door": {} }"#) { () async throws in
            for rule in ["debugger", "root"] {
                stage.visitors.withhold(rule)
                await stage.until {
                    Self.reason(stage) == "the session is blocked by the security rule '\(rule)': found"
                }
            }
            let refused = try await stage.ask("/zeta")
            #expect(refused.status == 403 && refused.text.contains("distrusted"), "\(refused.text)")
            #expect(refused.text.contains("the security rule 'root'"), "\(refused.text)")
        }
    }

    @Test("a signed-in user is available from the start")
    func restored() async throws {
        let stage = try Stage()
        stage.visitors.enter("ada")
        try await stage.perform(#"{ "zeta": {}, "door": {} }"#) { () async throws in
            #expect(Self.state(stage) == "ready")
            #expect(try await stage.ask("/zeta").text == "ada")
        }
    }

    @Test("work for one user ends before it starts for the next")
    func succession() async throws {
        let stage = try Stage()
        stage.visitors.enter("ada")
        try await stage.perform(#"{ "zeta": {}, "door": {} }"#) { () async throws in
            let slow = Task { try await stage.ask("/zeta/slow") }
            await stage.diary.gate("zeta began").wait()
            stage.visitors.enter("bob")
            await settle(stage, "zeta", "waiting")
            let between = try await stage.ask("/zeta")
            #expect(between.status == 503 && between.text.contains("for the previous user"))
            // A reload in between does not get ahead either.
            async let reload = stage.reload(#"{ "zeta": { "tone": 1 }, "door": {} }"#)
            await stage.until { stage.diary.lines.contains("zeta ada drain") }
            #expect(!stage.diary.lines.contains("zeta bob prepare"))
            stage.diary.gate("zeta may end").fire()
            #expect(try await slow.value.text == "ada")
            #expect(await reload.outcome == .applied)
            await settle(stage, "zeta", "ready")
            #expect(try await stage.ask("/zeta").text == "bob")
            let lines = stage.diary.lines.filter { $0.hasPrefix("zeta") && !$0.contains("rebind") }
            #expect(
                lines.prefix(6) == [
                    "zeta ada prepare", "zeta ada start", "zeta ada drain", "zeta ada answers", "zeta ada stop",
                    "zeta bob prepare",
                ]
            )
        }
    }

    @Test("work that still ends for a user delays the next user's, but not a restart for the same user")
    func overtaking() async throws {
        let stage = try Stage()
        stage.visitors.enter("ada")
        try await stage.perform(#"{ "zeta": {}, "door": {} }"#) { () async throws in
            let slow = Task { try await stage.ask("/zeta/slow") }
            await stage.diary.gate("zeta began").wait()
            for mood in ["better", "best"] {
                let report = await stage.reload(#"{ "zeta": { "mood": "\#(mood)" }, "door": {} }"#)
                #expect(report.outcome == .applied)
            }
            #expect(!stage.diary.lines.contains("zeta ada answers"))
            stage.visitors.enter("bob")
            // Both that answer nobody any more; the first still does.
            await stage.until { stage.diary.lines.count { $0 == "zeta ada stop" } == 2 }
            for _ in 0..<100 { await Task.yield() }
            #expect(!stage.diary.lines.contains("zeta bob prepare"))
            stage.diary.gate("zeta may end").fire()
            #expect(try await slow.value.text == "ada")
            await settle(stage, "zeta", "ready")
            #expect(try await stage.ask("/zeta").text == "bob")
            let lines = stage.diary.lines
            #expect(lines.count { $0 == "zeta ada prepare" } == 3)
            let last = try #require(lines.lastIndex(of: "zeta ada stop"))
            let next = try #require(lines.firstIndex(of: "zeta bob prepare"))
            #expect(last < next)
        }
    }

    @Test("work that does not end for a user in time is stopped, and the next user is served")
    func deadline() async throws {
        let stage = try Stage(drainLimit: .seconds(5))
        stage.visitors.enter("ada")
        try await stage.perform(#"{ "zeta": {}, "door": {} }"#) { () async throws in
            let slow = Task { try await stage.ask("/zeta/slow") }
            await stage.diary.gate("zeta began").wait()
            stage.visitors.enter("bob")
            await stage.until { stage.diary.lines.contains("zeta ada drain") && stage.clock.sleepers > 0 }
            stage.clock.pass(.milliseconds(4_999))
            #expect(stage.clock.sleepers == 1)
            stage.clock.pass(.milliseconds(1))
            await settle(stage, "zeta", "ready")
            #expect(try await stage.ask("/zeta").text == "bob")
            stage.diary.gate("zeta may end").fire()
            _ = try await slow.value
        }
    }

    @Test("the same user signed in again is another session")
    func anew() async throws {
        let stage = try Stage()
        stage.visitors.enter("ada", session: "first")
        try await stage.perform(#"{ "zeta": {}, "door": {} }"#) { () async throws in
            stage.visitors.enter("ada", session: "second")
            await stage.until { stage.diary.lines.contains("zeta second start") }
            #expect(
                stage.diary.lines == [
                    "zeta first prepare", "zeta first start", "zeta first drain", "zeta first stop",
                    "zeta second prepare", "zeta second start",
                ]
            )
        }
    }

    @Test("a service that uses a waiting one waits with it, starts after it and stops before it")
    func dependents() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "eta": {}, "zeta": {}, "door": {} }"#) { () async throws in
            #expect(Self.state(stage, "eta") == "waiting")
            #expect(try await stage.ask("/eta").status == 401)
            stage.visitors.enter("ada")
            await settle(stage, "eta", "ready")
            stage.visitors.leave()
            await stage.until { stage.diary.lines.contains("zeta ada stop") }
            #expect(
                stage.diary.lines.filter { $0.hasSuffix("start") || $0.hasSuffix("stop") } == [
                    "zeta ada start", "eta ada start", "eta ada stop", "zeta ada stop",
                ]
            )
        }
    }

    @Test(
        "a service that fails at sign-in fails alone, with its line, and is retried",
        arguments: ["failing", "unprepared"]
    )
    func failure(mood: String) async throws {
        let stage = try Stage()
        try await stage.perform("{ \"door\": {},\n \"zeta\": { \"mood\": \"\(mood)\" }, \"gamma\": {} }") {
            () async throws in
            stage.visitors.enter("ada")
            await settle(stage, "zeta", "failed")
            let status = stage.runner.status
            #expect(status.generation == 1 && status.rejected == nil && !status.isReady)
            #expect(status.services.first { $0.name == "gamma" }?.state.name == "ready")
            let fault = status.services.first { $0.name == "zeta" }?.state.fault
            #expect(fault?.origin == ValueOrigin(path: "zeta.mood", place: "test.json:2:20"))
            #expect(try await stage.ask("/zeta").status == 503)
            stage.diary.gate("zeta mended").fire()
            await stage.until { stage.clock.sleepers > 0 }
            stage.clock.pass(.seconds(1))
            await settle(stage, "zeta", "ready")
            #expect(try await stage.ask("/zeta").text == "ada")
        }
    }

    @Test("a service that failed for a former user waits for the next")
    func failureAndSignOut() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "door": {}, "zeta": { "mood": "failing" } }"#) { () async throws in
            stage.visitors.enter("ada")
            await settle(stage, "zeta", "failed")
            stage.visitors.leave()
            await settle(stage, "zeta", "waiting")
            #expect(try await stage.ask("/zeta").status == 401)
        }
    }

    @Test("a failed change leaves the user's services unchanged")
    func rollback() async throws {
        let stage = try Stage()
        stage.visitors.enter("ada")
        try await stage.perform(#"{ "door": {}, "zeta": {} }"#) { () async throws in
            let report = await stage.reload(#"{ "door": {}, "zeta": { "mood": "failing" } }"#)
            #expect(report.outcome == .rolledBack && Self.state(stage) == "ready")
            #expect(try await stage.ask("/zeta").text == "ada")
            let renewed = await stage.reload(#"{ "door": { "policy": "other" }, "zeta": {} }"#)
            #expect(renewed.services.map { "\($0.name) \($0.action.rawValue)" } == ["door restart", "zeta restart"])
            #expect(renewed.services.map(\.needsUser) == [false, true])
            stage.visitors.leave()
            await settle(stage, "zeta", "waiting")
            let rebound = await stage.reload(#"{ "door": { "policy": "other" }, "zeta": { "tone": 2 } }"#)
            #expect(rebound.outcome == .applied && Self.state(stage) == "waiting")
            stage.visitors.enter("bob")
            await settle(stage, "zeta", "ready")
            #expect(try await stage.ask("/zeta").text == "bob")
        }
    }

    @Test("a user who signs out during the start of services is never served")
    func tooLate() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "door": {}, "zeta": { "mood": "hanging" } }"#) { () async throws in
            stage.visitors.enter("ada")
            await stage.diary.gate("zeta starts").wait()
            stage.visitors.leave()
            stage.diary.gate("zeta may start").fire()
            await stage.until { stage.diary.lines.contains("zeta ada stop") }
            #expect(Self.state(stage) == "waiting")
            #expect(try await stage.ask("/zeta").status == 401)
        }
    }

    @Test("a service that accepts no user runs at once, and is notified of sign-ins and sign-outs")
    func anonymous() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "door": { "policy": "anonymous" }, "zeta": {} }"#) { () async throws in
            #expect(try await stage.ask("/zeta").text == "nobody")
            stage.visitors.enter("ada")
            await stage.until { (try? await stage.ask("/zeta").text) == "ada" }
            stage.visitors.leave()
            await stage.until { (try? await stage.ask("/zeta").text) == "nobody" }
            #expect(!stage.diary.lines.contains { $0.hasSuffix("stop") })
        }
    }

    @Test("a service that cannot change users restarts for the next")
    func stubborn() async throws {
        let stage = try Stage()
        let text = #"{ "door": { "policy": "anonymous" }, "zeta": { "mood": "stubborn" } }"#
        try await stage.perform(text) { () async throws in
            stage.visitors.enter("ada")
            await stage.until { (try? await stage.ask("/zeta").text) == "ada" }
            #expect(stage.diary.lines.contains("zeta nobody stop"))
        }
    }

    @Test("without a sign-in section a service runs at once")
    func nothingSignsIn() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "gamma": {}, "zeta": {} }"#) { () async throws in
            #expect(Self.state(stage) == "ready")
            #expect(try await stage.ask("/zeta").text == "nobody")
        }
    }

    @Test("after rapid changes the last user is served, and only that user")
    func flurry() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "eta": {}, "zeta": {}, "door": {} }"#) { () async throws in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0...60 {
                        if number % 7 == 3 { stage.visitors.leave() } else { stage.visitors.enter("u\(number)") }
                        await Task.yield()
                    }
                }
                group.addTask {
                    for tone in 1..<12 {
                        _ = await stage.reload(#"{ "eta": {}, "zeta": { "tone": \#(tone % 3) }, "door": {} }"#)
                    }
                }
                group.addTask { for _ in 0..<200 { _ = try? await stage.ask("/zeta") } }
            }
            await stage.until { (try? await stage.ask("/eta").text) == "u60" }
            var present: String?
            for line in stage.diary.lines where line.hasPrefix("zeta") {
                let words = line.split(separator: " ")
                if words[2] == "start" {
                    #expect(present == nil, "\(line)")
                    present = String(words[1])
                }
                if words[2] == "stop", present == String(words[1]) { present = nil }
            }
        }
    }

    @Test("settings follow the generation of a service, also of a kept one")
    func lent() async throws {
        let stage = try Stage()
        try await stage.perform(#"{ "alpha": { "mood": "fine" }, "gamma": {} }"#) { () async throws in
            #expect(try await stage.ask("/gamma/lent").text == "fine")
            _ = await stage.reload(#"{ "alpha": { "mood": "finer" }, "gamma": {} }"#)
            #expect(try await stage.ask("/gamma/lent").text == "finer")
        }
    }
}
