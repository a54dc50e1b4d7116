import Foundation
import Support
import Testing
import WireBase
import WireSQLite
import WireStore

@Suite("Store files")
struct FileTests {
    @Test("a file of version 1 is migrated, and a copy is kept")
    func migrates() async throws {
        let folder = try StoreFolder()
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/state-version-1.db")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: folder.path + "/state.db")
        let store = try folder.open()
        #expect(try store.entry("theme", in: "settings")?.bytes == Array("dark".utf8))
        #expect(try store.usage(of: "settings") == StoreUsage(entries: 2, size: .bytes(19)))
        #expect(try store.changes(after: 0, in: nil, limit: 9).changes.map(\.key) == ["theme", "language"])
        #expect(try await store.put("x", under: "k").version == 3)
        #expect(try await store.add(NewWork(id: "a", lane: "a", payload: []), to: "q"))
        await store.close()
        #expect(try folder.mode("state.db.version-1") == 0o600)
        // A division by nothing is NULL, which the column does not take.
        let judgement = "SELECT 1 / (user_version = 1) FROM pragma_user_version"
        try folder.run(
            "SELECT bytes FROM entries; CREATE TEMP TABLE strict(x INTEGER NOT NULL); INSERT INTO strict \(judgement)",
            on: "state.db.version-1"
        )
        let copy = try folder.bytes("state.db.version-1")
        let again = try folder.open()
        #expect(try await again.text("k") == "x")
        await again.close()
        #expect(try folder.bytes("state.db.version-1") == copy)
    }

    @Test("a replaced cache file is reported as a gap, however much is written to it")
    func replacedCache() async throws {
        let folder = try StoreFolder()
        func write(_ count: Int, _ store: SQLiteStore) async throws -> Int64 {
            try await store.edit(RecordEdit([], bound: .mebibytes(1)), in: "r") { _ in
                RecordChanges(puts: (0..<count).map { .init("k\($0)", [1]) })
            }.position
        }
        let first = try folder.open()
        let position = try await write(5, first)
        await first.close()
        for name in try folder.names where name.hasPrefix("cache.db") {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        let second = try folder.open()
        _ = try await write(50, second)
        let view = try second.view(of: "r")
        #expect(try view.position < position || view.changes(after: position, through: .max, limit: 9).hasGap)
        await second.close()
    }

    @Test(
        "a newer file, or one of another program, is rejected and unchanged",
        arguments: [
            ("PRAGMA user_version = 99", StoreFailure.Kind.newer),
            ("PRAGMA application_id = 7", .foreign),
            ("PRAGMA application_id = 0; PRAGMA user_version = 0", .foreign),
            ("PRAGMA user_version = 0", .foreign),
        ]
    )
    func refuses(statements: String, kind: StoreFailure.Kind) async throws {
        let folder = try StoreFolder()
        try await folder.fill()
        try folder.run(statements)
        let before = try folder.bytes("state.db")
        #expect(try folder.failure()?.kind == kind)
        #expect(try folder.bytes("state.db") == before)
    }

    @Test("a damaged file is reported, and unchanged", arguments: ["header", "noise", "short", "middle"])
    func damaged(how: String) async throws {
        let folder = try StoreFolder()
        try await folder.fill()
        var bytes = try folder.bytes("state.db")
        switch how {
        case "header": bytes.replaceSubrange(0..<16, with: Data(repeating: 0x20, count: 16))
        case "noise": bytes = Data((0..<8_192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        case "short": bytes = bytes.prefix(bytes.count - 4_096)
        default:
            // A page nobody reads to open the file, and a log as a crash leaves it.
            bytes.replaceSubrange(8_192..<12_288, with: Data(repeating: 0xff, count: 4_096))
            try folder.write(Data(repeating: 0, count: 32), to: "state.db-wal")
        }
        try folder.write(bytes, to: "state.db")
        #expect(try folder.failure()?.kind == .corrupt)
        #expect(try folder.bytes("state.db") == bytes)
    }

    @Test("an incomplete first transaction is rolled back", arguments: ["state.db", "cache.db"])
    func begun(name: String) async throws {
        let folder = try StoreFolder()
        // Ends in the midst of its first transaction, with more in it than fits into memory: as a power failure would.
        let script = """
            import os, sqlite3, sys
            os.umask(0o077)
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.executescript("PRAGMA cache_size = 1; BEGIN; CREATE TABLE t(x)")
            for _ in range(50): c.execute("INSERT INTO t VALUES(randomblob(4000))")
            os._exit(0)
            """
        let run = try Program.run("/usr/bin/python3", ["-c", script, "\(folder.path)/\(name)"])
        try #require(run.status == 0, "\(run.errors)")
        try #require(folder.bytes("\(name)-journal").count > 512)
        let store = try folder.open()
        try await store.put("dark", under: "theme")
        #expect(try await store.text("theme") == "dark")
        await store.close()
        #expect(try !folder.names.contains("\(name)-journal"))
    }

    @Test("links and files of other users are rejected")
    func links() async throws {
        let folder = try StoreFolder()
        try await folder.fill()
        let link = folder.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        for path in [link, link + "/"] {
            let failure = #expect(throws: StoreFailure.self) {
                try SQLiteStore.open(folder: path, sealer: try Keys.sealer(1))
            }
            #expect(failure?.kind == .foreign)
        }
        try FileManager.default.moveItem(atPath: folder.path + "/state.db", toPath: folder.path + "/moved")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/state.db", withDestinationPath: "moved")
        #expect(try folder.failure()?.kind == .foreign)
        if geteuid() == 0 {
            let other = try StoreFolder()
            #expect(unsafe chown(other.path, 12_345, 0) == 0)
            #expect(try other.failure()?.kind == .foreign)
        }
    }

    @Test("the folder and its files are private, whatever the umask", arguments: ["000", "077", "777"])
    func modes(mask: String) throws {
        let folder = try StoreFolder()
        let command = "umask \(mask); exec \"$0\" endure \"$1\""
        // Under a mask that takes everything, only root could find its own files again.
        let run = try Program.run("/bin/sh", ["-c", command, StoreFolder.process, folder.path])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try folder.mode() == 0o700)
        #expect(try folder.names.contains("state.db"))
        for name in try folder.names { #expect(try folder.mode(name) == 0o600, "\(name)") }
    }

    @Test("an unwritable folder is reported")
    func readOnly() async throws {
        let folder = try StoreFolder()
        try await folder.fill()
        _ = try Program.run(StoreFolder.process, ["put", folder.path, "k"])
        var command = [StoreFolder.process, "put", folder.path, "k"]
        if geteuid() == 0 {
            // Nothing is read-only for root.
            for path in [(folder.path as NSString).deletingLastPathComponent, folder.path]
                + (try folder.names.map({ "\(folder.path)/\($0)" }))
            {
                #expect(unsafe chown(path, 65_534, 65_534) == 0)
            }
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
        }
        #expect(unsafe chmod(folder.path, 0o500) == 0)
        let run = try Program.run(command[0], Array(command.dropFirst()))
        #expect(run.status != 0)
        #expect(run.errors.contains("readOnly"), "\(run.errors)")
        #expect(unsafe chmod(folder.path, 0o700) == 0)
    }

    @Test("a damaged cache is recreated, and the state file is untouched")
    func cache() async throws {
        let folder = try StoreFolder()
        let value = CachedValue(bytes: [1], notes: [], stored: 0)
        func use(_ store: SQLiteStore, finds isThere: Bool) async throws {
            #expect(try store.cached("k", in: "r")?.bytes == (isThere ? [1] : nil))
            try await store.cache(value, under: "k", in: "r", bound: .kibibytes(64))
            #expect(try store.cached("k", in: "r")?.bytes == [1])
        }
        try await folder.fill()
        for damage in [Data(repeating: 0x41, count: 20_000), Data("SQLite format 3\u{0}".utf8), Data()] {
            try folder.write(damage, to: "cache.db")
            // A power failure may leave an empty file beside its log.
            if damage.isEmpty { try folder.write(Data(repeating: 0x41, count: 64), to: "cache.db-wal") }
            let store = try folder.open()
            try await use(store, finds: false)
            #expect(try await store.text("theme") == "dark")
            await store.close()
        }
        // And while it is open: by another process, and by what is found when it is read.
        let store = try folder.open()
        try await use(store, finds: true)
        for name in ["cache.db", "cache.db-wal", "cache.db-shm"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        try await store.cache(value, under: "k", in: "r", bound: .kibibytes(64))
        #expect(try folder.names.contains("cache.db"))
        await store.close()
        #expect(try folder.open().cached("k", in: "r")?.bytes == [1])
    }

    @Test("the log stays short")
    func log() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let value = NewValue([UInt8](repeating: 1, count: 100_000), type: "")
        for number in 0..<200 { _ = try await store.put(value, under: "\(number % 10)", in: "n", if: .always) }
        #expect(try folder.bytes("state.db-wal").count < 12 << 20)
        await store.close()
        #expect(try folder.names == ["cache.db", "state.db", "store.lock", "store.mark"])
    }

    @Test("generated names leave nothing behind when their content is gone")
    func names() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        for number in 0..<30 {
            let namespace = "made up \(number)"
            for key in ["a", "b"] {
                _ = try await store.put(NewValue([], type: ""), under: key, in: namespace, if: .always)
            }
            if number % 2 == 0 {
                _ = try await store.clear(namespace)
            } else {
                for key in ["a", "b"] { _ = try await store.remove(key, in: namespace, if: .always) }
            }
        }
        try await store.put("x", under: "k")
        #expect(try store.usage(of: "n").entries == 1)
        await store.close()
        try folder.run("CREATE TABLE probe AS SELECT 1 / (count(*) = 2) AS isTwo FROM usage")
        try folder.run("CREATE TABLE strict(x INTEGER NOT NULL); INSERT INTO strict SELECT isTwo FROM probe")
    }

    @Test("a closed store rejects everything, and closing twice is harmless")
    func closed() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let waiting = Task { try await store.changed(after: 0) }
        await store.close()
        await store.close()
        let failures = [
            await #expect(throws: StoreFailure.self) { try await waiting.value },
            await #expect(throws: StoreFailure.self) { try await store.put("x", under: "k") },
            await #expect(throws: StoreFailure.self) { try await store.text("k") },
            await #expect(throws: StoreFailure.self) { try await store.changed(after: 0) },
        ]
        for failure in failures { #expect(failure?.kind == .closed) }
    }
}
