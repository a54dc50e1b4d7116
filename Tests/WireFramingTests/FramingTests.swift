import FramingConformance
import Testing
import WireFraming

@Suite("WebSocket framing by libwslay")
struct FramingTests {
    @Test("both ends pass the framing conformance rules", arguments: FramingConformance.all)
    func holds(rule: FramingConformance) throws {
        let frames = WslayFraming().begin(as: rule.role, limit: FramingConformance.limit)
        try rule.check(try #require(frames))
    }
}
