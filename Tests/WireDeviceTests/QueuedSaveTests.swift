import Support
import Testing
import WireDevice
import WireDeviceContract
import WireHTTP
import WireWorkContract

@Suite("Saves of the device that wait in the outbox", .timeLimit(.minutes(1)))
struct QueuedSaveTests {
    @Test("a late request for a former revision that replaces the present one sends the present one")
    func slowPost() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        bench.outbox.delay()
        try await bench.service.change { $0.email = "ada@example.com" }
        try await bench.service.change { $0.email = "grace@example.com" }
        let later = bench.outbox.waiting.map(\.id)
        try await bench.outbox.arrive()
        #expect(bench.outbox.waiting.count == 1 && bench.outbox.waiting.map(\.id) != later)
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(bench.server.asked.map(\.method) == ["POST", "PUT"])
        #expect(bench.server.asked.last?.body.contains("grace") == true)
        #expect(try await bench.registration() == "registered")
        await bench.end()
    }

    @Test("a removal that waits survives a new registration, in order")
    func removedAndRegistered() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(try await bench.ask(.delete, "/v1/device").status == 204)
        #expect(try await bench.ask(.post, "/v1/device/register").status == 202)
        try await bench.service.change { $0.email = "ada@example.com" }
        bench.server.answer(204)
        try await bench.deliver()
        bench.server.answer(200, #"{"id":"d2"}"#)
        try await bench.deliver()
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST"])
        #expect(bench.outbox.waiting.count <= 1)
        // From now on a change replaces the one before.
        for name in ["a", "b", "c"] { try await bench.service.change { $0.addTags([DeviceTag(name, "1")]) } }
        #expect(bench.outbox.waiting.count == 1)
        await bench.end()
    }
}
