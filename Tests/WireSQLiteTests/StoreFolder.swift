import Foundation
import StoreConformance
import Support
import Testing
import WireBase
import WireCrypto
import WireSQLite
import WireStore

/// A folder for a store that goes away with its test.
struct StoreFolder {
    private let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url.path + "/store"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func open(
        _ sealer: KeySealer? = nil,
        clock: StoreClock = .system,
        limits: StoreLimits = StoreLimits()
    ) throws -> SQLiteStore {
        try SQLiteStore.open(folder: path, sealer: try sealer ?? Keys.sealer(1), clock: clock, limits: limits)
    }

    func failure(clock: StoreClock = .system) throws -> StoreFailure? {
        #expect(throws: StoreFailure.self) { try open(clock: clock) }
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")) }

    func write(_ bytes: Data, to name: String) throws { try bytes.write(to: URL(fileURLWithPath: "\(path)/\(name)")) }

    func mode(_ name: String = ".") throws -> Int {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int ?? 0
    }

    /// Runs statements with Python's SQLite, which has no part in ours.
    func run(_ statements: String, on name: String = "state.db") throws {
        let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()"
        let run = try Program.run("/usr/bin/python3", ["-c", script, "\(path)/\(name)", statements])
        try #require(run.status == 0, "\(run.errors)")
    }

    /// Another process that has begun to read the entries, and does not end.
    func reader() async throws -> StartedProgram {
        let script = """
            import sqlite3, sys, time
            c = sqlite3.connect(sys.argv[1] + "/state.db", isolation_level=None)
            c.execute("BEGIN")
            c.execute("SELECT * FROM entries").fetchall()
            open(sys.argv[1] + "-reads", "w").close()
            time.sleep(600)
            """
        let process = try StartedProgram(
            "/usr/bin/python3",
            ["-c", script, path],
            environment: [:],
            output: "/dev/null",
            errors: "/dev/null"
        )
        let isReading = await eventually { FileManager.default.fileExists(atPath: "\(path)-reads") }
        try #require(isReading)
        return process
    }

    /// A store with one value in it, closed again.
    func fill() async throws {
        let store = try open()
        try await store.put("dark", under: "theme")
        await store.close()
    }

    static let process = Program.buildFolder.appendingPathComponent("StoreProcess").path

    /// How often a process that reads so many times asks the system for a lock or for bytes of a file.
    func calls(_ reading: String, _ times: Int) throws -> Int {
        let trace = path + "-trace"
        let traced = ["-f", "-o", trace, "-e", "trace=fcntl,pread64", Self.process, reading, path, "\(times)"]
        let run = try Program.run("strace", traced)
        try #require(run.status == 0, "\(run.errors)")
        return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").count
    }
}

extension KeyValueStore {
    @discardableResult
    func put(_ text: String, under key: String, isSealed: Bool = false) async throws -> StoredEntry.Summary {
        let value = NewValue(Array(text.utf8), type: "text/plain", isSealed: isSealed)
        return try await put(value, under: key, in: "n", if: .always).entry
    }

    func text(_ key: String) async throws -> String? {
        try await entry(key, in: "n").map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
