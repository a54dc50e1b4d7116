import FramingConformance
import Testing
import WireBase
import WireFraming
import WireHTTP

@Suite("WebSocket framing by libwslay")
struct FramingTests {
    @Test("both ends pass the framing conformance rules", arguments: FramingConformance.all)
    func holds(rule: FramingConformance) throws {
        let frames = WslayFraming().begin(as: rule.role, limit: FramingConformance.limit)
        try rule.check(try #require(frames))
    }

    @Test("binary messages are accepted where they are asked for, within the same limit")
    func binary() throws {
        let frames = try #require(WslayFraming().begin(as: .client, limit: .bytes(4), acceptsBinary: true))
        #expect(frames.consume([0x02, 2, 0xff, 0]) == [])
        #expect(frames.consume([0x80, 1, 7]) == [.binary([0xff, 0, 7])])
        #expect(frames.consume([0x81, 1, 0x61]) == [.text("a")])
        let refused = frames.consume([0x82, 5, 1, 2, 3, 4, 5])
        guard case .refused(let close)? = refused.first else { throw Unexpected(refused) }
        #expect(close.code == 1_009)
    }

    private struct Unexpected: Error {
        let events: [WebSocketEvent]

        init(_ events: [WebSocketEvent]) { self.events = events }
    }
}
