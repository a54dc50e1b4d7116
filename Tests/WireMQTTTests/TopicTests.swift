import Testing
import WireMQTT

@Suite("Topics of MQTT")
struct TopicTests {
    @Test("names have no wildcards", arguments: ["a", "/", "wards/3B", "$SYS/x", " ", "a//b"])
    func names(text: String) { #expect(TopicName(text)?.text == text) }

    @Test("texts that are no names", arguments: ["", "a/+", "#", "a\u{0}", "a+", "+\u{301}"])
    func noNames(text: String) { #expect(TopicName(text) == nil) }

    @Test("a name has at most 65535 bytes")
    func longest() {
        #expect(TopicName(String(repeating: "a", count: 65_535)) != nil)
        #expect(TopicName(String(repeating: "a", count: 65_536)) == nil)
    }

    @Test(
        "filters have a wildcard as a whole level, '#' only as the last",
        arguments: ["#", "+", "a/#", "+/a/+", "/+", "a/+/#", "$share/g/#", "$share/g/a/b", "$share/g//", "a/$share"]
    )
    func filters(text: String) { #expect(TopicFilter(text)?.text == text) }

    @Test(
        "texts that are no filters",
        arguments: [
            "", "a#", "#/a", "a+/b", "a/b+", "##", "$share", "$share/g", "$share/g/", "$share//a", "$share/g+/a",
            "a/#\u{301}", "a\u{0}",
        ]
    )
    func noFilters(text: String) { #expect(TopicFilter(text) == nil) }

    @Test("a shared filter has a group")
    func groups() {
        #expect(TopicFilter("$share/carts/a/#")?.group == "carts")
        #expect(TopicFilter("a/$share/b")?.group == nil)
    }
}
