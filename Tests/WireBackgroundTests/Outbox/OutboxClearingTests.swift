import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireWorkContract
import Workbench

@Suite("Requests are cleared")
struct OutboxClearingTests {
    @Test("those of people go, with what became of others; those of the device stay and arrive")
    func user() async throws {
        let box = try await Postbox()
        _ = try await box.post("done") { $0.body = Array("canary-of-ada".utf8) }
        #expect(await eventually { box.told("sent") == ["done"] })
        box.network.set(online: false)
        _ = try await box.post("r1") { $0.body = Array("canary-of-ada".utf8) }
        _ = try await box.post("r2", lane: "device") { $0.isOfDevice = true }
        _ = try await box.ask(.post, "/v1/outbox/pause", #"{"lane":"ada"}"#)
        let told = try await box.bench.clear(.user)
        #expect(told["queued requests"] == 1 && told["results of requests"] == 1)
        #expect(try await box.ask(.get, "/v1/outbox/done").status == 404)
        #expect(try await box.ask(.get, "/v1/outbox/r1").status == 404)
        #expect(try await box.ask(.get, "/v1/outbox/r2").status == 200)
        box.network.set(online: true)
        #expect(await eventually { box.told("sent") == ["done", "r2"] })
        // Nothing is paused in the name of who is gone, and again there is nothing.
        _ = try await box.post("r3")
        #expect(await eventually { box.told("sent").contains("r3") })
        #expect(box.servers.ids == ["done", "r2", "r3"])
        await box.stop()
    }

    @Test("one that is on its way is called off, and nothing of it is written down again")
    func underWay() async throws {
        let box = try await Postbox()
        box.servers.play { sent, _ in sent.id == "r1" ? .held(OneShot()) : .answer(200) }
        _ = try await box.post("r1")
        #expect(await eventually { box.servers.ids == ["r1"] })
        _ = try await box.bench.clear(.environment, underWay: true)
        #expect(try await box.ask(.get, "/v1/outbox/r1").status == 404)
        _ = try await box.post("r2")
        #expect(await eventually { box.told("sent").contains("r2") })
        #expect(try await box.ask(.get, "/v1/outbox/r1").status == 404)
        #expect(try await box.bench.clear(.all)["queued requests"] == 0)
        await box.stop()
    }
}
