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
}
