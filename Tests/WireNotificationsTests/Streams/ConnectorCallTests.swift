import Testing
import WireMessageBus

@testable import WireNotifications

@Suite("Calls of a UnifiedPush distributor")
struct ConnectorCallTests {
    private static func options(_ options: [(name: String, value: BusValue)]) -> [BusValue] { [.options(options)] }

    @Test("the methods of both versions are read alike")
    func both() throws {
        let endpoint = "https://push.example.com/up/1"
        let calls: [(String, [BusValue], [BusValue], ConnectorCall)] = [
            (
                "NewEndpoint", [.string("t"), .string(endpoint)],
                Self.options([("token", .string("t")), ("endpoint", .string(endpoint)), ("more", .byte(1))]),
                .newEndpoint(endpoint, of: "t")
            ),
            (
                "Message", [.string("t"), .bytes([1, 2]), .string("a")],
                Self.options([("token", .string("t")), ("message", .bytes([1, 2])), ("id", .string("a"))]),
                .message(.init(body: [1, 2], id: "a"), of: "t")
            ),
            (
                "Message", [.string("t"), .string("ab"), .string("")],
                Self.options([("token", .string("t")), ("message", .bytes([97, 98]))]),
                .message(.init(body: [97, 98], id: nil), of: "t")
            ),
            ("Unregistered", [.string("t")], Self.options([("token", .string("t"))]), .unregistered("t")),
        ]
        for (member, first, second, call) in calls {
            #expect(try ConnectorCall(member, first, .first) == call)
            #expect(try ConnectorCall(member, second, .second) == call)
        }
    }

    @Test("only a message with an id has one in the reply of the second version")
    func replies() {
        let message = ConnectorCall.message(.init(body: [], id: "a"), of: "t")
        #expect(message.reply(.second) == [.options([("id", .string("a"))])])
        #expect(message.reply(.first) == [])
        for call in [ConnectorCall.message(.init(body: [], id: nil), of: "t"), .unregistered("t")] {
            #expect(call.reply(.second) == [.options([])])
        }
    }

    @Test("an endpoint is a short URL of 'https', or of this machine")
    func endpoints() {
        let long = "https://example.com/" + String(repeating: "a", count: 1_005)
        let bad = ["", "http://example.com/up", "ftp://example.com", "https://exa mple.com", "nonsense", long]
        for text in bad { #expect(!PushEndpoint.isValid(text, fromHere: true), "\(text)") }
        for text in ["https://example.com/up", "http://127.0.0.1:7430/up", String(long.dropLast())] {
            #expect(PushEndpoint.isValid(text, fromHere: true), "\(text)")
        }
        #expect(!PushEndpoint.isValid("http://127.0.0.1:7430/up", fromHere: false))
    }

    @Test("the second version is taken unless only the first one is there")
    func versions() {
        let first = #"<interface name="org.unifiedpush.Distributor1"/>"#
        let second = #"<interface name='org.unifiedpush.Distributor2'/>"#
        #expect(UnifiedPush.Version(describedBy: first) == .first)
        for text in [second, first + second, "", "<node/>"] {
            #expect(UnifiedPush.Version(describedBy: text) == .second)
        }
    }

    @Test("a name that only looks like one of a distributor is none")
    func names() {
        let rule = BusRule(interface: "a.b", path: "/", firstNamespace: "org.unifiedpush.Distributor")
        func lets(_ name: String) -> Bool { rule.lets(BusSignal("M", of: "a.b", at: "/", [.string(name)])) }
        #expect(lets("org.unifiedpush.Distributor.kde") && lets("org.unifiedpush.Distributor"))
        #expect(!lets("org.unifiedpush.Distributor2") && !lets("org.unifiedpush") && !lets(""))
        #expect(!rule.lets(BusSignal("M", of: "a.b", at: "/", [.uint32(1)])))
    }
}
