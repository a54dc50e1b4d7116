import Testing
import WireHTTP
import WirePush

@Suite("Stored push tokens and registrations")
struct StoredPushTests {
    /// As version 1.0 wrote them.
    private static let registrations = [
        #"{"version":1,"ids":2,"wish":"registered","revision":0}"#,
        """
        {"version":1,"ids":2,"wish":"suspended","revision":7,"told":{"provider":"apns","token":"aa","server":"s",\
        "facts":"f","suspended":true,"user":"ada","since":1,"at":2},"asked":{"kind":"update","target":"t","id":"i",\
        "wished":true},"refusal":{"kind":"unregister","reason":"r","status":403,"servers":false,"words":true,\
        "target":"t","at":3}}
        """,
    ]
    private static let tokens = [
        #"{"version":1,"handed":[],"made":[],"jwts":{},"cleared":{},"quiet":[]}"#,
        """
        {"version":1,"handed":[{"provider":"apns","token":"aa"}],"manual":{"provider":"huawei","token":"m"},\
        "made":[{"provider":"firebase","token":"b"}],"providers":["firebase","apns"],"jwts":{"a":"x","b":"y"},\
        "cleared":{"*":2,"u1":1},"quiet":["*"]}
        """,
    ]

    @Test("a registration is read whole, and written byte for byte", arguments: registrations)
    func sameRegistration(text: String) throws {
        let record = try Registration(parsing: Array(text.utf8), named: "registration", toleratesUnknown: true)
        #expect(String(decoding: record.bytes, as: UTF8.self) == text)
    }

    @Test("tokens are read whole, and written byte for byte", arguments: tokens)
    func sameTokens(text: String) throws {
        let record = try StoredTokens(parsing: Array(text.utf8), named: "tokens", toleratesUnknown: true)
        #expect(String(decoding: record.bytes, as: UTF8.self) == text)
    }

    @Test("a registration with another installation's id is repeated; unreadable ones are skipped")
    func lenient() throws {
        let text =
            #"{"version":1,"wish":"later","told":{"provider":"apns","token":"a","facts":"f"},"asked":{"kind":"x"}}"#
        let record = try Registration(parsing: Array(text.utf8), named: "registration", toleratesUnknown: true)
        let expected = """
            {"version":1,"ids":2,"wish":"registered","revision":0,"told":{"provider":"apns","token":"a","server":"",\
            "facts":"","suspended":false,"since":0,"at":0}}
            """
        #expect(String(decoding: record.bytes, as: UTF8.self) == expected)
        let odd = #"{"version":1,"handed":[{"provider":"new","token":"x"},{"provider":"apns","token":"y"}]}"#
        let tokens = try StoredTokens(parsing: Array(odd.utf8), named: "tokens", toleratesUnknown: true)
        let kept =
            #"{"version":1,"handed":[{"provider":"apns","token":"y"}],"made":[],"jwts":{},"cleared":{},"quiet":[]}"#
        #expect(String(decoding: tokens.bytes, as: UTF8.self) == kept)
    }
}
