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

    @Test("texts are the same by their bytes only")
    func bytes() {
        #expect(TopicName("e\u{301}") != TopicName("\u{e9}"))
        #expect(TopicFilter("e\u{301}/#") != TopicFilter("\u{e9}/#"))
        #expect(Set([TopicFilter("a/#"), TopicFilter("a/#")]).count == 1)
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

    @Test(
        "a filter matches topics level by level",
        arguments: [
            ("a/b", "a/b", true), ("a/b", "a", false), ("a", "a/b", false), ("a/+", "a/b", true), ("a/+", "a", false),
            ("a/+", "a/", true), ("a/+", "a/b/c", false), ("+", "a", true), ("+", "/a", false), ("/+", "/a", true),
            ("+/+", "/a", true), ("#", "a/b", true), ("#", "/", true), ("a/#", "a", true), ("a/#", "a/b/c", true),
            ("a/#", "ab", false), ("a/+/#", "a", false), ("#", "$SYS", false), ("+/x", "$SYS/x", false),
            ("$SYS/#", "$SYS/x", true), ("$share/g/a/+", "a/b", true), ("$share/g/#", "$SYS", false),
            ("$share/g/a", "$share/g/a", false), ("A", "a", false), ("e\u{301}", "\u{e9}", false),
        ] as [(String, String, Bool)]
    )
    func matches(filter: String, topic: String, isMatch: Bool) throws {
        let name = try #require(TopicName(topic))
        #expect(try #require(TopicFilter(filter)).matches(name) == isMatch)
    }
}
