import Foundation
import Testing
import WireConfig
import WireHTTP
import WireMetricsContract
import WireService

@Suite("The metrics wire format")
struct MetricsWireTests {
    static func message(_ results: [SecurityResult] = []) -> MetricsMessage {
        MetricsMessage(
            clientID: "453de743-207a-4b74-83d6-09a1eb8a2b1f",
            timestamp: 1_519_989_859_342,
            app: .init(id: "com.example.someApp", sdkVersion: "2.4.6", version: "256"),
            device: .init(platform: "linux", platformVersion: "12", device: "cart"),
            results: results
        )
    }

    static let results = [
        SecurityResult(id: "debugger", name: "Debugger Check", isDetected: true),
        SecurityResult(id: "root", name: "Root Check", isDetected: false),
    ]

    static func fixture(_ name: String) throws -> String {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)")
        return try String(contentsOf: url, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    @Test(
        "messages are byte for byte those of AeroGear's SDKs",
        arguments: [("init.json", false), ("security.json", true)]
    )
    func bytes(name: String, isSecurity: Bool) throws {
        let message = Self.message(isSecurity ? Self.results : [])
        let expected = try Self.fixture(name)
        #expect(message.json.text() == expected)
        #expect((try MetricsMessage(parsing: Array(expected.utf8), named: "fixture")) == message)
        #expect(MetricsRules.objection(to: message.json) == nil)
    }

    private static let app = #""app":{"appId":"a"}"#
    private static let device = #""device":{"platform":"ios"}"#

    @Test(
        "rejections of the server are predicted, with its texts",
        arguments: [
            (#"{"type":"init"}"#, "Missing clientId in payload"),
            (#"{"clientId":"","type":"init"}"#, "Missing clientId in payload"),
            (#"{"clientId":"LONG","type":"init"}"#, "clientId exceeded maximum length of 128"),
            (#"{"clientId":"c"}"#, "Missing type in payload"),
            (#"{"clientId":"c","type":""}"#, "Missing type in payload"),
            (#"{"clientId":"c","type":"LONG"}"#, "type exceeded maximum length of 128"),
            (#"{"clientId":"c","type":"EXACT","data":{APP,DEVICE}}"#, "payload type unknown"),
            (#"{"clientId":"c","type":"init","timestamp":1.5}"#, "timestamp must be a valid number"),
            (#"{"clientId":"c","type":"init","timestamp":"1.5"}"#, "timestamp must be a valid number"),
            (#"{"clientId":"c","type":"init","timestamp":"soon"}"#, "invalid JSON payload"),
            (#"{"clientId":"c","type":"init","timestamp":true}"#, "invalid JSON payload"),
            (#"{"clientId":"c","type":"init"}"#, "Missing metrics data in payload"),
            (#"{"clientId":"c","type":"init","data":{}}"#, "Missing metrics data in payload"),
            (#"{"clientId":"c","type":"other","data":{APP,DEVICE}}"#, "payload type unknown"),
            (#"{"clientId":"c","type":"init","data":{DEVICE}}"#, "Missing data.app in payload"),
            (#"{"clientId":"c","type":"init","data":{"security":[]}}"#, "Missing data.app in payload"),
            (#"{"clientId":"c","type":"init","data":{APP}}"#, "Missing data.device in payload"),
            (
                #"{"clientId":"c","type":"security","data":{APP,DEVICE}}"#,
                "Missing data.security in security-type payload"
            ),
            (#"{"clientId":"c","type":"security","data":{APP,DEVICE,"security":[]}}"#, "data.security cannot be empty"),
            (
                #"{"clientId":"c","type":"security","data":{APP,DEVICE,"security":[MANY]}}"#,
                "maximum length of data.security 30"
            ),
            (
                #"{"clientId":"c","type":"security","data":{APP,DEVICE,"security":[ONE,{"id":"a","name":"b"}]}}"#,
                "invalid element in data.security at position 1, id|name|passed must be included"
            ),
            (
                #"{"clientId":"c","type":"security","data":{APP,DEVICE,"security":[ONE,{"id":"a","name":"b","passed":null}]}}"#,
                "invalid element in data.security at position 1, id|name|passed must be included"
            ),
            (
                #"{"clientId":"c","type":"security","data":{APP,DEVICE,"security":[{"name":"b","passed":true}]}}"#,
                "invalid element in data.security at position 0, id|name|passed must be included"
            ),
            (#"{"clientId":"c","type":"init","data":{"app":{"appId":5},DEVICE}}"#, "invalid JSON payload"),
            (#"{"clientId":5,"type":"init"}"#, "invalid JSON payload"), ("[]", "invalid JSON payload"),
            (#"{"clientId":"c","type":"init","data":5}"#, "invalid JSON payload"),
            (#"{"clientId":"c","type":"security","data":{APP,DEVICE,"security":[5]}}"#, "invalid JSON payload"),
        ]
    )
    func refused(text: String, objection: String) throws {
        #expect(MetricsRules.objection(to: try Self.json(text)) == objection)
    }

    @Test(
        "valid messages are accepted",
        arguments: [
            #"{"clientId":"c","type":"init","data":{APP,DEVICE}}"#,
            #"{"clientId":"c","timestamp":"15","type":"init","data":{APP,DEVICE},"more":1}"#,
            #"{"clientId":"c","timestamp":null,"type":"security","data":{APP,DEVICE,"security":[ONE]}}"#,
            #"{"clientId":"EXACT","type":"security","data":{APP,DEVICE,"security":[MOST]}}"#,
        ]
    )
    func taken(text: String) throws {
        #expect(MetricsRules.objection(to: try Self.json(text)) == nil)
    }

    private static func json(_ text: String) throws -> JSONValue {
        let one = #"{"id":"a","name":"b","passed":false}"#
        let whole = text.replacingOccurrences(of: "LONG", with: String(repeating: "x", count: 129))
            .replacingOccurrences(of: "EXACT", with: String(repeating: "x", count: 128))
            .replacingOccurrences(of: "MANY", with: Array(repeating: one, count: 31).joined(separator: ","))
            .replacingOccurrences(of: "MOST", with: Array(repeating: one, count: 30).joined(separator: ","))
            .replacingOccurrences(of: "ONE", with: one).replacingOccurrences(of: "APP", with: app)
            .replacingOccurrences(of: "DEVICE", with: device)
        return try JSONValue(parsing: Array(whole.utf8), named: "message")
    }
}
