import Foundation
import StoreConformance
import Support
import Testing
import WireBase
import WireSQLite
import WireStore

@Suite("Scrubbing removed data")
struct ScrubbingTests {
    private static let canary = "canary-9c31d7"

    private static func hits(_ folder: StoreFolder) throws -> [String] {
        try folder.names.filter { try folder.bytes($0).range(of: Data(canary.utf8)) != nil }
    }

    @Test("scrubbed data is in no file of an open store: no page, log, history or copy")
    func nowhere() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        // Of many sizes, removed and added in turns, so that pages are split, joined and used again.
        for number in 0..<400 {
            let text = "\(Self.canary) \(String(repeating: "x", count: number * 37 % 3_000))"
            let value = NewValue(Array(text.utf8), type: "text/plain")
            _ = try await store.put(value, under: "\(Self.canary)-\(number)", in: "people", if: .always)
            _ = try await store.put(NewValue([1], type: ""), under: "k\(number)", in: "device", if: .always)
            if number % 3 == 0 { _ = try await store.remove("\(Self.canary)-\(number / 2)", in: "people", if: .always) }
        }
        for number in 0..<50 {
            let work = NewWork(id: "\(Self.canary)-\(number)", lane: Self.canary, payload: Array(Self.canary.utf8))
            _ = try await store.add(work, to: "q/\(Self.canary)")
            let answer = CachedValue(bytes: Array(Self.canary.utf8), notes: [], stored: 0)
            try await store.cache(answer, under: "u/\(Self.canary)\(number)", in: "r", bound: .mebibytes(1))
        }
        try Data(Self.canary.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/state.db.version-1"))
        #expect(try Self.hits(folder).count >= 3)

        // One in three has taken one of the 400 away.
        #expect(try await store.clear("people") == 266)
        #expect(try await store.forget(queues: "q/") == ForgottenWork(items: 50, ended: 0))
        #expect(try await store.forget(beginning: "u/", in: "r") == 50)
        #expect(try store.scrubbable() == Scrubbed(copies: 1))
        #expect(try await store.scrub() == Scrubbed(copies: 1))
        #expect(try store.scrubbable().copies == 0)
        #expect(try Self.hits(folder).isEmpty)
        #expect(try store.list("device", prefix: "", after: nil, limit: 1_000).count == 400)
        #expect(try store.entry("k7", in: "device")?.bytes == [1])
        await store.close()
        #expect(try Self.hits(folder).isEmpty)
    }

    @Test("a permanently reading process delays scrubbing, which reports that and can be repeated")
    func busy() async throws {
        let folder = try StoreFolder()
        var limits = StoreLimits()
        limits.patience = .milliseconds(20)
        let store = try folder.open(limits: limits)
        try await store.put(Self.canary, under: "k")
        let reader = try await folder.reader()
        _ = try await store.remove("k", in: "n", if: .always)
        await #expect {
            _ = try await store.scrub()
        } throws: { error in
            let failure = error as? StoreFailure
            return failure?.kind == .busy && failure?.reason.hasPrefix("another process keeps reading") == true
        }
        #expect(try !Self.hits(folder).isEmpty)
        reader.signal(SIGKILL)
        try await reader.end()
        #expect(try await store.scrub().copies == 0)
        #expect(try Self.hits(folder).isEmpty)
        await store.close()
    }

    @Test("a lagging reader gets a gap; others continue, and versions increase")
    func versions() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let first = try await store.put("1", under: "a").version
        let last = try await store.put("2", under: "a").version
        _ = try await store.scrub()
        #expect(try store.changes(after: first - 1, in: "n", limit: 9).hasGap)
        let present = try store.changes(after: last, in: "n", limit: 9)
        #expect(!present.hasGap && present.changes.isEmpty && present.version > last)
        let next = try await store.put("3", under: "a").version
        #expect(next > present.version)
        #expect(try store.changes(after: present.version, in: "n", limit: 9).changes.map(\.version) == [next])
        #expect(try await store.text("a") == "3")
        await store.close()
    }
}
