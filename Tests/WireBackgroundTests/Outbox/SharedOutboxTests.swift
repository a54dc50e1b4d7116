import Support
import Synchronization
import Testing
import WireBackground
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireWorkContract
import Workbench

@Suite("An outbox that machines share")
struct SharedOutboxTests {
    private let shared: Workbench
    private let group: DataStore

    init() throws {
        shared = try Workbench()
        group = DataStore(values: shared.store, queue: shared.store)
    }

    private func ids(_ box: Postbox, limit: Int) async throws -> [String] {
        var (ids, next): ([String], Int?) = ([], nil)
        repeat {
            let place = next.map { "&after=\($0)" } ?? ""
            let page = try await box.ask(.get, "/v1/outbox?limit=\(limit)\(place)").json
            ids += (page["requests"]?.array ?? []).compactMap { $0["id"]?.string }
            next = page["next"]?.integer
        } while next != nil
        return ids
    }

    @Test("requests that only this machine can send are in a queue of its own, and seen like the others")
    func local() async throws {
        let box = try await Postbox(group: group)
        let own: any WorkQueue = box.bench.store
        box.network.set(online: false)
        for number in 1...2 {
            _ = try await box.post("s\(number)", lane: "s")
            _ = try await box.post("l\(number)", lane: "l") { $0.isLocal = true }
        }
        #expect(try await group.queue.counts(ofQueues: box.queue).items == 2)
        #expect(try await own.counts(ofQueues: box.queue).items == 2)
        for limit in 1...5 { #expect(try await ids(box, limit: limit) == ["s1", "s2", "l1", "l2"]) }
        #expect(try await box.ask(.get, "/v1/outbox").json["waiting"]?.integer == 4)
        for id in ["s2", "l2"] {
            #expect(try await box.ask(.get, "/v1/outbox/\(id)").json["state"]?.string == "waiting")
            #expect(try await box.ask(.delete, "/v1/outbox/\(id)").status == 204)
            #expect(try await box.ask(.get, "/v1/outbox/\(id)").json["state"]?.string == "dropped")
        }
        box.network.set(online: true)
        #expect(await eventually { Set(box.told("sent")) == ["s1", "l1"] })
        await box.stop()
        await shared.store.close()
    }

    @Test("another machine sends what all can send, and nothing else")
    func elsewhere() async throws {
        let (first, second) = (try await Postbox(group: group), try await Postbox(group: group))
        first.network.set(online: false)
        _ = try await first.post("l1", lane: "l") { $0.isLocal = true }
        _ = try await first.post("s1", lane: "s")
        #expect(await eventually { second.told("sent") == ["s1"] })
        #expect(second.servers.ids == ["s1"])
        first.network.set(online: true)
        #expect(await eventually { first.told("sent") == ["l1"] })
        #expect(first.servers.ids == ["l1"])
        for box in [first, second] { await box.stop() }
        await shared.store.close()
    }

    @Test("another machine sends a request only for the user who posted it")
    func owner() async throws {
        let (first, second) = (try await Postbox(group: group), try await Postbox(group: group))
        first.people.signIn("ada")
        second.people.signIn("grace")
        first.network.set(online: false)
        _ = try await first.post("of-ada")
        #expect(await eventually { second.told("waiting").contains("of-ada") })
        #expect(second.servers.sent.isEmpty)
        second.people.signIn("ada")
        #expect(await eventually { second.told("sent") == ["of-ada"] })
        #expect(second.servers.sent.map(\.call.user) == ["ada"])
        for box in [first, second] { await box.stop() }
        await shared.store.close()
    }

    @Test("requests of this machine are cleared while the group's store is away, and the clearing says what is left")
    func cleared() async throws {
        let away = AwayStore(shared.store)
        let box = try await Postbox(group: away.data)
        box.network.set(online: false)
        _ = try await box.post("s1", lane: "s")
        _ = try await box.post("l1", lane: "l") { $0.isLocal = true }
        #expect(await eventually { !box.bench.clearings.all.isEmpty })
        away.isAway = true
        let eraser = Eraser(box.bench.stores(group: away.data))
        let told = await box.bench.clearings.clear(.all, with: eraser, box.bench.clock.clockwork)
        #expect(told.first?.removed?.first { $0.what == "queued requests" }?.count == 1)
        #expect(told.first?.reason?.hasSuffix("the server cannot be reached") == true)
        let own: any WorkQueue = box.bench.store
        #expect(try await own.counts(ofQueues: box.queue).items == 0)
        #expect(try shared.store.counts(ofQueues: box.queue).items == 1)
        await box.stop()
        await shared.store.close()
    }

    @Test("a clearing waits until another runner has ended what it sends, and that one begins nothing meanwhile")
    func clearedElsewhere() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (try Workbench(in: folder), try Workbench(in: folder))
        let groups = [one, other].map { DataStore(values: $0.store, queue: $0.store) }
        let (first, second) = (try await Postbox(group: groups[0]), try await Postbox(group: groups[1]))
        first.network.set(online: false)
        let end = OneShot()
        second.servers.play { sent, _ in sent.id == "r1" ? .held(end) : .answer(201) }
        _ = try await second.post("r1", lane: "a")
        #expect(await eventually { second.servers.ids == ["r1"] })
        #expect(await eventually { !first.bench.clearings.all.isEmpty })
        let done = OneShot()
        let clearing = Task {
            let eraser = Eraser(first.bench.stores(group: groups[0]))
            let answers = await first.bench.clearings.clear(.user, with: eraser, first.bench.clock.clockwork)
            done.fire()
            return answers
        }
        #expect(await eventually { (try? await groups[1].queue.pauses(of: second.queue).isHeld) == true })
        _ = try await second.post("r2", lane: "b")
        #expect(!done.hasFired)
        // The other runner looks regularly.
        let isDone = await eventually {
            second.bench.clock.pass(.seconds(5))
            return done.hasFired
        }
        #expect(isDone)
        end.fire()
        let answer = await clearing.value.first
        #expect(answer?.removed?.first { $0.what == "queued requests" }?.count == 1)
        #expect(answer?.removed?.first { $0.what == "results of requests" }?.count == 1)
        #expect(answer?.remains == nil)
        #expect(second.servers.ids == ["r1"])
        _ = try await second.post("r3", lane: "c")
        #expect(await eventually { second.told("sent").contains("r3") })
        #expect(second.servers.ids == ["r1", "r3"])
        for box in [first, second] { await box.stop() }
        for bench in [one, other] { await bench.store.close() }
    }

    @Test("a clearing says what may remain where the work of another runner does not end in time")
    func unended() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (try Workbench(in: folder), try Workbench(in: folder))
        let group = DataStore(values: one.store, queue: one.store)
        let box = try await Postbox(group: group)
        box.network.set(online: false)
        _ = try await box.post("r1")
        // The other one looks at nothing while it works.
        let queue: any WorkQueue = other.store
        let claim = try #require(try await queue.claim(from: box.queue, for: .seconds(300)))
        #expect(await eventually { !box.bench.clearings.all.isEmpty })
        let done = OneShot()
        let clearing = Task {
            let eraser = Eraser(box.bench.stores(group: group))
            let answers = await box.bench.clearings.clear(.user, with: eraser, box.bench.clock.clockwork)
            done.fire()
            return answers
        }
        let isDone = await eventually {
            box.bench.clock.pass(.seconds(10))
            return done.hasFired
        }
        #expect(isDone)
        let answer = await clearing.value.first
        #expect(answer?.removed?.first { $0.what == "queued requests" }?.count == 1)
        #expect(answer?.remains?.contains("clear again") == true)
        #expect(try await queue.complete(claim) == false)
        await box.stop()
        for bench in [one, other] { await bench.store.close() }
    }

    @Test("requests of this machine are there while the group's store is away, and the list says what is missing")
    func away() async throws {
        let store = AwayStore(shared.store)
        let box = try await Postbox(group: store.data)
        box.network.set(online: false)
        _ = try await box.post("s1", lane: "s")
        _ = try await box.post("l1", lane: "l") { $0.isLocal = true }
        store.isAway = true
        _ = try await box.post("l2", lane: "l") { $0.isLocal = true }
        let list = try await box.ask(.get, "/v1/outbox").json
        #expect(list["requests"]?.array?.map { $0["id"]?.string } == ["l1", "l2"])
        #expect(list["waiting"]?.integer == 2)
        #expect(list["missing"]?.string == "the server cannot be reached")
        #expect(try await box.ask(.get, "/v1/outbox/l1").json["state"]?.string == "waiting")
        #expect(try await box.ask(.post, "/v1/outbox/l1/lane", #"{"lane":"m"}"#).status == 204)
        #expect(try await box.ask(.post, "/v1/outbox/l1/retry").status == 204)
        #expect(try await box.ask(.delete, "/v1/outbox/l1").status == 204)
        #expect(try await box.ask(.get, "/v1/outbox/l1").json["state"]?.string == "dropped")
        for (method, path) in [(Method.get, "s1"), (.delete, "s1"), (.get, "unknown")] {
            #expect(try await box.ask(method, "/v1/outbox/\(path)").status == 503)
        }
        // Local requests are paused, and the answer says that not all are.
        #expect(try await box.ask(.post, "/v1/outbox/pause").status == 503)
        #expect(try await box.ask(.get, "/v1/outbox").json["paused"]?.boolean == true)
        store.isAway = false
        #expect(try await box.ask(.get, "/v1/outbox").json["missing"] == nil)
        #expect(try await box.ask(.get, "/v1/outbox/s1").json["state"]?.string == "waiting")
        await box.stop()
        await shared.store.close()
    }

    @Test("a post of this machine does not wait for the group's queue, though that one is full")
    func fullElsewhere() async throws {
        let queue = CountedUsage(shared.store)
        let box = try await Postbox(
            "{ queue: { maxRequests: 1 } }",
            group: DataStore(values: shared.store, queue: queue)
        )
        box.network.set(online: false)
        _ = try await box.post("s1")
        _ = await #expect(throws: OutboxFailure.self) { try await box.post("s2") }
        #expect(box.bench.told.all == ["degraded: the limit of 1 queued request is reached"])
        let count = queue.count
        #expect(try await box.post("l1") { $0.isLocal = true }.isNew)
        #expect(queue.count == count)
        #expect(box.bench.told.all.count == 1)
        await box.stop()
        await shared.store.close()
    }

    @Test("the gauges count the requests of this machine while the group's store is away")
    func gauges() async throws {
        let queue = CountedUsage(shared.store)
        queue.isAway = true
        let box = try await Postbox(group: DataStore(values: shared.store, queue: queue))
        box.network.set(online: false)
        _ = try await box.post("s1")
        _ = try await box.post("l1") { $0.isLocal = true }
        func waiting() async -> String? {
            let text = await box.bench.metrics.text(.prometheus)
            return text.split(separator: "\n").first { $0.hasPrefix("corewire_outbox_waiting ") }.map(String.init)
        }
        #expect(await waiting() == "corewire_outbox_waiting 1")
        queue.isAway = false
        box.bench.clock.pass(.seconds(10))
        #expect(await waiting() == "corewire_outbox_waiting 2")
        await box.stop()
        await shared.store.close()
    }

    @Test("the limits apply to the shared queue and to that of this machine, each by itself")
    func limits() async throws {
        let box = try await Postbox("{ queue: { maxRequests: 1 } }", group: group)
        box.network.set(online: false)
        for isLocal in [false, true] {
            #expect(try await box.post("\(isLocal)-1") { $0.isLocal = isLocal }.isNew)
            let refusal = await #expect(throws: OutboxFailure.self) {
                try await box.post("\(isLocal)-2") { $0.isLocal = isLocal }
            }
            #expect(refusal?.kind == .full)
        }
        await box.stop()
        await shared.store.close()
    }
}

/// A queue whose usage is counted, and cannot be read while a test says so.
private final class CountedUsage: QueueAround {
    let queue: any WorkQueue
    private let state = Mutex((count: 0, isAway: false))

    init(_ queue: any WorkQueue) { self.queue = queue }

    var count: Int { state.withLock(\.count) }
    var isAway: Bool {
        get { state.withLock(\.isAway) }
        set { state.withLock { $0.isAway = newValue } }
    }

    func usage(ofQueue queue: String) async throws(StoreFailure) -> WorkUsage {
        let isAway = state.withLock { state in
            state.count += 1
            return state.isAway
        }
        if isAway { throw StoreFailure(.away, "the server cannot be reached") }
        return try await self.queue.usage(ofQueue: queue)
    }
}
