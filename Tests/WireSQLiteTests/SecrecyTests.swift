import Foundation
import StoreConformance
import Support
import Testing
import WireBase
import WireCrypto
import WireSQLite
import WireStore

@Suite("Sealed data in a store")
struct SecrecyTests {
    @Test("sealed data is readable in no file, while the store is open and afterwards")
    func canary() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let canary = "canary-5e1f2b"
        try await store.put(canary, under: "open secret", isSealed: true)
        _ = try await store.add(NewWork(id: "a", lane: "a", payload: Array(canary.utf8), isSealed: true), to: "q")
        // What is not sealed is found: the search is one that finds.
        try await store.put("sparrow-77", under: "plain")
        func search(for text: String) throws -> [String] {
            try folder.names.filter { try folder.bytes($0).range(of: Data(text.utf8)) != nil }
        }
        #expect(try search(for: canary).isEmpty)
        #expect(try search(for: "sparrow-77") == ["state.db-wal"])
        #expect(try await store.text("open secret") == canary)
        await store.close()
        #expect(try search(for: canary).isEmpty)
        #expect(try search(for: "sparrow-77") == ["state.db"])
        // And what is removed is gone from the file.
        let again = try folder.open()
        _ = try await again.remove("plain", in: "n", if: .always)
        await again.close()
        #expect(try search(for: "sparrow-77").isEmpty)
    }

    @Test("a foreign key is reported, the value is unchanged, and readable again with the right key")
    func wrongKey() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.put("secret", under: "k", isSealed: true)
        let work = NewWork(id: "sealed", lane: "a", payload: [1], isSealed: true)
        _ = try await store.add(work, to: "q")
        _ = try await store.add(NewWork(id: "open", lane: "b", payload: [2]), to: "q")
        await store.close()
        let wrong = try folder.open(try Keys.sealer(2))
        let unread = await #expect(throws: StoreFailure.self) { try await wrong.text("k") }
        #expect(unread?.kind == .sealed)
        #expect(try wrong.list("n", prefix: "", after: nil, limit: 9).map(\.key) == ["k"])
        // Work that cannot be opened holds up nobody else, and is not taken.
        #expect(try await wrong.claim(from: "q", for: .seconds(60))?.id == "open")
        let failure = await #expect(throws: StoreFailure.self) {
            try await wrong.claim(from: "q", for: .seconds(60))
        }
        #expect(failure?.kind == .sealed)
        await wrong.close()
        let right = try folder.open(try Keys.sealer(2, former: 1))
        #expect(try await right.text("k") == "secret")
        let claim = try await right.claim(from: "q", for: .seconds(60))
        #expect(claim?.payload == [1])
        #expect(claim?.attempts == 0)
    }

    @Test("a value swapped by hand is detected")
    func moved() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.put("one", under: "a", isSealed: true)
        try await store.put("two", under: "b", isSealed: true)
        await store.close()
        try folder.run("UPDATE entries SET bytes = (SELECT bytes FROM entries WHERE key = 'a') WHERE key = 'b'")
        let again = try folder.open()
        #expect(try await again.text("a") == "one")
        let failure = await #expect(throws: StoreFailure.self) { try await again.text("b") }
        #expect(failure?.kind == .corrupt)
    }
}

@Suite("Store and reboot")
struct BootTests {
    @Test("a reboot ends all leases, and keeps the rest of delays")
    func restart() async throws {
        let folder = try StoreFolder()
        let test = TestClock()
        let store = try folder.open(clock: test.clock)
        func work(_ id: String, _ delay: Duration = .zero) -> NewWork {
            NewWork(id: id, lane: id, payload: [], delay: delay)
        }
        _ = try await store.add(work("claimed"), to: "q")
        let lost = try #require(try await store.claim(from: "q", for: .seconds(3_600)))
        _ = try await store.add(work("done"), to: "q")
        _ = try await store.complete(try #require(try await store.claim(from: "q", for: .seconds(60))))
        _ = try await store.add(work("delayed", .seconds(100)), to: "later")
        await store.close()
        // Forty seconds later by the clock on the wall, the machine has been up for ten.
        test.pass(.seconds(40))
        let wall = test.clock.now
        let restarted = StoreClock(now: wall, uptime: { 10_000 }, boot: "another")
        let again = try folder.open(clock: restarted)
        #expect(try await again.nextDue(in: "later") == .seconds(60))
        #expect(try await again.complete(lost) == false)
        #expect(try await again.claim(from: "q", for: .seconds(60))?.id == "claimed")
        #expect(try await again.add(work("done"), to: "q") == false)
        await again.close()
        // A clock that was set back while the machine was off makes no delay longer than it was.
        let setBack = StoreClock(now: { wall() - 1_000_000 }, uptime: { 0 }, boot: "third")
        #expect(try await folder.open(clock: setBack).nextDue(in: "later") == .seconds(60))
    }
}
