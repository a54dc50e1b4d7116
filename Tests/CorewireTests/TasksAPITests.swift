import Corewire
import Support
import Synchronization
import Testing

@Suite("Tasks through the Swift API")
struct TasksAPITests {
    private static let sections = """
        background:
          tasks:
            thumbnails: { code: true }
            sweep: { drain: true }
        """

    @Test("code runs as a declared task, across reloads and switches")
    func handled() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let tasks = program.corewire.tasks
        let count = Mutex(0)
        let handler = try tasks.handle("thumbnails") { count.withLock { $0 += 1 } }
        let state = try await tasks.run("thumbnails", waiting: true)
        #expect(state.outcome == .succeeded)
        #expect(count.withLock { $0 } == 1)
        try await program.corewire.use(environment: "prod")
        #expect(try await tasks.run("thumbnails", waiting: true).outcome == .succeeded)
        #expect(count.withLock { $0 } == 2)
        withExtendedLifetime(handler) {}
        #expect(try await tasks.list().map(\.name) == ["thumbnails", "sweep", "background.drain"])
        await program.stop()
        let stopped = await #expect(throws: CorewireError.self) { try await tasks.list() }
        #expect(stopped?.code == .stopped)
    }

    @Test("a throwing task fails with the error's text as reason")
    func failing() async throws {
        struct Full: Error, CustomStringConvertible { let description = "the disk is full" }
        let program = try await EmbeddedProgram(sections: Self.sections)
        let handler = try program.corewire.tasks.handle("thumbnails") { throw Full() }
        let state = try await program.corewire.tasks.run("thumbnails", waiting: true)
        #expect(state.outcome == .failed)
        #expect(state.reason == "the disk is full")
        withExtendedLifetime(handler) {}
        await program.stop()
    }

    @Test("code needs a declared task with 'code: true'")
    func undeclared() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        for name in ["thumbnail", "sweep"] {
            #expect { try program.corewire.tasks.handle(name) {} } throws: { error in
                (error as? CorewireError)?.code == .noSuchTask
            }
        }
        await #expect { try await program.corewire.tasks.run("thumbnail") } throws: { error in
            (error as? CorewireError)?.description == "unknown task 'thumbnail', did you mean 'thumbnails'?"
        }
        await program.stop()
    }
}
