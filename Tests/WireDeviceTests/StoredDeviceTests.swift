import Testing
import WireDevice
import WireHTTP

@Suite("The stored format of a device")
struct StoredDeviceTests {
    /// As version 1.0 wrote it.
    private static let whole = """
        {"version":1,"id":"d1","email":"ada@example.com","alias":"cart","tokens":[{"platform":"ios","token":"aa"}],\
        "tags":[{"name":"x","value":"y"},{"name":"os","value":"z","system":true,"id":"t1"},{"name":"empty"}],"appId":3,\
        "created":1,"updated":2,"server":"s","revision":4,"saved":3,"savedAt":5,"since":6,"removed":true,"removal":3,"declared":["x"],\
        "refusal":"r","refused":2,"formerRevision":1}
        """
    private static let least = """
        {"version":1,"alias":"","tokens":[],"tags":[],"revision":1,"saved":0,"declared":[],"refused":0,"formerRevision":0}
        """

    @Test("a stored device is read whole, and written byte for byte", arguments: [whole, least])
    func same(text: String) throws {
        let record = try DeviceRecord(parsing: Array(text.utf8), named: "device", toleratesUnknown: true)
        #expect(String(decoding: record.bytes, as: UTF8.self) == text)
    }

    @Test("unreadable list items, and members of newer versions, are skipped")
    func lenient() throws {
        let text = #"{"version":1,"alias":"a","tokens":[{"platform":"ios"},{"platform":"x","token":"t"},7],"new":1}"#
        let record = try DeviceRecord(parsing: Array(text.utf8), named: "device", toleratesUnknown: true)
        let expected = """
            {"version":1,"alias":"a","tokens":[{"platform":"x","token":"t"}],"tags":[],"revision":1,"saved":0,\
            "declared":[],"refused":0,"formerRevision":1}
            """
        #expect(String(decoding: record.bytes, as: UTF8.self) == expected)
    }
}
