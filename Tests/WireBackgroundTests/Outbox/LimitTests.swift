import Support
import Synchronization
import Testing
import WireBackground
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireTelemetry
import WireWorkContract
import Workbench

@Suite("Limits and administration of the outbox")
struct LimitTests {
    @Test("a request over the limit is rejected with its place, and the service reports it until there is capacity")
    func refuses() async throws {
        let box = try await Postbox("{ queue: { maxRequests: 2 } }")
        box.network.set(online: false)
        for id in ["r1", "r2"] { _ = try await box.post(id) }
        let refusal = await #expect(throws: OutboxFailure.self) { try await box.post("r3") }
        #expect(refusal?.kind == .full)
        #expect(refusal?.origin?.place == "file.yaml:4:37")
        let answer = try await box.ask(.post, "/v1/outbox", #"{"path":"/x"}"#)
        #expect(answer.status == 507)
        #expect(answer.json["config"]?["path"]?.string == "background.queue.maxRequests")
        #expect(box.bench.told.all.last == "degraded: the limit of 2 queued requests is reached")
        #expect(try await !box.post("r1").isNew)
        box.network.set(online: true)
        #expect(await eventually { box.told("sent") == ["r1", "r2"] })
        #expect(await eventually { box.bench.told.all.last == "well" })
        #expect(try await box.post("r3").isNew)
        await box.stop()
    }

    @Test("with dropOldest the oldest request is dropped, and that is reported")
    func dropsOldest() async throws {
        let box = try await Postbox("{ queue: { maxRequests: 2, whenFull: dropOldest } }")
        box.network.set(online: false)
        for id in ["r1", "r2", "r3"] { #expect(try await box.post(id).isNew) }
        #expect(box.told("dropped") == ["r1"])
        #expect(try await !box.post("r1").isNew)
        #expect(try await box.ask(.get, "/v1/outbox/r1").json["state"]?.string == "dropped")
        box.network.set(online: true)
        #expect(await eventually { box.told("sent") == ["r2", "r3"] })
        await box.stop()
    }

    @Test("a replacing request removes those of its lane and service")
    func replaces() async throws {
        let box = try await Postbox()
        box.network.set(online: false)
        _ = try await box.post("r1")
        _ = try await box.post("other", lane: "other")
        _ = try await box.post("of-push") { $0.service = "push" }
        _ = try await box.post("r2") { $0.replacesFormer = true }
        #expect(box.told("dropped") == ["r1"])
        box.network.set(online: true)
        #expect(await eventually { Set(box.told("sent")) == ["other", "of-push", "r2"] })
        await box.stop()
    }

    static let impossible: [@Sendable (inout OutboxRequest) -> Void] = [
        { $0.id = "" }, { $0.id = "a/b" }, { $0.id = "pause" }, { $0.id = "retry" }, { $0.id = "a\nb" },
        { $0.id = String(repeating: "x", count: 201) }, { $0.lane = "" }, { $0.lane = "a\u{202e}b" },
        { $0.method = .get }, { $0.method = WireHTTP.Method("PO ST") }, { $0.address = "" },
        { $0.address = "//evil.example/x" },
        { $0.address = "/a/../b" }, { $0.address = "/a b" }, { $0.address = "/a#b" }, { $0.address = "ftp://x/y" },
        { $0.address = "https://user:pw@example.com/" }, { $0.fields = ["Host": "x"] },
        { $0.fields = ["X-A": "a\r\nB: c"] },
        { $0.fields = ["X A": "a"] }, { $0.body = [UInt8](repeating: 0, count: 1 << 20 + 1) }, { $0.attempts = 0 },
        { $0.maxAge = .zero }, { $0.idField = "Content-Length" },
        { $0.lane = String(repeating: "x", count: 201) },
        { $0.method = WireHTTP.Method(String(repeating: "A", count: 33)) },
        { $0.address = "/" + String(repeating: "a", count: 8_000) },
        { request in for number in 0...100 { request.fields["X-\(number)"] = "a" } },
        { $0.fields = ["X-A": String(repeating: "a", count: 32_768 - 2)] },
        { $0.fields = [String(repeating: "x", count: 129): "a"] }, { $0.attempts = 1_001 },
        { $0.maxAge = .milliseconds(999) }, { $0.maxAge = .seconds(365 * 86_400 + 1) },
    ]

    @Test("a request that can never be sent is rejected when it is posted")
    func refusesWhatCannotBe() async throws {
        let box = try await Postbox()
        for (index, change) in Self.impossible.enumerated() {
            let refusal = await #expect(throws: OutboxFailure.self, "number \(index)") {
                try await box.post("r1", change)
            }
            #expect(refusal?.kind == .invalid, "number \(index)")
        }
        #expect(try await box.ask(.get, "/v1/outbox").json["waiting"]?.integer == 0)
        #expect(box.servers.sent.isEmpty)
        await box.stop()
    }

    /// As much as may be of everything that has a limit.
    static let largest: [@Sendable (inout OutboxRequest) -> Void] = [
        { $0.id = String(repeating: "x", count: 200) }, { $0.lane = String(repeating: "x", count: 200) },
        { $0.method = WireHTTP.Method(String(repeating: "A", count: 32)) },
        { $0.address = "/" + String(repeating: "a", count: 7_999) },
        { request in for number in 0..<100 { request.fields["X-\(number)"] = "a" } },
        { $0.fields = ["X-A": String(repeating: "a", count: 32_768 - 3)] },
        { $0.fields = [String(repeating: "x", count: 128): "a"] },
        { $0.body = [UInt8](repeating: 0, count: 1 << 20) }, { $0.attempts = 1 }, { $0.attempts = 1_000 },
        { $0.maxAge = .seconds(1) }, { $0.maxAge = .seconds(365 * 86_400) },
    ]

    @Test("a request of the maximum size is accepted and sent")
    func takesTheLargest() async throws {
        let box = try await Postbox()
        for (index, change) in Self.largest.enumerated() {
            #expect(try await box.post("r\(index)", change).isNew, "number \(index)")
        }
        #expect(await eventually { box.told("sent").count == Self.largest.count })
        await box.stop()
    }

    @Test("a paused lane waits while others continue, a paused outbox waits whole, also after a restart")
    func pauses() async throws {
        let folder = try TemporaryFolder()
        let box = try await Postbox(in: folder)
        // What is paused already is not told again.
        for _ in 0..<2 {
            let answer = try await box.ask(.post, "/v1/outbox/pause", #"{"lane":"a"}"#)
            #expect(answer.json["pausedLanes"]?.array?.count == 1)
            #expect(box.bench.events(named: "outbox.paused").map { $0.data["lane"]?.string } == ["a"])
        }
        _ = try await box.post("a1", lane: "a")
        _ = try await box.post("b1", lane: "b")
        #expect(await eventually { box.told("sent") == ["b1"] })
        #expect(try await box.ask(.post, "/v1/outbox/pause").json["paused"]?.boolean == true)
        _ = try await box.post("b2", lane: "b")
        await box.stop()
        #expect(box.told("sent") == ["b1"])
        let next = try await Postbox(in: folder)
        #expect(try await next.ask(.get, "/v1/outbox").json["paused"]?.boolean == true)
        for _ in 0..<2 {
            #expect(try await next.ask(.post, "/v1/outbox/resume").json["paused"]?.boolean == false)
            #expect(next.bench.events(named: "outbox.resumed").count == 1)
        }
        #expect(await eventually { next.told("sent") == ["b2"] })
        #expect(
            try await next.ask(.get, "/v1/outbox?lane=a").json["requests"]?.array?.first?["paused"]?.boolean == true
        )
        _ = try await next.ask(.post, "/v1/outbox/resume", #"{"lane":"a"}"#)
        #expect(await eventually { next.told("sent") == ["b2", "a1"] })
        await next.stop()
    }

    @Test("a user retries or removes a request")
    func byHand() async throws {
        let box = try await Postbox()
        box.servers.play { sent, attempt in
            attempt == 0 && sent.id == "r1" ? .answer(429, ["Retry-After": "3600"]) : .answer(200)
        }
        _ = try await box.post("r1")
        #expect(await eventually { box.told("waiting") == ["r1"] })
        _ = try await box.post("r2")
        #expect(try await box.ask(.delete, "/v1/outbox/r2").status == 204)
        #expect(box.told("dropped") == ["r2"])
        #expect(try await box.ask(.post, "/v1/outbox/r1/retry").status == 204)
        #expect(await eventually { box.told("sent") == ["r1"] })
        for (method, path) in [
            (WireHTTP.Method.delete, "/v1/outbox/r9"), (.post, "/v1/outbox/r1/retry"), (.get, "/v1/outbox/r9"),
        ] {
            #expect(try await box.ask(method, path).status == 404)
        }
        await box.stop()
    }

    @Test("lanes run in parallel up to the limit, and draining waits for requests in progress")
    func parallel() async throws {
        let box = try await Postbox("{ queue: { parallel: 3 } }")
        let barrier = OneShot()
        box.servers.play { _, _ in .held(barrier) }
        for number in 0..<9 { _ = try await box.post("r\(number)", lane: "\(number)") }
        #expect(await eventually { box.servers.sent.count == 3 })
        let drained = OneShot()
        let drain = Task.immediate {
            await box.service.drain()
            drained.fire()
        }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(!drained.hasFired)
        #expect(box.servers.ids.count == 3)
        barrier.fire()
        await drain.value
        #expect(box.told("sent").count == 3)
        #expect(box.servers.ids.count == 3)
        #expect(try await box.post("late").isNew)
        await box.kill()
    }
}

@Suite("Outbox delegates")
struct ClerkTests {
    /// Does as the test says, and notes what it hears.
    final class Clerk: OutboxDelegate {
        struct Busy: Error {}
        private let state = Mutex((heard: [String](), readiness: nil as OutboxReadiness?, refusals: 0))

        var heard: [String] { state.withLock { $0.heard } }
        func become(_ readiness: OutboxReadiness?, refusing count: Int = 0) {
            state.withLock { ($0.readiness, $0.refusals) = (readiness, count) }
        }

        func ready(_ item: OutboxItem) async -> OutboxReadiness {
            state.withLock { $0.readiness } ?? .send(item.request)
        }

        func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws {
            let refuses = state.withLock { state in
                state.refusals -= 1
                if state.refusals < 0 {
                    state.heard.append("\(item.id) \(answer.status.code) \(item.request.note.text())")
                }
                return state.refusals >= 0
            }
            if refuses { throw Busy() }
        }

        func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async {
            state.withLock { $0.heard.append("\(item.id) given up \(answer?.status.code ?? 0)") }
        }
    }

    private func post(_ id: String, to box: Postbox) async throws {
        _ = try await box.post(id) { request in
            (request.service, request.needsDelegate, request.note) = ("push", true, .string("n"))
        }
    }

    @Test("a request waits for its delegate, which completes it and gets the result")
    func hears() async throws {
        let box = try await Postbox()
        try await post("r1", to: box)
        #expect(await eventually { box.told("waiting") == ["r1"] })
        let delegate = Clerk()
        var completed = OutboxRequest(.put, "/completed", lane: "x", service: "y")
        completed.fields = ["X-Token": "t"]
        delegate.become(.send(completed))
        box.outbox.register("push", delegate, in: Registrations())
        #expect(await eventually { delegate.heard == [#"r1 201 "n""#] })
        let sent = try #require(box.servers.sent.first)
        #expect(
            sent.call.method == .put && sent.call.fields["X-Token"] == "t" && sent.call.fields["Request-ID"] == "r1"
        )
        await box.stop()
    }

    @Test("a service is not told of a request that it has replaced, only of one removed to make room")
    func replaced() async throws {
        let box = try await Postbox("{ queue: { maxRequests: 2, whenFull: dropOldest } }")
        box.network.set(online: false)
        let delegate = Clerk()
        box.outbox.register("push", delegate, in: Registrations())
        for (id, lane) in [("r1", "a"), ("r2", "b"), ("r3", "b"), ("r4", "c")] {
            _ = try await box.post(id) { request in
                (request.service, request.needsDelegate, request.replacesFormer) = ("push", true, true)
                request.lane = lane
            }
        }
        #expect(box.told("dropped") == ["r2", "r1"])
        #expect(delegate.heard == ["r1 given up 0"])
        await box.stop()
    }

    @Test("a delegate that fails on a response gets it again, and one that waits blocks the lane")
    func again() async throws {
        let box = try await Postbox()
        let delegate = Clerk()
        delegate.become(.wait(because: "no permission", atMost: .seconds(60)))
        box.outbox.register("push", delegate, in: Registrations())
        try await post("r1", to: box)
        #expect(await eventually { box.told("waiting") == ["r1"] })
        #expect(box.servers.sent.isEmpty)
        delegate.become(nil, refusing: 1)
        try await post("r2", to: box)
        box.outbox.drain()
        #expect(await eventually { box.told("waiting") == ["r1", "r1"] })
        try await box.pass(.seconds(2))
        #expect(await eventually { delegate.heard == [#"r1 201 "n""#, #"r2 201 "n""#] })
        #expect(box.servers.ids == ["r1", "r1", "r2"])
        await box.stop()
    }

    /// Lets what it waits for come the first time, before anybody has heard that it waits.
    private final class EarlyClerk: OutboxDelegate {
        private let outbox: any Outbox
        private let asked = Mutex(0)

        init(_ outbox: any Outbox) { self.outbox = outbox }

        func ready(_ item: OutboxItem) async -> OutboxReadiness {
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            guard isFirst else { return .send(item.request) }
            outbox.drain()
            for _ in 0..<500 { await breath() }
            return .wait(because: "it has not come", atMost: .seconds(3_600))
        }
    }

    @Test("a condition may be met before the wait for it is stored")
    func early() async throws {
        let box = try await Postbox()
        box.outbox.register("push", EarlyClerk(box.outbox), in: Registrations())
        try await post("r1", to: box)
        #expect(await eventually { box.told("sent") == ["r1"] })
        await box.stop()
    }

    @Test("a delegate learns about failed requests, and drops obsolete ones")
    func givesUp() async throws {
        let box = try await Postbox()
        let delegate = Clerk()
        box.outbox.register("push", delegate, in: Registrations())
        box.servers.play { _, _ in .answer(410) }
        try await post("r1", to: box)
        #expect(await eventually { delegate.heard == ["r1 given up 410"] && box.told("failed") == ["r1"] })
        delegate.become(.obsolete(because: "signed out"))
        try await post("r2", to: box)
        #expect(await eventually { box.told("dropped") == ["r2"] })
        #expect(box.servers.ids == ["r1"])
        await box.stop()
    }
}
