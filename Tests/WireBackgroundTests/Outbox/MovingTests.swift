import Support
import Testing
import WireConfig
import WireHTTP
import WireTelemetry
import Workbench

@Suite("Moving requests to another lane")
struct MovingTests {
    @Test("a blocking request waits in the new lane, and the requests behind it are sent")
    func moved() async throws {
        let box = try await Postbox()
        _ = try await box.ask(.post, "/v1/outbox/pause", #"{"lane":"slow"}"#)
        _ = try await box.ask(.post, "/v1/outbox/pause", #"{"lane":"a"}"#)
        for id in ["r1", "r2"] { _ = try await box.post(id, lane: "a") }
        let answer = try await box.ask(.post, "/v1/outbox/r1/lane", #"{"lane":"slow"}"#)
        #expect(answer.status == 204)
        #expect(try await box.ask(.get, "/v1/outbox/r1").json["lane"]?.string == "slow")
        #expect(box.bench.events(named: "outbox.moved").map { $0.data["id"]?.string } == ["r1"])
        _ = try await box.ask(.post, "/v1/outbox/resume", #"{"lane":"a"}"#)
        #expect(await eventually { box.told("sent") == ["r2"] })
        _ = try await box.ask(.post, "/v1/outbox/resume", #"{"lane":"slow"}"#)
        #expect(await eventually { box.told("sent") == ["r2", "r1"] })
        #expect(try await box.ask(.post, "/v1/outbox/r1/lane", #"{"lane":"b"}"#).status == 404)
        await box.stop()
    }

    @Test(
        "an invalid lane is rejected, and the request stays",
        arguments: [#"{"lane":""}"#, #"{"lane":"a\u202eb"}"#, "{}", #"{"lane":7}"#, #"{"lane":"b","id":"r2"}"#]
    )
    func refused(body: String) async throws {
        let box = try await Postbox()
        _ = try await box.ask(.post, "/v1/outbox/pause")
        _ = try await box.post("r1", lane: "a")
        #expect(try await box.ask(.post, "/v1/outbox/r1/lane", body).status == 400)
        #expect(try await box.ask(.get, "/v1/outbox/r1").json["lane"]?.string == "a")
        await box.stop()
    }
}
