import Support
import Testing
import WireBase
import WireDevice
import WireDeviceContract
import WireService
import WireStore
import WireWorkContract
import Workbench

@Suite("What is known of the device is cleared")
struct DeviceClearingTests {
    @Test("what was said of people goes, here and at the server; the device stays what the file says")
    func user() async throws {
        let bench = try await DeviceBench("device: { tags: { ward: 3B } }")
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        try await bench.service.change { device in
            device.email = "canary@example.com"
            device.addTags([DeviceTag("nurse", "canary-ada")])
            device.setToken("token-1", of: "ios")
        }
        let alias = bench.service.device.alias
        let told = try await bench.bench.clear(.user)
        #expect(told["tags of the device"] == 1 && told["e-mail addresses of the device"] == 1)
        let device = bench.service.device
        #expect(device.alias == alias && device.email == nil && device.id == "d1")
        #expect(device.tags.map(\.name) == ["ward"] && device.tokens.map(\.token) == ["token-1"])
        // Whatever waited was to say it: the last one says what is so now, and is the device's own.
        #expect(bench.outbox.waiting.last?.isOfDevice == true)
        #expect(bench.outbox.waiting.last?.isLocal == true)
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains("canary") == false)
        #expect(try await bench.bench.clear(.user)["tags of the device"] == 0)
        await bench.end()
    }

    @Test("with the environment the device goes, and begins anew under another name")
    func environment() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        let alias = bench.service.device.alias
        // Whom it meets under the other name.
        bench.server.answer(200, #"{"id":"d2"}"#)
        #expect(try await bench.bench.clear(.environment)["records of the device"] == 2)
        #expect(bench.service.device.alias != alias && bench.service.device.id != "d1")
        #expect(bench.service.device.alias.count == 36)
        #expect(try !bench.bench.holds(alias))
        await bench.end()
    }
}
