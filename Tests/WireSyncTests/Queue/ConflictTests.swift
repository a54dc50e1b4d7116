import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireService

@Suite("Conflicts of queued mutations")
struct ConflictTests {
    /// A client that has changed the title (and the note, where said) offline while another one has changed something.
    struct Case: Sendable, CustomTestStringConvertible {
        let strategy: String
        /// What the other client sets.
        let theirs: KeyValuePairs<String, JSONValue>
        let state: String
        /// Title and note at the server in the end.
        let result: String
        let overwritten: [String]

        var testDescription: String { "\(strategy), \(JSONValue.object(theirs.map { ($0, $1) }).text())" }
    }

    private static let note: KeyValuePairs<String, JSONValue> = ["note": .string("theirs")]
    private static let title: KeyValuePairs<String, JSONValue> = ["title": .string("theirs")]

    static let cases = [
        Case(strategy: "merge", theirs: note, state: "confirmed", result: "mine theirs", overwritten: []),
        Case(strategy: "merge", theirs: title, state: "confirmed", result: "mine -", overwritten: ["title"]),
        Case(strategy: "clientWins", theirs: note, state: "confirmed", result: "mine -", overwritten: ["note"]),
        Case(strategy: "clientWins", theirs: title, state: "confirmed", result: "mine -", overwritten: ["title"]),
        Case(strategy: "serverWins", theirs: note, state: "confirmed", result: "mine theirs", overwritten: []),
        Case(strategy: "serverWins", theirs: title, state: "confirmed", result: "theirs -", overwritten: []),
        Case(strategy: "fail", theirs: note, state: "failed", result: "base theirs", overwritten: []),
        Case(strategy: "ask", theirs: note, state: "confirmed", result: "mine theirs", overwritten: []),
        Case(strategy: "ask", theirs: title, state: "conflict", result: "theirs -", overwritten: []),
    ]

    /// An update of the title that repeats the note as it was, made offline, and a change of another client.
    private static func conflict(
        _ section: String,
        _ theirs: KeyValuePairs<String, JSONValue>,
        isOffix: Bool = false
    ) async throws -> QueueBench {
        let bench = try await QueueBench(section)
        if isOffix { bench.server.speakAsOffix() }
        bench.server.put("1", ["title": .string("base"), "note": .string("-")])
        try await bench.fetch()
        bench.goOffline()
        let mine = input([
            "id": .string("1"), "title": .string("mine"), "note": .string("-"), "_version": .integer(1),
        ])
        _ = try await bench.mutate("UpdateTask", mine, ["id": .string("m1")])
        bench.server.put("1", theirs)
        bench.goOnline()
        return bench
    }

    private static func task(_ bench: QueueBench) -> String {
        let task = bench.server.task("1")
        return "\(task?["title"]?.string ?? "?") \(task?["note"]?.string ?? "?")"
    }

    @Test("the strategy decides about the fields, and is recorded and reported", arguments: cases, [false, true])
    func strategies(item: Case, isOffix: Bool) async throws {
        let bench = try await Self.conflict(
            "  conflicts: { strategy: \(item.strategy) }",
            item.theirs,
            isOffix: isOffix
        )
        #expect(try await bench.reaches("m1", item.state))
        #expect(Self.task(bench) == item.result)
        let shown = try await bench.ask(.get, "/v1/sync/queue/m1").json
        let resolutions = shown["resolutions"]?.array ?? []
        let isResolved = item.state == "confirmed"
        #expect(resolutions.count == (isResolved ? 1 : 0))
        #expect(bench.told("conflict").count == (item.strategy == "fail" ? 0 : 1))
        if isResolved {
            #expect(resolutions[0]["overwritten"]?.array?.compactMap(\.string) == item.overwritten)
            for name in item.overwritten { #expect(resolutions[0]["replaced"]?[name]?.string == "theirs") }
            let keys = bench.server.received.map(\.key)
            #expect(Set(keys).count == keys.count)
            let title = bench.server.task("1")?["title"]?.string ?? "?"
            #expect(try await bench.titles() == ["1 \(title)"])
        }
        await bench.kill()
    }

    @Test("an operation can have its own strategy")
    func ofOperation() async throws {
        let section = """
              conflicts: { strategy: clientWins }
              mutations: { UpdateTask: { conflict: serverWins } }
            """
        let bench = try await Self.conflict(section, Self.title)
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(Self.task(bench) == "theirs -")
        await bench.kill()
    }

    @Test("a caller's decision continues with its values", arguments: ["client", "server", "variables"])
    func asked(side: String) async throws {
        var bench = try await Self.conflict("  conflicts: { strategy: ask }", Self.title)
        #expect(try await bench.reaches("m1", "conflict"))
        _ = try await bench.mutate(
            "CreateTask",
            input(["title": .string("behind")]),
            ["id": .string("m2"), "wait": .string("0s")]
        )
        // It waits on over a restart, and what is behind it too.
        bench = try await bench.restarted("  conflicts: { strategy: ask }")
        let shown = try await bench.ask(.get, "/v1/sync/queue/m1").json
        #expect(shown["conflict"]?["fields"]?.text() == #"["title"]"#)
        #expect(shown["conflict"]?["server"]?["title"]?.string == "theirs")
        #expect(try await bench.state("m2") == "accepted")
        let own = JSONValue.object([
            ("input", input(["id": .string("1"), "title": .string("ours"), "_version": .integer(1)]))
        ])
        let body = side == "variables" ? input(["variables": own]) : input(["side": .string(side)])
        #expect(try await bench.ask(.post, "/v1/sync/queue/m1/resolve", body).status == 200)
        #expect(try await bench.reaches("m2", "confirmed"))
        #expect(try await bench.state("m1") == "confirmed")
        #expect(Self.task(bench) == ["client": "mine -", "server": "theirs -", "variables": "ours -"][side])
        #expect(try await bench.ask(.post, "/v1/sync/queue/m1/resolve", body).status == 409)
        await bench.kill()
    }

    @Test("an unresolved conflict fails at its deadline")
    func undecided() async throws {
        let bench = try await Self.conflict("  conflicts: { strategy: ask, deadline: 60s }", Self.title)
        #expect(try await bench.reaches("m1", "conflict"))
        #expect(try await bench.reaches("m1", "failed"))
        #expect(Self.task(bench) == "theirs -")
        #expect(try await bench.titles() == ["1 theirs"])
        await bench.kill()
    }

    @Test("values with separate variables are merged too")
    func inline() async throws {
        let bench = try await QueueBench()
        bench.server.put("1", ["title": .string("base"), "note": .string("-")])
        try await bench.fetch()
        bench.goOffline()
        let variables = input(["id": .string("1"), "title": .string("mine"), "version": .integer(1)])
        _ = try await bench.ask(
            .post,
            "/v1/sync/mutate",
            .members(["operation": .string("Rename"), "variables": variables, "id": .string("m1")])
        )
        bench.server.put("1", Self.note)
        bench.goOnline()
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(Self.task(bench) == "mine theirs")
        await bench.kill()
    }

    @Test("a declared status is a conflict; without server values nothing is overwritten silently")
    func declaredStatus() async throws {
        for (strategy, state) in [("clientWins", "failed"), ("ask", "conflict")] {
            let bench = try await QueueBench("  conflicts: { strategy: \(strategy), statuses: [412] }")
            bench.server.put("1", ["title": .string("base")])
            try await bench.fetch()
            bench.server.answer(412, .members(["error": .string("changed")]))
            let change = input(["id": .string("1"), "title": .string("mine")])
            _ = try await bench.mutate("UpdateTask", change, ["id": .string("m1"), "wait": .string("0s")])
            #expect(try await bench.reaches("m1", state))
            #expect(bench.server.titles == ["1 base"])
            if state == "conflict" {
                let side = input(["side": .string("client")])
                #expect(try await bench.ask(.post, "/v1/sync/queue/m1/resolve", side).status == 200)
                #expect(try await bench.reaches("m1", "confirmed"))
                #expect(bench.server.titles == ["1 mine"])
            }
            await bench.kill()
        }
    }

    @Test("deleting a changed object is a conflict", arguments: ["merge", "serverWins"])
    func deletion(strategy: String) async throws {
        let bench = try await QueueBench("  conflicts: { strategy: \(strategy) }")
        bench.server.put("1", ["title": .string("base")])
        try await bench.fetch()
        bench.goOffline()
        let gone = input(["id": .string("1"), "_version": .integer(1)])
        _ = try await bench.mutate("DeleteTask", gone, ["id": .string("m1")])
        #expect(try await bench.titles() == [])
        bench.server.put("1", Self.title)
        bench.goOnline()
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(bench.server.titles == (strategy == "merge" ? [] : ["1 theirs"]))
        #expect(try await bench.titles() == (strategy == "merge" ? [] : ["1 theirs"]))
        await bench.kill()
    }
}
