import Foundation
import StoreConformance
import Support
import Synchronization
import Testing
import WireBase
import WireCrypto
import WireStore

@testable import WireSQLite

@Suite("Values in memory")
struct RecentTests {
    @Test("a repeated read makes no file access, not even for a lock")
    func noCalls() throws {
        let folder = try StoreFolder()
        // The first makes the files.
        _ = try folder.calls("reread", 1)
        let few = try folder.calls("reread", 1)
        let many = try folder.calls("reread", 2_000)
        #expect(many < few + 100, "\(few) calls for one read, \(many) for 2000")
    }

    @Test("a value confirmed by another process is read at once, and none earlier")
    func neverStale() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let progress = Progress()
        let (process, lines) = try Counting.begin(["count", folder.path, "400"])
        // Readers that keep the entry in memory, and look at what was confirmed before they read.
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var (reads, seen) = (0, 0)
                    while !progress.hasEnded.load(ordering: .acquiring) {
                        let least = max(seen, progress.confirmed.load(ordering: .acquiring))
                        seen = Int(try await store.text("k") ?? "0") ?? -1
                        reads += 1
                        if seen < least { throw Stale(found: seen, confirmed: least) }
                        await Task.yield()
                    }
                    return reads
                }
            }
            // Whatever happens here, the readers are told that it is over.
            defer { progress.hasEnded.store(true, ordering: .releasing) }
            while let line = lines.next(), let number = Int(line) {
                progress.confirmed.store(number, ordering: .releasing)
                let found = Int(try await store.text("k") ?? "0") ?? -1
                if found < number { throw Stale(found: found, confirmed: number) }
            }
            process.waitUntilExit()
            progress.hasEnded.store(true, ordering: .releasing)
            try await group.waitForAll()
        }
        #expect(progress.confirmed.load(ordering: .acquiring) == 400)
        #expect(try await store.text("k") == "400")
        #expect(store.recentUsage.entries == 1)
    }

    private final class Progress: Sendable {
        let confirmed = Atomic(0)
        let hasEnded = Atomic(false)
    }

    private struct Stale: Error {
        let found: Int
        let confirmed: Int
    }

    @Test("after a kill at any moment memory equals the file", arguments: 1...6)
    func killed(round: Int) async throws {
        let folder = try StoreFolder()
        let store = try folder.openShared()
        let (process, lines) = try Counting.begin(["churn", folder.path])
        for _ in 0..<(round * 37) {
            _ = lines.next()
            for key in 0..<16 { _ = try await store.text("\(key)") }
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        func check(_ when: String) async throws {
            let fresh = try folder.openShared()
            for key in 0..<16 {
                #expect(try await store.text("\(key)") == fresh.text("\(key)"), "\(key) \(when)")
                #expect(try await store.text("\(key)") == fresh.text("\(key)"), "\(key) \(when), again")
            }
        }
        try await check("after the kill")
        try await store.put("mended", under: "3")
        try await check("after a write")
        _ = try Program.run(StoreFolder.process, ["put", folder.path, "5"])
        try await check("after a write by another one")
    }

    @Test("the least recently used value is evicted, and values over an eighth of the limit are not cached")
    func longest() {
        var recent = RecentlyUsed<String, Int>(upTo: 80)
        for key in ["a", "b", "c", "d", "e", "f", "g", "h"] { recent.keep(1, under: key, weighing: 10) }
        #expect(recent.count == 8 && recent.weight == 80)
        #expect(recent.use("a") == 1)
        recent.keep(2, under: "i", weighing: 10)
        #expect(recent.use("b") == nil)
        let left = ["c", "a", "i"].map { recent.use($0) }
        #expect(left == [1, 1, 2])
        recent.keep(3, under: "large", weighing: 11)
        #expect(recent.use("large") == nil)
        #expect(recent.count == 8 && recent.weight == 80)
        // What has become too large is not there as it was.
        recent.keep(4, under: "i", weighing: 11)
        #expect(recent.use("i") == nil)
        #expect(recent.count == 7 && recent.weight == 70)
        recent.keep(5, under: "j", weighing: 10)
        recent.keep(6, under: "k", weighing: 1)
        #expect(recent.use("d") == nil)
        #expect(recent.count == 8 && recent.weight == 71)
    }

    @Test("memory stays within its limit")
    func bounded() async throws {
        let folder = try StoreFolder()
        var limits = StoreLimits()
        limits.recentSize = .kibibytes(16)
        let store = try SQLiteStore.open(folder: folder.path, sealer: try Keys.sealer(1), limits: limits)
        let text = String(repeating: "x", count: 700)
        for key in 0..<40 { try await store.put(text, under: "\(key)") }
        try await store.put(String(repeating: "x", count: 4_000), under: "large")
        for key in 0..<40 {
            _ = try await store.text("\(key)")
            _ = try await store.text("0")
            _ = try await store.text("large")
            #expect(store.recentUsage.size <= .kibibytes(16))
        }
        #expect((10...18).contains(store.recentUsage.entries), "\(store.recentUsage)")
        await store.close()
        #expect(store.recentUsage.entries == 0)
        await #expect(throws: StoreFailure.self) { try await store.text("0") }
    }

    @Test("closing during reads is safe")
    func closing() async throws {
        for _ in 0..<20 {
            let folder = try StoreFolder()
            let store = try folder.open()
            try await store.put("x", under: "k")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        while (try? await store.text("k")) != nil { await Task.yield() }
                    }
                }
                await store.close()
            }
        }
    }
}

/// A process that says a line for each thing it has done.
final class Counting {
    private let output: FileHandle
    private var rest = Data()

    private init(_ output: FileHandle) { self.output = output }

    static func begin(_ arguments: [String]) throws -> (Process, Counting) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: StoreFolder.process)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        return (process, Counting(output.fileHandleForReading))
    }

    /// The next line; nil at the end.
    func next() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0a) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }
}

extension StoreFolder {
    /// Opens the store with the key that its processes use.
    func openShared() throws -> SQLiteStore {
        try SQLiteStore.open(folder: path, sealer: KeySealer(try KeyFile.key(in: path)))
    }
}
