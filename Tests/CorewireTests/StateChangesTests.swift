import Corewire
import Support
import Testing

@Suite("Changes of a namespace through the Swift API")
struct StateChangesTests {
    @Test("changes arrive in order, from every writer, starting at the subscription")
    func inOrder() async throws {
        let program = try await EmbeddedProgram()
        let notes = program.corewire.state["notes"]
        try await notes.put(text: "0", under: "before")
        let changes = try await notes.changes()
        let first = try await notes.put(text: "1", under: "a")
        let put = try await program.ask("PUT", "/v1/state/notes/b", text: "2")
        try await program.corewire.state["drafts"].put(text: "x", under: "elsewhere")
        try await notes.remove("a")
        var iterator = changes.makeAsyncIterator()
        #expect(try await iterator.next() == .put(key: "a", version: first.version))
        let second = try #require(try await notes.summary(of: "b")).version
        #expect(put["ETag"] == "\"\(second)\"")
        #expect(try await iterator.next() == .put(key: "b", version: second))
        guard case .removed("a", let third) = try await iterator.next() else {
            Issue.record("expected the removal")
            return
        }
        #expect(third > second)
        // Another iteration begins where the sequence does, and one after a version goes on there.
        var again = changes.makeAsyncIterator()
        #expect(try await again.next() == .put(key: "a", version: first.version))
        var resumed = try await notes.changes(after: second).makeAsyncIterator()
        #expect(try await resumed.next() == .removed(key: "a", version: third))
        await program.stop()
    }

    @Test("a watch continues across a reload, and across a restart of all services")
    func reload() async throws {
        let program = try await EmbeddedProgram()
        let notes = program.corewire.state["notes"]
        var iterator = try await notes.changes().makeAsyncIterator()
        try program.write(sections: "persistence: { maxValueSize: 8KiB }")
        try await program.corewire.reload()
        let first = try await notes.put(text: "1", under: "a")
        #expect(try await iterator.next() == .put(key: "a", version: first.version))
        let answer = try await program.ask(
            "POST",
            "/v1/reload",
            ["Content-Type: application/json"],
            text: #"{"force":true}"#
        )
        #expect(answer.status == 200, "\(answer.text)")
        let second = try await notes.put(text: "2", under: "b")
        #expect(try await iterator.next() == .put(key: "b", version: second.version))
        await program.stop()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test("a switch causes a gap for separate entries, and none for shared ones")
    func environment() async throws {
        let program = try await EmbeddedProgram()
        let state = program.corewire.state
        var own = try await state["notes"].changes().makeAsyncIterator()
        var shared = try await state["shared"].changes().makeAsyncIterator()
        try await state["notes"].put(text: "dev", under: "k")
        guard case .put("k", _) = try await own.next() else {
            Issue.record("expected the first value")
            return
        }
        try await program.corewire.use(environment: "prod")
        #expect(try await own.next() == .gap)
        let value = try await state["notes"].put(text: "prod", under: "k")
        #expect(try await own.next() == .put(key: "k", version: value.version))
        let ours = try await state["shared"].put(text: "all", under: "k")
        #expect(try await shared.next() == .put(key: "k", version: ours.version))
        await program.stop()
    }

    @Test("a waiting watch gets an error when the section is removed, and an end when services stop")
    func ends() async throws {
        let program = try await EmbeddedProgram()
        let notes = program.corewire.state["notes"]
        let withoutSection = try await notes.changes()
        async let ended: CorewireError? = {
            do throws(CorewireError) {
                for try await _ in withoutSection {}
                return nil
            } catch {
                return error
            }
        }()
        try program.write(sections: "")
        try await program.corewire.reload()
        #expect(await ended?.code == .noService)
        try program.write(sections: "persistence: {}")
        try await program.corewire.reload()
        let changes = try await notes.changes()
        async let count = {
            var count = 0
            for try await _ in changes { count += 1 }
            return count
        }()
        try await notes.put(text: "x", under: "k")
        await program.stop()
        #expect(try await count <= 1)
    }

    @Test("a watch ends with its task")
    func cancelled() async throws {
        let program = try await EmbeddedProgram()
        let changes = try await program.corewire.state["notes"].changes()
        let last = try await withThrowingTaskGroup(of: Corewire.StateChange?.self) { group in
            group.addTask {
                var iterator = changes.makeAsyncIterator()
                return try await iterator.next()
            }
            group.cancelAll()
            return try await group.next() ?? nil
        }
        #expect(last == nil)
        await program.stop()
    }
}
