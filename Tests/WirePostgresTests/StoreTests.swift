import Foundation
import StoreConformance
import Support
import Testing
import WireBase
import WireStore

@testable import WirePostgres

@Suite("Store in PostgreSQL", .serialized)
struct StoreTests {
    @Test("the store passes the rules of shared data")
    func conforms() async throws {
        let database = try await Database()
        for (number, rule) in SharedRule.all.enumerated() {
            let opened = OpenedStores()
            do {
                try await rule.hold { clock, limits in
                    try await opened.keep(database.open("group \(number)", clock: clock, limits: limits))
                }
            } catch {
                Issue.record("\(rule): \(error)")
            }
            await opened.close()
        }
    }

    @Test("a runner sees at once what another one has written, and hears of it")
    func shared() async throws {
        let database = try await Database()
        let (one, other) = (try await database.open(), try await database.open())
        let before = try await other.changes(after: .max, in: nil, limit: 1).version
        async let changed = other.changed(after: before)
        let receipt = try await one.put(NewValue([1], type: "t", isSealed: true), under: "k", in: "n", if: .absent)
        #expect(try await other.entry("k", in: "n")?.bytes == [1])
        #expect(try await changed == receipt.version)
        let failure = await #expect(throws: StoreFailure.self) {
            try await other.put(NewValue([2], type: "t"), under: "k", in: "n", if: .absent)
        }
        #expect(failure?.kind == .conflict)
        async let due: Void = other.waitUntilDue(in: "q")
        try await one.add(NewWork(id: "a", lane: "l", payload: [7], isSealed: true), to: "q")
        try await due
        let claim = try #require(try await other.claim(from: "q", for: .seconds(30)))
        #expect(claim.payload == [7])
        #expect(try await one.claim(from: "q", for: .seconds(30)) == nil)
        #expect(try await one.complete(claim) == false)
        #expect(try await other.complete(claim))
        await one.close()
        await other.close()
    }

    @Test("a queue that a runner holds is claimed by none, until that runner has ended")
    func held() async throws {
        let database = try await Database()
        let (one, other) = (try await database.open(), try await database.open())
        for id in ["a", "b"] { try await one.add(NewWork(id: id, lane: id, payload: []), to: "q") }
        let claim = try #require(try await other.claim(from: "q", for: .seconds(30)))
        try await one.hold(true, queue: "q")
        #expect(try await other.pauses(of: "q") == WorkPauses(isWhole: false, lanes: [], isHeld: true))
        #expect(try await other.claim(from: "q", for: .seconds(30)) == nil)
        async let ended: Void = one.waitUntilUnclaimed("q")
        #expect(try await other.complete(claim))
        try await ended
        async let due: Void = other.waitUntilDue(in: "q")
        await one.close()
        try await due
        #expect(try await other.claim(from: "q", for: .seconds(30))?.id == "b")
        await other.close()
    }

    @Test("groups do not see each other, and runners of a group have the same sealing key")
    func groups() async throws {
        let database = try await Database()
        let one = try await database.open("one")
        _ = try await one.put(NewValue([1], type: "t"), under: "k", in: "n", if: .always)
        try await one.add(NewWork(id: "a", lane: "l", payload: []), to: "q")
        let other = try await database.open("other", key: 2)
        #expect(try await other.entry("k", in: "n") == nil)
        #expect(try await other.usage(ofQueue: "q").entries == 0)
        let failure = await #expect(throws: StoreFailure.self) { _ = try await database.open("one", key: 2) }
        #expect(failure?.kind == .sealed)
        let renewed = try await database.open("one", key: 2, formerKeys: [1])
        _ = try await renewed.put(NewValue([2], type: "t", isSealed: true), under: "l", in: "n", if: .always)
        await renewed.close()
        let next = try await database.open("one", key: 2)
        #expect(try await next.entry("l", in: "n")?.bytes == [2])
        await next.close()
        await one.close()
        await other.close()
    }

    @Test("a list of large items has all of them, though the database ends its pages after some MiB")
    func large() async throws {
        let database = try await Database()
        let store = try await database.open()
        for id in ["a", "b", "c", "d"] {
            var item = NewWork(id: id, lane: "l", payload: [])
            item.metadata = [UInt8](repeating: 7, count: 3 << 20)
            try await store.add(item, to: "q")
        }
        #expect(try await store.list("q", lane: nil, after: nil, limit: 9).map(\.id) == ["a", "b", "c", "d"])
        #expect(try await store.list("q", lane: "l", after: nil, limit: 3).map(\.id) == ["a", "b", "c"])
        await store.close()
    }

    @Test("an item that no key opens is skipped by claims until it is gone, and not remembered longer")
    func skipped() async throws {
        let database = try await Database()
        let store = try await database.open()
        for id in ["a", "b"] { try await store.add(NewWork(id: id, lane: id, payload: [7], isSealed: true), to: "q") }
        _ = try database.sql("UPDATE corewire.work SET payload = 'x' WHERE id = 'a'")
        #expect(try await store.claim(from: "q", for: .seconds(30))?.id == "b")
        await store.review()
        #expect(store.skipped(in: "q").count == 1)
        _ = try await store.remove("a", from: "q", leaving: nil)
        await store.review()
        #expect(store.skipped(in: "q").isEmpty)
        await store.close()
    }

    @Test("an older schema is asked for skipped items that are gone once, and not all the time")
    func olderSchema() async throws {
        let database = try await Database()
        let store = try await database.open()
        try await store.add(NewWork(id: "a", lane: "a", payload: [7], isSealed: true), to: "q")
        _ = try database.sql("UPDATE corewire.work SET payload = 'x'")
        await #expect(throws: StoreFailure.self) { try await store.claim(from: "q", for: .seconds(30)) }
        _ = try database.sql("DROP FUNCTION corewire.present_1")
        for _ in 0..<3 { await store.review() }
        let log = try String(contentsOfFile: "\(database.server.folder)/log", encoding: .utf8)
        #expect(log.split(separator: "\n").count { $0.contains("ERROR") && $0.contains("present_1") } == 1, "\(log)")
        #expect(store.skipped(in: "q").count == 1)
        await store.close()
    }

    @Test("items that come together keep their order, where each has a lane of its own")
    func together() async throws {
        let database = try await Database()
        let store = try await database.open()
        let ids = (0..<100).map { "\(99 - $0)" }
        await withTaskGroup { group in
            for id in ids {
                group.addImmediateTask { _ = try? await store.add(NewWork(id: id, lane: id, payload: []), to: "q") }
            }
        }
        #expect(try await store.list("q", lane: nil, after: nil, limit: 200).map(\.id) == ids)
        await store.close()
    }

    @Test("two runners share the work: each item is claimed once, in the order of its lane")
    func divided() async throws {
        let database = try await Database()
        let stores = [try await database.open(), try await database.open()]
        let (lanes, items) = (6, 20)
        let log = WorkLog()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    for number in 0..<items {
                        let work = NewWork(id: "\(lane)-\(number)", lane: "\(lane)", payload: [])
                        try await stores[(lane + number) % 2].add(work, to: "q")
                    }
                }
            }
            for store in stores {
                for _ in 0..<3 {
                    group.addTask {
                        while await log.count < lanes * items {
                            guard let claim = try await store.claim(from: "q", for: .seconds(30)) else { continue }
                            await log.begin(claim)
                            await log.end(claim)
                            #expect(try await store.complete(claim))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await log.overlaps == 0)
        for lane in 0..<lanes {
            #expect(await log.ids(of: "\(lane)") == (0..<items).map { "\(lane)-\($0)" })
        }
        for store in stores { await store.close() }
    }

    @Test("a role that may only call the functions is enough, and can do nothing else")
    func rights() async throws {
        let database = try await Database(role: "runner")
        let store = try await database.open(user: "runner")
        _ = try await store.put(NewValue([1], type: "t"), under: "k", in: "n", if: .always)
        #expect(try await store.entry("k", in: "n")?.bytes == [1])
        await store.close()
        var settings = database.settings
        settings.user = "runner"
        let runner = try PostgresClient(settings)
        for statement in ["TABLE corewire.entries", "SELECT corewire.free_1(1)", "CREATE TABLE corewire.t ()"] {
            let failure = await #expect(throws: PostgresFailure.self) {
                try await runner.rows(PostgresStatement(statement), on: .reader, within: .seconds(60))
            }
            #expect(failure?.state == "42501", "\(statement)")
        }
        await runner.close()
    }

    @Test("migrations at the same time all succeed")
    func migrations() async throws {
        let database = try await Database(role: "runner")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let client = try PostgresClient(database.settings)
                    for _ in 0..<8 { try await PostgresMigration(role: "runner").run(client) }
                    await client.close()
                }
            }
            try await group.waitForAll()
        }
    }
}

/// What workers did, in order.
private actor WorkLog {
    private var done: [String: [String]] = [:]
    private var open: Set<String> = []
    private(set) var overlaps = 0
    private(set) var count = 0

    func begin(_ claim: ClaimedWork) {
        if !open.insert(claim.lane).inserted { overlaps += 1 }
        done[claim.lane, default: []].append(claim.id)
        count += 1
    }

    func end(_ claim: ClaimedWork) { open.remove(claim.lane) }
    func ids(of lane: String) -> [String] { done[lane] ?? [] }
}
