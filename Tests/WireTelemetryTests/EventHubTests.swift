import Support
import Testing
import WireConfig
import WireHTTP
import WireTelemetry

@Suite("The event hub")
struct EventHubTests {
    let clock = HandClock()

    private func hub(keeping capacity: Int = 4, first: UInt64 = 1) -> EventHub {
        EventHub(keeping: capacity, first: first, clock: clock.clockwork)
    }

    /// All that a stream tells until its end, gaps as `after|before`.
    private func all(_ stream: EventStream) async -> [String] {
        var told: [String] = []
        for await item in stream {
            switch item {
            case .event(let event): told.append("\(event.id) \(event.name)")
            case .gap(let gap): told.append("\(gap.after)|\(gap.before)")
            }
        }
        return told
    }

    @Test("a subscriber gets later events, in order")
    func order() async {
        let hub = hub()
        hub.emit("early", generation: 0, .null)
        let stream = hub.watch()
        hub.emit("service.ready", generation: 1, .null)
        hub.emit("state.changed", generation: 1, .null)
        hub.finish()
        #expect(await all(stream) == ["2 service.ready", "3 state.changed"])
    }

    @Test("separate events displace no others, and are delivered to subscribers by name")
    func apart() async {
        let hub = EventHub(keeping: 2, apart: (name: "network.request", keeping: 3), clock: clock.clockwork)
        hub.emit("network.offline", generation: 1, .null)
        hub.emit("network.request", generation: 1, .null)
        #expect(!hub.isWanted("network.request") && hub.isWanted("network.offline"))
        let (every, network) = (hub.watch(), hub.watch(named: "network."))
        #expect(!hub.isWanted("network.request"))
        do {
            let requests = hub.watch(named: "network.request")
            for _ in 0..<3 where hub.isWanted("network.request") { hub.emit("network.request", generation: 1, .null) }
            hub.emit("network.online", generation: 1, .null)
            let first = Task {
                var iterator = requests.makeAsyncIterator()
                return await iterator.next()
            }
            guard case .event(let event) = await first.value else {
                Issue.record("nothing was told")
                return
            }
            #expect(event.name == "network.request")
            #expect(hub.isWanted("network.request"))
        }
        hub.emit("network.request", generation: 1, .null)
        #expect(!hub.isWanted("network.request"))
        #expect(hub.kept(named: "network.request").all.count == 3)
        #expect(hub.kept().all.count == 2)
        hub.finish()
        #expect(await all(every) == ["2 network.online"])
        #expect(await all(network) == ["2 network.online"])
    }

    @Test("a waiting subscriber wakes on an event")
    func waiting() async {
        let hub = hub(keeping: 1_000)
        let stream = hub.watch(named: "b")
        async let told = all(stream)
        for _ in 0..<100 {
            hub.emit("a", generation: 0, .null)
            hub.emit("b", generation: 0, .null)
            await Task.yield()
        }
        hub.finish()
        #expect(await told == (1...100).map { "\($0 * 2) b" })
    }

    @Test("a slow subscriber gets a gap, and blocks nothing")
    func slow() async {
        let hub = hub(keeping: 4)
        let stream = hub.watch()
        for _ in 1...10 { hub.emit("a", generation: 0, .null) }
        hub.finish()
        #expect(await all(stream) == ["0|7", "7 a", "8 a", "9 a", "10 a"])
    }

    @Test(
        "a subscriber resumes after its last event",
        arguments: [
            (3, ["4 a", "5 a", "6 a"]), (2, ["3 a", "4 a", "5 a", "6 a"]), (1, ["1|3", "3 a", "4 a", "5 a", "6 a"]),
            (6, []),
            (7, ["7|3", "3 a", "4 a", "5 a", "6 a"]), (UInt64.max, ["\(UInt64.max)|3", "3 a", "4 a", "5 a", "6 a"]),
        ] as [(UInt64, [String])]
    )
    func resuming(after id: UInt64, told: [String]) async {
        let hub = hub(keeping: 4)
        for _ in 1...6 { hub.emit("a", generation: 0, .null) }
        hub.finish()
        #expect(await all(hub.watch(after: id)) == told)
    }

    @Test("a subscriber of a former run gets a gap, not other events with its numbers")
    func restart() async {
        let hub = hub(first: 1_000)
        hub.emit("a", generation: 0, .null)
        hub.finish()
        #expect(await all(hub.watch(after: 998)) == ["998|1000", "1000 a"])
        #expect(await all(hub.watch(after: 999)) == ["1000 a"])
    }

    @Test("a subscriber of one event gets no other")
    func filter() async {
        let hub = hub(keeping: 8)
        for name in ["service.ready", "state.changed", "service.failed"] { hub.emit(name, generation: 0, .null) }
        hub.finish()
        #expect(await all(hub.watch(after: 0, named: "service.")) == ["1 service.ready", "3 service.failed"])
    }

    @Test("a cancelled subscriber stops waiting")
    func cancellation() async {
        let hub = hub()
        let watching = Task { await all(hub.watch()) }
        await Task.yield()
        watching.cancel()
        #expect(await watching.value == [])
    }

    @Test("the frame of an event is one server-sent event, with any content")
    func frame() async throws {
        let hub = hub()
        hub.emit("a\ndata: forged", generation: 3, .members(["text": .string("x\n\nevent: forged\r\n\u{2028}")]))
        var iterator = hub.watch(after: 0).makeAsyncIterator()
        let item = try #require(await iterator.next())
        #expect(
            String(decoding: item.frame(for: .all), as: UTF8.self) == """
                id: 1
                event: a\\u{a}data: forged
                data: {"time":"2026-02-28T23:59:59.999Z","generation":3,"data":{"text":"x\\n\\nevent: forged\\r\\n\\u2028"}}


                """
        )
    }

    @Test("the frame of a gap has the position to resume from")
    func gapFrame() async throws {
        let hub = hub(keeping: 1)
        for _ in 1...5 { hub.emit("a", generation: 0, .null) }
        var iterator = hub.watch(after: 1).makeAsyncIterator()
        let item = try #require(await iterator.next())
        #expect(
            String(decoding: item.frame(for: .all), as: UTF8.self)
                == "id: 4\nevent: gap\ndata: {\"after\":1,\"before\":5}\n\n"
        )
    }

    @Test("a hundred subscribers at their own pace get all events")
    func many() async {
        let hub = hub(keeping: 2_000)
        let streams = (0..<100).map { _ in hub.watch() }
        await withTaskGroup(of: Int.self) { group in
            for stream in streams {
                group.addTask {
                    var count = 0
                    for await case .event in stream { count += 1 }
                    return count
                }
            }
            for _ in 0..<1_000 { hub.emit("a", generation: 0, .null) }
            hub.finish()
            for await count in group { #expect(count == 1_000) }
        }
    }
}
