import Foundation
import StoreConformance
import Support
import Testing
import WireBase
import WireCrypto
import WireSQLite
import WireStore

@Suite("Resealing after a key change")
struct ResealTests {
    @Test("all sealed values are readable without the former key, and callers notice nothing")
    func reseals() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await folder.fill(store)
        await store.close()
        let both = try folder.open(try Keys.sealer(2, former: 1))
        let before = try await Seen(both)
        #expect(try await both.reseal() == Resealed(count: 305, left: 0))
        #expect(try await Seen(both) == before)
        #expect(try both.changes(after: before.version, in: nil, limit: 9).changes.isEmpty)
        #expect(try await both.reseal() == Resealed(count: 0, left: 0))
        await both.close()
        let present = try folder.open(try Keys.sealer(2))
        #expect(try await Seen(present) == before)
        for lane in 0..<5 {
            let claim = try #require(try await present.claim(from: "q", for: .seconds(60)))
            #expect(claim.payload == Array("work \(claim.id)".utf8), "\(lane)")
        }
        await present.close()
        // With the former alone nothing opens: it was not left beside.
        let former = try folder.open()
        let failure = await #expect(throws: StoreFailure.self) { try await former.text("0") }
        #expect(failure?.kind == .sealed)
    }

    @Test("values that no key opens are counted, and unchanged")
    func left() async throws {
        let folder = try StoreFolder()
        for byte: UInt8 in [3, 1] {
            let store = try folder.open(try Keys.sealer(byte))
            for key in ["a", "b"] { try await store.put("of \(byte)", under: "\(byte)\(key)", isSealed: true) }
            await store.close()
        }
        let both = try folder.open(try Keys.sealer(2, former: 1))
        #expect(try await both.reseal() == Resealed(count: 2, left: 2))
        await both.close()
        let all = try folder.open(try Keys.sealer(2, former: 3))
        #expect(try await all.text("3a") == "of 3")
        #expect(try await all.reseal() == Resealed(count: 2, left: 0))
        #expect(try await all.text("1b") == "of 1")
    }

    @Test("concurrent writes and reseals end in the latest values")
    func concurrent() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await folder.fill(store)
        await store.close()
        let first = try folder.open(try Keys.sealer(2, former: 1))
        let second = try folder.open(try Keys.sealer(2, former: 1))
        async let one = first.reseal()
        async let other = second.reseal()
        for key in stride(from: 299, through: 0, by: -3) { try await first.put("new", under: "\(key)", isSealed: true) }
        for key in stride(from: 298, through: 0, by: -3) { _ = try await second.remove("\(key)", in: "n", if: .always) }
        #expect(try await one.left + other.left == 0)
        for store in [first, second] { await store.close() }
        let present = try folder.open(try Keys.sealer(2))
        for key in 0..<300 {
            let wanted = key % 3 == 2 ? "new" : key % 3 == 1 ? nil : "value \(key)"
            #expect(try await present.text("\(key)") == wanted)
        }
    }

    @Test("after a kill resealing continues, and nothing is lost", arguments: [1, 2, 3, 4])
    func killed(after count: Int) async throws {
        let folder = try StoreFolder()
        let store = try folder.openShared()
        try await folder.fill(store)
        await store.close()
        let run = try Program.run(
            "strace",
            [
                "-f", "-o", "/dev/null", "-e", "trace=fdatasync", "-e",
                "inject=fdatasync:signal=KILL:when=\(count)", StoreFolder.process, "reseal", folder.path,
            ]
        )
        #expect(run.status != 0 || run.output == "305\n", "\(run.everything)")
        let own = try KeyFile.key(in: folder.path)
        let next = try SealingKey(Secret([UInt8](repeating: 2, count: SealingKey.size)))
        let both = try folder.open(KeySealer(next, former: [own]))
        for key in 0..<300 { #expect(try await both.text("\(key)") == "value \(key)") }
        let done = try await both.reseal()
        // It may be killed after it has said that all is done, while it closes; before the first write nothing is.
        #expect(done.left == 0 && (done.count == 0 || run.output.isEmpty), "\(run.everything) \(done)")
        #expect(count > 1 || done.count == 305, "\(run.everything) \(done)")
        await both.close()
        let present = try folder.open(KeySealer(next))
        for key in 0..<300 { #expect(try await present.text("\(key)") == "value \(key)") }
    }

    @Test("resealing ends when its task is cancelled")
    func cancelled() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let work = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await store.reseal()
        }
        let failure = await #expect(throws: StoreFailure.self) { try await work.value }
        #expect(failure?.kind == .cancelled)
    }

    /// What can be seen of the entries.
    private struct Seen: Equatable {
        let version: Int64
        private let entries: [String]

        init(_ store: SQLiteStore) async throws {
            version = try store.changes(after: .max, in: nil, limit: 1).version
            entries = try await store.list("n", prefix: "", after: nil, limit: 1_000).asyncMap { entry in
                let text = try await store.text(entry.key) ?? "-"
                return "\(entry.key) \(entry.version) \(entry.size) \(entry.modified) \(text)"
            }
        }
    }
}

extension StoreFolder {
    /// Three hundred sealed values, some that are not, and five sealed payloads.
    fileprivate func fill(_ store: SQLiteStore) async throws {
        for key in 0..<300 { try await store.put("value \(key)", under: "\(key)", isSealed: true) }
        for key in 0..<20 { try await store.put("plain \(key)", under: "plain \(key)") }
        for id in 0..<5 {
            let payload = Array("work \(id)".utf8)
            _ = try await store.add(NewWork(id: "\(id)", lane: "\(id)", payload: payload, isSealed: true), to: "q")
        }
    }
}
