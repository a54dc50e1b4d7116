import Foundation
import Support
import Testing

@Suite("A runner whose store is removed")
struct StateLossTests {
    private static func state(_ runner: RunningRunner, of group: String = "com.example.group") -> String {
        runner.home.url.appendingPathComponent("state/corewire/\(group)").path
    }

    @Test(
        "the runner stops acknowledging, is not ready, and reports what to do",
        arguments: ["removed", "older", "emptied", "log"]
    )
    func lost(how: String) async throws {
        let runner = try await RunningRunner(StateTests.file)
        let state = Self.state(runner)
        #expect(try await runner.ask("PUT", "/v1/state/notes/k", text: "one").status == 201)
        #expect(try await runner.ask("GET", "/v1/state/notes/k").text == "one")
        switch how {
        case "removed": try FileManager.default.removeItem(atPath: "\(state)/state.db")
        case "older":
            try FileManager.default.copyItem(atPath: "\(state)/state.db", toPath: "\(state)/backup")
            #expect(unsafe rename("\(state)/backup", "\(state)/state.db") == 0)
        case "emptied": #expect(unsafe truncate("\(state)/state.db", 0) == 0)
        default: try FileManager.default.removeItem(atPath: "\(state)/state.db-wal")
        }
        let answer = try await runner.ask("PUT", "/v1/state/notes/k", text: "two")
        #expect(answer.status == 503)
        #expect(answer.text.contains("while the store was open"), "\(answer.text)")
        #expect(answer.text.contains("stop the program, "), "\(answer.text)")
        #expect(try await runner.ask("GET", "/v1/state/notes/k").status == 503)
        let isTold = await eventually {
            let ready = try? await runner.ask("GET", "/readyz")
            return ready?.status == 503 && ready?.text.contains("[-]persistence failed") == true
        }
        #expect(isTold)
        #expect(await eventually { runner.log.contains("while the store was open") })
        try await runner.stop()
        if how == "removed" || how == "log" {
            // As it says: what was confirmed was saved.
            for file in ["state.db-wal", "state.db-shm"] { unsafe unlink("\(state)/\(file)") }
            #expect(unsafe rename("\(state)/state.db.saved", "\(state)/state.db") == 0)
            let again = try await RunningRunner(nil, in: runner.home)
            #expect(try await again.ask("GET", "/v1/state/notes/k").text == "one")
        }
    }

    @Test("a removed store is detected without a write, and without app data")
    func idle() async throws {
        let runner = try await RunningRunner("version: 1\napp: { id: com.example.tasks }\napi: {}\n")
        #expect(try await runner.ask("GET", "/readyz").status == 200)
        try FileManager.default.removeItem(atPath: "\(Self.state(runner, of: "com.example.tasks"))/state.db")
        let isTold = await eventually {
            let ready = try? await runner.ask("GET", "/readyz")
            return ready?.status == 503 && ready?.text.contains("[-]runner failed: ") == true
                && ready?.text.contains("was removed while the store was open") == true
        }
        #expect(isTold)
    }

    @Test("the runner does not start with an empty store in place of a removed one, and reports what to do")
    func gone() async throws {
        let runner = try await RunningRunner(StateTests.file)
        #expect(try await runner.ask("PUT", "/v1/state/notes/k", text: "one").status == 201)
        try await runner.stop()
        let state = Self.state(runner)
        try FileManager.default.removeItem(atPath: "\(state)/state.db")
        await #expect(throws: RunningRunner.Failure.self) { try await RunningRunner(nil, in: runner.home) }
        #expect(runner.log.contains("is missing, but a store existed before"), "\(runner.log)")
        #expect(runner.log.contains("remove 'store.mark'"))
        try FileManager.default.removeItem(atPath: "\(state)/store.mark")
        let again = try await RunningRunner(nil, in: runner.home)
        #expect(try await again.ask("GET", "/v1/state/notes/k").status == 404)
        // The key that is there says that something was.
        #expect(again.log.contains("the store is new, but its key existed"), "\(again.log)")
    }
}
