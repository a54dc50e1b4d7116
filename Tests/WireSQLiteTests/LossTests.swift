import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireSQLite
import WireStore

@Suite("Store files lost at run time")
struct LossTests {
    enum Harm: String, CaseIterable {
        case removed, replaced, moved, logRemoved, logReplaced, indexRemoved, lockRemoved, emptied, cutShort,
            hollowed, logCutShort

        func happen(to folder: StoreFolder) throws {
            let path = "\(folder.path)/state.db"
            let files = FileManager.default
            switch self {
            case .removed: try files.removeItem(atPath: path)
            case .replaced:
                try files.copyItem(atPath: path, toPath: path + "-copy")
                #expect(unsafe rename(path + "-copy", path) == 0)
            case .moved: try files.moveItem(atPath: path, toPath: path + "-elsewhere")
            case .logRemoved: try files.removeItem(atPath: path + "-wal")
            case .logReplaced:
                try folder.bytes("state.db-wal").write(to: URL(fileURLWithPath: path + "-wal"), options: .atomic)
            case .indexRemoved: try files.removeItem(atPath: path + "-shm")
            case .lockRemoved: try files.removeItem(atPath: "\(folder.path)/store.lock")
            case .emptied: #expect(unsafe truncate(path, 0) == 0)
            case .cutShort: #expect(unsafe truncate(path, try folder.bytes("state.db").count - 4_096) == 0)
            case .hollowed:
                let size = try folder.bytes("state.db").count
                #expect(unsafe truncate(path, 0) == 0 && truncate(path, size) == 0)
            case .logCutShort: #expect(unsafe truncate(path + "-wal", try folder.bytes("state.db-wal").count - 1) == 0)
            }
        }

        /// Whether all that was confirmed is saved in a file of its own.
        var isSaved: Bool { ![.lockRemoved, .emptied, .cutShort, .hollowed, .logCutShort].contains(self) }
    }

    /// A store with a value in the database, and one in the log.
    private func opened(_ folder: StoreFolder) async throws -> SQLiteStore {
        try await folder.fill()
        let store = try folder.open()
        try await store.put("kept", under: "in the log")
        return store
    }

    @Test("nothing is read or written any more, and confirmed data is saved if possible", arguments: Harm.allCases)
    func lost(harm: Harm) async throws {
        let folder = try StoreFolder()
        let store = try await opened(folder)
        try harm.happen(to: folder)
        let failure = await #expect(throws: StoreFailure.self) { try await store.put("later", under: "later") }
        #expect(failure?.kind == .lost, "\(String(describing: failure))")
        #expect(failure?.reason.contains("while the store was open; reads and writes are rejected") == true)
        #expect(await store.failure()?.reason == failure?.reason)
        // What was read before is in memory, and is not shown either.
        for key in ["theme", "in the log"] {
            let failure = #expect(throws: StoreFailure.self) { try store.entry(key, in: "n") }
            #expect(failure?.kind == .lost)
        }
        await store.close()
        #expect(try folder.names.contains("state.db.saved") == harm.isSaved)
        #expect(failure?.help?.contains("'state.db.saved'") == harm.isSaved)
        if harm.isSaved {
            // As the help says.
            #expect(unsafe rename("\(folder.path)/state.db.saved", "\(folder.path)/state.db") == 0)
            for file in ["state.db-wal", "state.db-shm"] { unsafe unlink("\(folder.path)/\(file)") }
        }
        guard harm.isSaved || harm == .lockRemoved else { return }
        let again = try folder.open()
        #expect(try await again.text("theme") == "dark")
        #expect(try await again.text("in the log") == "kept")
        try await again.put("later", under: "later")
        await again.close()
    }

    @Test("a read that meets the loss first reports it like a write", arguments: [Harm.emptied, .hollowed])
    func read(harm: Harm) async throws {
        let folder = try StoreFolder()
        let store = try await opened(folder)
        try harm.happen(to: folder)
        let failure = #expect(throws: StoreFailure.self) { try store.entry("theme", in: "n") }
        #expect(failure?.kind == .lost, "\(String(describing: failure))")
        #expect(await store.failure()?.reason == failure?.reason)
        await store.close()
    }

    /// The failures of waits.
    private final class Told: Sendable {
        private let state = Mutex<[StoreFailure.Kind]>([])

        var kinds: [StoreFailure.Kind] { state.withLock { $0 } }

        func note(_ wait: () async throws -> Void) async {
            do { try await wait() } catch {
                state.withLock { $0 += (error as? StoreFailure).map { [$0.kind] } ?? [] }
            }
        }
    }

    @Test("a loss is reported without a call, and to waiters", arguments: [Harm.removed, .logRemoved, .emptied])
    func idle(harm: Harm) async throws {
        let folder = try StoreFolder()
        let store = try await opened(folder)
        let version = try store.changes(after: .max, in: nil, limit: 1).version
        let told = Told()
        try await withThrowingTaskGroup { group in
            group.addTask { await told.note { _ = try await store.changed(after: version) } }
            group.addTask { await told.note { try await store.waitUntilDue(in: "q") } }
            try harm.happen(to: folder)
            #expect(await store.failure()?.kind == .lost)
            #expect(await eventually { told.kinds.count == 2 }, "\(told.kinds)")
            group.cancelAll()
        }
        await store.close()
    }

    @Test("a saved copy overwrites no other, and scrubbing removes all copies")
    func copies() async throws {
        let folder = try StoreFolder()
        for name in ["state.db.saved", "state.db.saved-2"] {
            let store = try await opened(folder)
            try Harm.logRemoved.happen(to: folder)
            await #expect(throws: StoreFailure.self) { try await store.put("later", under: "later") }
            await store.close()
            #expect(try folder.names.contains(name))
            try FileManager.default.removeItem(atPath: "\(folder.path)/state.db")
            try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(folder.path)/state.db")
        }
        let store = try folder.open()
        _ = try await store.scrub()
        #expect(try !folder.names.contains { $0.hasPrefix("state.db.saved") })
        await store.close()
    }

    @Test("checkpoints, scrubbing and other processes are not detected as a loss")
    func ordinary() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let large = NewValue([UInt8](repeating: 7, count: 400_000), type: "")
        for number in 0..<24 {
            _ = try await store.put(large, under: "k\(number % 3)", in: "n", if: .always)
            if number % 8 == 5 {
                let other = try Program.run(StoreFolder.process, ["put", folder.path, "from another process"])
                try #require(other.status == 0, "\(other.errors)")
                _ = try await store.clear("n")
                _ = try await store.scrub()
            }
        }
        try await store.put("still", under: "k")
        #expect(try await store.text("k") == "still")
        await store.close()
    }
}
