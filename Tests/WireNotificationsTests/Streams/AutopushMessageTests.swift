import Testing
import WireBase

@testable import WireNotifications

@Suite("Messages of a service with Mozilla's protocol")
struct AutopushMessageTests {
    private static func reason(_ text: String, isLocal: Bool = false) -> String? {
        do throws(Fault) {
            _ = try AutopushAnswer(Array(text.utf8), isLocal: isLocal)
            return nil
        } catch {
            return error.reason
        }
    }

    private static func register(_ endpoint: String, isLocal: Bool = false) -> String? {
        reason(
            #"{"messageType":"register","channelID":"c","status":200,"pushEndpoint":"\#(endpoint)"}"#,
            isLocal: isLocal
        )
    }

    @Test("endpoints use TLS, unless the service is on this machine")
    func endpoints() {
        #expect(Self.register("https://push.example.com/wpush/v1/x") == nil)
        #expect(Self.register("http://127.0.0.1:80/x", isLocal: true) == nil)
        for endpoint in [
            "http://127.0.0.1:80/x", "gopher://localhost/x", "http://example.com/x", "", "no url", "https://a b",
        ] {
            #expect(Self.register(endpoint) == "the service sent an invalid endpoint: expected an https URL")
        }
        for endpoint in ["http://example.com/x", "gopher://localhost/x"] {
            #expect(
                Self.register(endpoint, isLocal: true) == "the service sent an invalid endpoint: expected an https URL"
            )
        }
        #expect(Self.register("https://example.com/" + String(repeating: "a", count: 1_024)) != nil)
    }

    @Test(
        "messages that break the protocol are rejected",
        arguments: [
            "", "[]", "null", "{", "\u{0}", #"{"messageType":"hello","status":500,"uaid":"a"}"#,
            #"{"messageType":"hello","status":200}"#, #"{"messageType":"hello","status":200,"uaid":" "}"#,
            #"{"messageType":"hello","status":200,"uaid":7}"#, #"{"messageType":"notification","channelID":"c"}"#,
            #"{"messageType":"notification","channelID":"c","version":""}"#,
            #"{"messageType":"register","status":200,"channelID":"c","pushEndpoint":{}}"#,
        ]
    )
    func broken(text: String) {
        #expect(Self.reason(text) != nil)
    }

    @Test("numbers and types out of range trap nothing")
    func strange() throws {
        for text in [
            #"{"messageType":"register","status":99999999999999999999999,"channelID":7}"#,
            #"{"messageType":"unregister","status":-9223372036854775808}"#, #"{"messageType":7}"#, "{}",
            #"{"messageType":"notification","version":"v","channelID":null,"data":"%%%","headers":[]}"#,
        ] {
            #expect(Self.reason(text) == nil, "\(text)")
        }
    }
}
