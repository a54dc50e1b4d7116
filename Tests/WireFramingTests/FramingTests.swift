import FramingConformance
import Testing
import WireFraming

@Suite("Frames of WebSockets by libwslay")
struct FramingTests {
    @Test("every rule of framings holds at both ends", arguments: FramingConformance.all)
    func holds(rule: FramingConformance) throws {
        let frames = WslayFraming().begin(as: rule.role, limit: FramingConformance.limit)
        try rule.check(try #require(frames))
    }
}
