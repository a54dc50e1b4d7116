import Support
import Testing
import WireBase
import WireConfig
import WireDevice
import WireDeviceContract
import WireHTTP
import WireService
import Workbench

@Suite("The HALO wire format of devices")
struct DeviceWireTests {
    /// As HALO writes a device it does not know yet.
    private static let new =
        #"{"email":"ada@example.com","alias":"cart-17","devices":[{"platform":"ios","token":"aabbcc"}],"#
        + #""tags":[{"name":"ward","value":"3B","tagType":"000000000000000000000002"}]}"#

    /// As it writes one that the server has told the id of.
    private static let known =
        #"{"id":"59d4b8a1","appId":7,"email":"ada@example.com","alias":"cart-17","#
        + #""devices":[{"platform":"ios","token":"ddeeff"}],"#
        + #""tags":[{"id":"t1","name":"ward","value":"3B","tagType":"000000000000000000000002"}],"#
        + #""createdAt":1519989859342,"updatedAt":1519989859343,"replaceTokens":true}"#

    private static let section = "device: { alias: cart-17, email: ada@example.com, tags: { ward: 3B } }"

    private static let answer =
        #"{"id":"59d4b8a1","appId":7,"customerId":1,"email":"ada@example.com","alias":"cart-17","devices":null,"#
        + #""tags":[{"id":"t1","name":"ward","value":"3B","tagType":"000000000000000000000002"}],"#
        + #""createdAt":1519989859342.0,"updatedAt":"1519989859343","deletedAt":null}"#

    @Test("a new device is posted, and a known one is put with its id and all tokens")
    func saved() async throws {
        let bench = try await DeviceBench(Self.section)
        _ = await eventually { !bench.outbox.waiting.isEmpty }
        _ = try await bench.ask(.patch, "/v1/device", #"{"tokens":{"ios":"aabbcc"}}"#)
        bench.server.answer(200, Self.answer)
        try await bench.deliver()
        let post = try #require(bench.server.asked.last)
        #expect(post.method == "POST")
        #expect(post.path == "api/segmentation/appuser")
        #expect(post.body == Self.new)
        #expect(try await bench.registration() == "registered")

        _ = try await bench.ask(.patch, "/v1/device", #"{"tokens":{"ios":"ddeeff"}}"#)
        #expect(try await bench.registration() == "pending")
        bench.server.answer(200, Self.answer)
        try await bench.deliver()
        let put = try #require(bench.server.asked.last)
        #expect(put.method == "PUT")
        #expect(put.path == "api/segmentation/appuser/59d4b8a1")
        #expect(put.body == Self.known)
        await bench.end()
    }

    @Test("facts of the machine are system tags, if known and declared")
    func facts() async throws {
        var machine = MachineFacts()
        (machine.platform, machine.systemVersion, machine.model) = ("Linux", "12", "T14")
        machine.hasNFC = false
        let section =
            "device: { alias: a, systemTags: true, facts: [platform, applicationVersion, nfc, type, testDevice] }"
        for (environment, isTest) in [("prod", false), ("qa", true)] {
            let bench = try await DeviceBench(section, environment: environment, machine: machine)
            bench.server.answer(200, #"{"id":1}"#)
            try await bench.deliver()
            let system = "\"tagType\":\"000000000000000000000001\""
            let expected =
                #"{"alias":"a","devices":[],"tags":[{"name":"Platform Name","value":"Linux",\#(system)},"#
                + #"{"name":"Application Version","value":"1.4.0",\#(system)},"#
                + #"{"name":"NFC Support","value":"false",\#(system)}"#
                + (isTest ? #",{"name":"Test Device","value":"true",\#(system)}"# : "") + "]}"
            #expect(bench.server.asked.last?.body == expected)
            #expect(bench.service.device.id == "1")
            await bench.end()
        }
    }

    @Test(
        "a response without an id is invalid, and the device is saved again",
        arguments: ["", "[]", "{}", #"{"id":null}"#, #"{"id":""}"#, #"{"id":{}}"#, "<html>"]
    )
    func strangeAnswers(body: String) async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, body)
        await #expect(throws: Fault.self) { try await bench.deliver() }
        #expect(try await bench.registration() == "pending")
        bench.server.answer(201, #"{"id":"x"}"#)
        try await bench.deliver()
        #expect(try await bench.registration() == "registered")
        await bench.end()
    }
}
