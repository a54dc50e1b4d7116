import FramingConformance
import Testing
import WireFraming

@Suite("Frames of WebSockets by libwslay")
struct FramingTests {
    @Test("every rule of framings holds", arguments: FramingConformance.all)
    func holds(rule: FramingConformance) throws {
        try rule.check(try #require(WslayFraming().begin(limit: FramingConformance.limit)))
    }
}
