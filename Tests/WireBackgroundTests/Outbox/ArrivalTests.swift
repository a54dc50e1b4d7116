import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireWorkContract
import Workbench

@Suite("Delivery of outbox requests")
struct ArrivalTests {
    @Test("an accepted request is sent with its id, and its response can be read later")
    func arrives() async throws {
        let box = try await Postbox()
        box.servers.play { _, _ in .answer(201, ["Content-Type": "text/plain"], "made") }
        let taken = try await box.post("r1") { $0.body = Array("hello".utf8) }
        #expect(taken.isNew && taken.id == "r1")
        #expect(await eventually { box.told("sent") == ["r1"] })
        let sent = try #require(box.servers.sent.first)
        #expect(sent.call.fields["Request-ID"] == "r1")
        #expect(sent.call.retries == 0 && !sent.call.waitsForNetwork && sent.call.isRepeatable)
        let look = try await box.ask(.get, "/v1/outbox/r1")
        #expect(look.status == 200)
        #expect(look.json["state"]?.string == "sent")
        #expect(look.json["answer"]?["status"]?.integer == 201)
        #expect(look.json["answer"]?["text"]?.string == "made")
        await box.stop()
    }

    @Test("requests of a lane are delivered in order, and a failing one blocks only its lane")
    func order() async throws {
        let box = try await Postbox()
        box.servers.play { sent, attempt in sent.id == "a1" && attempt == 0 ? .answer(503) : .answer(200) }
        for id in ["a1", "a2", "a3"] { _ = try await box.post(id, lane: "a") }
        for id in ["b1", "b2"] { _ = try await box.post(id, lane: "b") }
        #expect(await eventually { box.told("sent") == ["b1", "b2"] || box.told("sent").count > 2 })
        // The lanes are worked on beside each other: the other one may end first.
        #expect(await eventually { box.told("waiting") == ["a1"] })
        #expect(Set(box.servers.ids) == ["a1", "b1", "b2"])
        try await box.pass(.seconds(2))
        #expect(await eventually { box.told("sent").count == 5 })
        #expect(box.servers.ids.filter { $0.hasPrefix("a") } == ["a1", "a1", "a2", "a3"])
        await box.stop()
    }

    @Test("a queued request is untried until an attempt to send it begins", arguments: [true, false])
    func untried(isHeld: Bool) async throws {
        let box = try await Postbox()
        let barrier = OneShot()
        box.servers.play { sent, _ in sent.id != "r1" ? .answer(201) : isHeld ? .held(barrier) : .answer(503) }
        for id in ["r1", "r2"] { _ = try await box.post(id) }
        #expect(await eventually { isHeld ? box.servers.ids == ["r1"] : box.told("waiting") == ["r1"] })
        #expect(await !box.outbox.isUntried("r1"))
        #expect(await box.outbox.isUntried("r2"))
        #expect(await !box.outbox.isUntried("r3"))
        barrier.fire()
        await box.stop()
    }

    @Test("a queued request is not untried once a worker has lost its claim: it may have been sent")
    func lostClaim() async throws {
        let (box, barrier) = (try await Postbox("{ queue: { parallel: 1 } }"), OneShot())
        box.servers.play { _, _ in .held(barrier) }
        _ = try await box.post("r1", lane: "a")
        #expect(await eventually { box.servers.ids == ["r1"] })
        // No worker of this outbox is free for it; the one that claims it does not extend its claim.
        _ = try await box.post("r2", lane: "b")
        let queue: any WorkQueue = box.bench.store
        #expect(await box.outbox.isUntried("r2"))
        #expect(try await queue.claim(from: box.queue, for: .seconds(1))?.id == "r2")
        try await box.pass(.seconds(2))
        #expect(try await queue.find("r2", in: box.queue)?.item.isLost == true)
        #expect(await !box.outbox.isUntried("r2"))
        barrier.fire()
        await box.stop()
    }

    @Test("an id is accepted once, while queued, after delivery and after a restart")
    func once() async throws {
        let folder = try TemporaryFolder()
        let box = try await Postbox(in: folder)
        box.network.set(online: false)
        #expect(try await box.post("r1").isNew)
        #expect(try await !box.post("r1").isNew)
        box.network.set(online: true)
        #expect(await eventually { box.told("sent") == ["r1"] })
        #expect(try await !box.post("r1").isNew)
        await box.stop()
        let next = try await Postbox(in: folder, servers: box.servers)
        #expect(try await !next.post("r1").isNew)
        #expect(try await next.ask(.get, "/v1/outbox/r1").json["state"]?.string == "sent")
        await next.stop()
        #expect(box.servers.ids == ["r1"])
    }

    @Test("a request accepted before a crash is sent by the next run")
    func nextRun() async throws {
        let folder = try TemporaryFolder()
        let box = try await Postbox(in: folder)
        box.servers.play { _, _ in .failure(CallFailure(.offline, "there is no network", wasNotSent: true)) }
        for number in 0..<5 { _ = try await box.post("r\(number)") }
        #expect(await eventually { box.servers.sent.count >= 1 })
        await box.kill()
        let next = try await Postbox(in: folder)
        #expect(await eventually { next.told("sent").count == 5 })
        #expect(next.servers.ids == (0..<5).map { "r\($0)" })
        await next.stop()
    }

    @Test("a program posts over the local API, and sees queued requests without private data")
    func overTheAPI() async throws {
        let box = try await Postbox()
        box.network.set(online: false)
        let post = try await box.ask(
            .post,
            "/v1/outbox",
            #"{"path":"/x?key=q-secret","id":"r1","lane":"ada","headers":{"X-Key":"f-secret"},"json":{"password":"b-secret","n":1}}"#
        )
        #expect(post.status == 202)
        #expect(post.json["id"]?.string == "r1" && post.json["new"]?.boolean == true)
        #expect(try await box.ask(.post, "/v1/outbox", #"{"path":"/x","id":"r1"}"#).status == 200)
        let list = try await box.ask(.get, "/v1/outbox")
        #expect(list.json["waiting"]?.integer == 1)
        let entry = try #require(list.json["requests"]?.array?.first)
        #expect(entry["method"]?.string == "POST" && entry["path"]?.string == "/x" && entry["lane"]?.string == "ada")
        #expect(!list.json.text().contains("secret"))
        let shown = try await box.ask(.get, "/v1/outbox/r1?content=true").json
        #expect(shown["request"]?["json"]?["n"]?.integer == 1)
        #expect(!shown.text().contains("secret"))
        await box.stop()
    }

    @Test("a request uses only tokens that its caller may use, and sends everything else")
    func rights() async throws {
        let box = try await Postbox()
        _ = try await box.post("r1") { request in
            request.tokenRights = TokenRights(modes: ["app"], scopes: ["a"])
            request.authorization = .token(.app)
            request.fields = ["X-One": "1", "X-Two": "2"]
            request.body = Array("body".utf8)
        }
        _ = try await box.post("r2") { $0.tokenRights = .none }
        _ = try await box.post("r3")
        #expect(await eventually { box.told("sent").count == 3 })
        let calls = box.servers.sent.map(\.call)
        #expect(calls.map(\.tokenRights) == [TokenRights(modes: ["app"], scopes: ["a"]), .none, .all])
        #expect(calls[0].fields["X-One"] == "1" && calls[0].fields["X-Two"] == "2")
        guard case .bytes(let body) = calls[0].body else { throw Postbox.Missing() }
        #expect(body == Array("body".utf8))
        await box.stop()
    }
}
