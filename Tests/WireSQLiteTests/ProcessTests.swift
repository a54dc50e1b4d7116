import Foundation
import StoreConformance
import Support
import Testing
import WireBase
import WireCrypto
import WireSQLite
import WireStore

@Suite("A store and its processes")
struct ProcessTests {
    @Test("a change by another process is noticed")
    func heard() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let first = try await store.put("1", under: "k")
        async let version = store.changed(after: first.version)
        let run = try Program.run(StoreFolder.process, ["put", folder.path, "other"])
        #expect(run.output == "\(try await version)\n", "\(run.errors)")
        #expect(try store.changes(after: first.version, in: nil, limit: 9).changes.map(\.key) == ["other"])
    }

    @Test("each opening of a store owns its claims")
    func owners() async throws {
        let folder = try StoreFolder()
        let stores = [try folder.open(), try folder.open()]
        for id in ["a", "b"] { try await stores[0].add(NewWork(id: id, lane: id, payload: []), to: "q") }
        var owners: Set<Int64> = []
        for store in stores { owners.insert(try #require(try await store.claim(from: "q", for: .seconds(9))).owner) }
        #expect(owners.count == 2)
    }

    @Test("two processes write concurrently without loss or duplicate claims")
    func together() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        async let runs = withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<2 {
                group.addTask { try Program.run(StoreFolder.process, ["endure", folder.path]).everything }
            }
            return try await group.reduce("", +)
        }
        for number in 0..<100 { try await store.put("mine", under: "mine \(number)") }
        let told = try await runs
        #expect(told.split(separator: "\n").count == 120, "\(told)")
        #expect(told.split(separator: "\n").allSatisfy { $0.hasPrefix("put ") }, "\(told)")
        let history = try store.changes(after: 0, in: nil, limit: 1_000)
        #expect(history.changes.count == 220)
        #expect(history.changes.map(\.version) == Array(1...220))
        #expect(try store.usage(of: "n").entries == 160)
    }

    @Test("no confirmed write is lost when a process is killed", arguments: 1...5)
    func killed(round: Int) async throws {
        let folder = try StoreFolder()
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: StoreFolder.process)
        process.arguments = ["fill", folder.path]
        process.standardOutput = output
        try process.run()
        // As many confirmations as it takes, then no warning.
        var told = Data()
        while told.count < round * 1_500 {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            told += more
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        told += output.fileHandleForReading.readDataToEndOfFile()
        #expect(process.terminationReason == .uncaughtSignal)
        try await check(String(decoding: told, as: UTF8.self), in: folder)
    }

    @Test("claims of a killed process are released at once if no other process has the store open")
    func abandoned() async throws {
        let folder = try StoreFolder()
        let run = try Program.run(StoreFolder.process, ["abandon", folder.path])
        #expect(run.output == "", "\(run.errors)")
        #expect(try await claimable(in: folder) == ["first 1", "second 1", "third 0"])
    }

    @Test("work that kills processes repeatedly stays claimed", arguments: [3, 4])
    func abandonedAgain(times: Int) async throws {
        let folder = try StoreFolder()
        for _ in 0..<times { _ = try Program.run(StoreFolder.process, ["abandon", folder.path]) }
        let isThere = try await claimable(in: folder)
        #expect(isThere == (times < 4 ? ["first 3", "second 3", "third 0"] : ["third 0"]))
    }

    @Test("claims stay while another process has the store open")
    func abandonedBesides() async throws {
        let folder = try StoreFolder()
        let witness = try folder.open()
        _ = try Program.run(StoreFolder.process, ["abandon", folder.path])
        #expect(try await claimable(in: folder) == ["third 0"])
        await witness.close()
    }

    @Test("claims stay while a child program is running")
    func abandonedToProgram() async throws {
        let folder = try StoreFolder()
        let run = try Program.run(StoreFolder.process, ["abandon", folder.path, "program"])
        let program = try #require(pid_t(run.output.dropLast()), "\(run.everything)")
        #expect(try await claimable(in: folder) == ["third 0"])
        kill(program, SIGKILL)
        #expect(await eventually { Self.hasEnded(program) })
        #expect(try await claimable(in: folder) == ["first 1", "second 1", "third 1"])
    }

    /// Whether a process is gone, or a zombie, which it becomes after its files are closed.
    private static func hasEnded(_ process: pid_t) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
        return stat.split(separator: ")").last?.hasPrefix(" Z") ?? true
    }

    /// What whoever opens the store now can claim, with how often it was claimed before.
    private func claimable(in folder: StoreFolder) async throws -> [String] {
        let store = try folder.open()
        let claimRequest = ClaimRequest(for: .seconds(3_600), upTo: 9)
        let claims = try await store.complete([], claiming: claimRequest, in: "work").claims
        await store.close()
        return claims.map { "\($0.id) \($0.attempts)" }
    }

    @Test("no confirmed write is lost when a process ends during writes", arguments: [0, 3, 40])
    func died(after count: Int) async throws {
        let folder = try StoreFolder()
        let run = try Program.run(StoreFolder.process, ["die", folder.path, "\(count)"])
        #expect(run.status == 3)
        let store = try folder.open()
        let told = run.output.split(separator: "\n")
        #expect(told.count > count)
        for key in told { #expect(try await store.text(String(key)) == String(key)) }
    }

    @Test("after a failed disk write everything is rejected", arguments: ["8", "8+"])
    func unconfirmed(when: String) async throws {
        let folder = try StoreFolder()
        // Made before, so that what fails is a write and not the making of the files.
        _ = try Program.run(StoreFolder.process, ["put", folder.path, "first"])
        let run = try strace("fdatasync:error=EIO:when=\(when)", "endure", folder.path)
        let told = run.output.split(separator: "\n").map { $0.split(separator: " ")[0] }
        let confirmed = told.prefix { $0 == "put" }.count
        #expect(told.count == 60 && confirmed > 0 && confirmed < 60, "\(run.everything)")
        #expect(told.dropFirst(confirmed).allSatisfy { $0 == "broken" }, "\(run.output)")
        let store = try folder.open()
        for number in 0..<confirmed { #expect(try await store.text("\(number)") != nil) }
        _ = try await store.put("again", under: "k")
    }

    @Test("claims, lease extensions and values that need not be durable do not wait for the disk")
    func unwaited() throws {
        #expect(try confirmations("1") == confirmations("100"))
    }

    /// How often a process that holds an item so many times waits for the disk.
    private func confirmations(_ times: String) throws -> Int {
        let folder = try StoreFolder()
        let trace = "\(folder.path)/trace"
        let run = try Program.run(
            "strace",
            ["-f", "-o", trace, "-e", "trace=fdatasync,fsync", StoreFolder.process, "hold", folder.path, times]
        )
        #expect(run.output == "held \(times)\n", "\(run.everything)")
        return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").count { $0.contains("sync(") }
    }

    @Test("a full disk is reported, nothing partial is left, and writes continue when space is free")
    func full() async throws {
        let folder = try StoreFolder()
        _ = try Program.run(StoreFolder.process, ["put", folder.path, "first"])
        let run = try strace("pwrite64:error=ENOSPC:when=40..45", "endure", folder.path)
        let told = run.output.split(separator: "\n").map(String.init)
        #expect(told.count == 60, "\(run.everything)")
        #expect(Set(told.map { $0.prefix { $0 != " " } }) == ["put", "full"], "\(run.output)")
        let firstFull = try #require(told.firstIndex { $0.hasPrefix("full") })
        #expect(told[firstFull...].contains { $0.hasPrefix("put") }, "\(run.output)")
        let store = try folder.open()
        for line in told {
            let words = line.split(separator: " ")
            #expect(try await (store.text(String(words[1])) != nil) == (words[0] == "put"), "\(line)")
        }
        #expect(try store.usage(of: "n").entries == 1 + told.count { $0.hasPrefix("put") })
    }

    /// Runs a process that uses the store, and lets some of its calls of the system fail.
    ///
    /// Calls are counted for each thread by itself, and the writer's work may go on on another one.
    private func strace(_ fault: String, _ arguments: String...) throws -> Run {
        let call = fault.prefix { $0 != ":" }
        return try Program.run(
            "strace",
            ["-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(fault)", StoreFolder.process] + arguments
        )
    }

    private func check(_ told: String, in folder: StoreFolder) async throws {
        let store = try SQLiteStore.open(folder: folder.path, sealer: KeySealer(try KeyFile.key(in: folder.path)))
        // The last line may have been cut off by the end of the process.
        let lines = told.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let begun = Set(lines.filter { $0.hasPrefix("completing ") }.map { $0.split(separator: " ")[1] })
        let waiting = Set(try await store.list("work", after: nil, limit: .max).map(\.id))
        #expect(lines.count > 30)
        for line in lines {
            let words = line.split(separator: " ")
            let id = String(words[1])
            switch words[0] {
            case "put":
                let bytes = try store.entry(id, in: "filled")?.bytes
                #expect(bytes == Array("value of \(id)".utf8), "\(line)")
            case "added": #expect(waiting.contains(id) || begun.contains(words[1]), "\(line)")
            case "completed": #expect(!waiting.contains(id), "\(line)")
            default: continue
            }
        }
    }
}
