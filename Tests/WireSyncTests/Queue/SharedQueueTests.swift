import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireSQLite
import WireService
import WireStore
import Workbench

@Suite("A mutation queue beside other processes", .timeLimit(.minutes(5)))
struct SharedQueueTests {
    private static func title(_ title: String) -> JSONValue { input(["title": .string(title)]) }

    @Test("in a group, mutations are sent by the machine that has their records")
    func group() async throws {
        let shared = try Workbench()
        let group = DataStore(values: shared.store, queue: shared.store)
        let bench = try await QueueBench(group: group)
        let other = try await QueueBench(group: group)
        bench.goOffline()
        _ = try await bench.mutate("CreateTask", Self.title("milk"), ["id": .string("m1")])
        let own: any WorkQueue = bench.bench.store
        #expect(try await group.queue.counts(ofQueues: "outbox/").items == 0)
        #expect(try await own.counts(ofQueues: "outbox/").items == 1)
        #expect(try await bench.state("m1") == "accepted")
        bench.goOnline()
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(other.server.received.isEmpty)
        for bench in [bench, other] { await bench.kill() }
        await shared.store.close()
    }

    @Test("a damaged mutation does not keep the one that it builds on from being confirmed")
    func damaged() async throws {
        let bench = try await QueueBench()
        try await bench.fetch()
        bench.goOffline()
        let created = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")]).json
        let temporary = try #require(created["data"]?["createTask"]?["id"]?.string)
        let change = input(["id": .string(temporary), "title": .string("ham"), "_version": .integer(1)])
        _ = try await bench.mutate("UpdateTask", change, ["id": .string("m2")])
        let store = bench.bench.store
        let queue = try #require(try store.namespaces().first { $0.hasSuffix("/queue") })
        let damaged = NewValue(Array("[]".utf8), type: "application/json", isSealed: true)
        _ = try await store.put(damaged, under: "m2", in: queue, if: .always)
        bench.goOnline()
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(bench.server.titles == ["1 bread"])
        await bench.kill()
    }

    @Test("the mutations of other processes are followed again after the store has failed")
    func followed() async throws {
        let first = try await QueueBench()
        try await first.fetch()
        first.goOffline()
        let (folder, server, network) = (first.bench.folder, first.server, first.network)
        let second = try await QueueBench(in: folder, server: server, network: network, around: { ShortNews($0) })
        #expect(try await second.titles() == [])
        _ = try await first.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")])
        var passes = 0
        let isSeen = await eventually {
            if passes < 3, second.bench.clock.wakes(in: .seconds(5)) {
                passes += 1
                second.bench.clock.pass(.seconds(5))
            }
            return (try? await second.titles()) == ["local- bread"]
        }
        #expect(isSeen)
        await second.kill()
        await first.kill()
    }
}

/// A store that fails when it is first waited for.
private final class ShortNews: StoreAround {
    let store: any KeyValueStore
    private let hasFailed = Mutex(false)

    init(_ store: any KeyValueStore) { self.store = store }

    func changed(after version: Int64) async throws(StoreFailure) -> Int64 {
        let isFirst = hasFailed.withLock { hasFailed in
            defer { hasFailed = true }
            return !hasFailed
        }
        if isFirst { throw StoreFailure(.busy, "another process has locked the store") }
        return try await store.changed(after: version)
    }
}
