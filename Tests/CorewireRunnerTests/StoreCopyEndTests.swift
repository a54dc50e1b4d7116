import Foundation
import Glibc
import Support
import Testing

/// Exports and imports that do not come to their end, with the built program (BY-11).
@Suite("Exported stores at an interruption", .timeLimit(.minutes(4)))
struct StoreCopyEndTests {
    /// A server with the schema, the exported store of a machine, and the services file that shares it.
    private struct Scene {
        let server: PostgresServer
        let home: TemporaryFolder
        let shared: String
        var exported: String { home.path("one.store") }
        var output: String { (try? String(contentsOfFile: home.path("out"), encoding: .utf8)) ?? "" }

        init() async throws {
            (server, home) = (try await PostgresServer(), try TemporaryFolder())
            let file = StoreCopyTests.file()
            let runner = try await RunningRunner(file, in: home)
            #expect(try await runner.ask("PUT", "/v1/state/notes/a", text: "one").status == 201)
            let request = #"{"path":"/x","id":"r"}"#
            #expect(try await runner.ask("POST", "/v1/outbox", StoreCopyTests.json, text: request).status == 202)
            try await runner.stop()
            #expect(try StoreCopyTests.store(["export", home.path("one.store")], home, file).status == 0)
            shared = StoreCopyTests.file(server)
            #expect(try StoreCopyTests.store(["migrate"], home, shared).status == 0)
        }

        /// Starts `corewire store …` with the shared store.
        func start(_ words: [String]) throws -> StartedProgram {
            try home.write(shared, to: "store.yaml")
            return try StartedProgram(
                Program.corewire,
                ["store"] + words + ["--config", home.path("store.yaml")],
                environment: StoreCopyTests.variables(home),
                output: home.path("out"),
                errors: home.path("out")
            )
        }

        /// Starts a command, and returns once it waits for a table.
        func start(_ words: [String], untilIn table: String) async throws -> Held {
            let lock = try server.start("BEGIN; LOCK TABLE corewire.\(table); SELECT pg_sleep(600)")
            let locks = "SELECT count(*) FROM pg_locks WHERE relation = 'corewire.\(table)'::regclass AND"
            #expect(try await eventually { try server.sql("\(locks) mode = 'AccessExclusiveLock' AND granted") == "1" })
            let command = try start(words)
            let waiting = "\(locks) mode <> 'AccessExclusiveLock' AND NOT granted"
            #expect(try await eventually { try server.sql(waiting) == "1" }, "\(output)")
            return Held(command: command, lock: lock)
        }

        struct Held {
            let command: StartedProgram
            let lock: StartedProgram
        }

        /// Ends the sessions that a condition is true of, as an operator does.
        func endSessions(_ condition: String) throws {
            _ = try server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(condition)")
        }

        /// Starts an import, and returns once its commit, which is on the disk, waits for a standby that is away.
        func importWithoutStandby() async throws -> StartedProgram {
            try server.sql("ALTER SYSTEM SET synchronous_standby_names = 'away'")
            try server.sql("SELECT pg_reload_conf()")
            let importing = try start(["import", exported])
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            #expect(try await eventually { try server.sql(waiting) == "1" }, "\(output)")
            return importing
        }
    }

    @Test("a killed import leaves the group of a database empty")
    func killed() async throws {
        let scene = try await Scene()
        // The last table that an import writes, before its commit.
        let held = try await scene.start(["import", scene.exported], untilIn: "sums")
        held.command.signal(SIGKILL)
        try await held.command.end()
        // The server notices that the client has left; what the client had sent would be carried out otherwise.
        let importing = "query LIKE '%import_end_1%' AND pid <> pg_backend_pid()"
        #expect(
            try await eventually {
                try scene.server.sql("SELECT count(*) FROM pg_stat_activity WHERE \(importing)") == "0"
            }
        )
        // The process of the lock would sleep on.
        try scene.endSessions("query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()")
        try await held.lock.end()
        #expect(try await eventually { try scene.server.sql("SELECT count(*) FROM corewire.entries") == "0" })
        let done = try StoreCopyTests.store(["import", scene.exported], scene.home, scene.shared)
        #expect(done.status == 0, "\(done.everything)")
    }

    @Test("an import whose commit was not answered is told as done where it was done")
    func unansweredCommit() async throws {
        let scene = try await Scene()
        let importing = try await scene.importWithoutStandby()
        try scene.endSessions("wait_event = 'SyncRep'")
        #expect(try await importing.end() == 0, "\(scene.output)")
        #expect(scene.output.contains("of the database: 1 values, 1 queued items"), "\(scene.output)")
        #expect(try scene.server.sql("SELECT count(*) FROM corewire.entries") == "1")
    }

    @Test("an import that loses its connection before the commit says that nothing was imported")
    func lostConnection() async throws {
        let scene = try await Scene()
        let held = try await scene.start(["import", scene.exported], untilIn: "sums")
        try scene.endSessions("query LIKE '%import_end_1%' AND pid <> pg_backend_pid()")
        #expect(try await held.command.end() == 75, "\(scene.output)")
        #expect(scene.output.contains("nothing was imported: the database cannot be reached"), "\(scene.output)")
        try scene.endSessions("query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()")
        try await held.lock.end()
        #expect(try scene.server.sql("SELECT count(*) FROM corewire.entries") == "0")
    }

    @Test("an import that lost its connection does not take another one for itself")
    func anotherImport() async throws {
        let scene = try await Scene()
        let held = try await scene.start(["import", scene.exported], untilIn: "sums")
        // Waits for the group, and has it before the command asks for it.
        let other = try scene.server.start(
            """
            BEGIN; SELECT corewire.import_begin_1('other', 'com.example.shared', 'key');
            UPDATE corewire.heads SET version = \(Int64(1) << 50); COMMIT
            """
        )
        let isWaiting = "wait_event_type = 'Lock' AND query LIKE '%''other''%'"
        #expect(
            try await eventually {
                try scene.server.sql("SELECT count(*) FROM pg_stat_activity WHERE \(isWaiting)") == "1"
            }
        )
        try scene.endSessions("query LIKE '%import_end_1%' AND pid <> pg_backend_pid()")
        #expect(try await held.command.end() == 75, "\(scene.output)")
        #expect(scene.output.contains("nothing was imported: the database cannot be reached"), "\(scene.output)")
        #expect(try await other.end() == 0)
        try scene.endSessions("query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()")
        try await held.lock.end()
    }

    @Test("an import that cannot find out whether it was done says so, and a second one tells")
    func unknownCommit() async throws {
        let scene = try await Scene()
        let importing = try await scene.importWithoutStandby()
        scene.server.kill()
        #expect(try await importing.end() == 75, "\(scene.output)")
        #expect(scene.output.contains("it is unknown whether the database has it"), "\(scene.output)")
        #expect(scene.output.contains("run the command again"), "\(scene.output)")
        try await scene.server.start()
        let again = try StoreCopyTests.store(["import", scene.exported], scene.home, scene.shared)
        #expect(again.status == 1 && again.errors.contains("is not empty"), "\(again.everything)")
    }

    @Test("an export that is ended by a signal leaves no file, and the file that it should replace as it was")
    func endedExport() async throws {
        let scene = try await Scene()
        #expect(try StoreCopyTests.store(["import", scene.exported], scene.home, scene.shared).status == 0)
        let folder = scene.home.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try scene.home.write("former", to: "backups/old.store")
        for number in [SIGINT, SIGTERM, SIGKILL] {
            for words in [["export", "\(folder)/new.store"], ["export", "--force", "\(folder)/old.store"]] {
                // The export reads this table once it has written the values.
                let held = try await scene.start(words, untilIn: "done")
                held.command.signal(number)
                #expect(try await held.command.end() == -number, "\(scene.output)")
                try scene.endSessions("query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()")
                try await held.lock.end()
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["old.store"])
        #expect(try String(contentsOfFile: "\(folder)/old.store", encoding: .utf8) == "former")
    }
}
