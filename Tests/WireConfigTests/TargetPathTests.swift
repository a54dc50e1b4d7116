import Testing
import WireBase
import WireConfig

@Suite("Joining a base URL and a path")
struct TargetPathTests {
    @Test(
        "a leading slash makes no difference, slashes are not doubled, and an empty path is the base URL",
        arguments: [
            ("https://h", "orders", "https://h/orders"), ("https://h", "/orders", "https://h/orders"),
            ("https://h/", "orders", "https://h/orders"), ("https://h/", "/orders", "https://h/orders"),
            ("https://h/v2", "orders", "https://h/v2/orders"), ("https://h/v2", "/orders", "https://h/v2/orders"),
            ("https://h/v2/", "orders/", "https://h/v2/orders/"), ("https://h/v2/", "/a//b", "https://h/v2/a//b"),
            ("https://h", "", "https://h"), ("https://h", "/", "https://h"), ("https://h/v2", "/", "https://h/v2"),
            ("https://h/v2/", "", "https://h/v2/"), ("https://h/v2?key=1#x", "a", "https://h/v2/a"),
        ]
    )
    func below(base: String, path: String, target: String) throws {
        #expect(try WebURL(parsing: base).below(path).description == target)
        let asked = target.contains("?") ? target : target + "?q=/../1"
        #expect(try WebURL(parsing: base).below(path, query: "q=/../1").description == asked)
        // In a file an empty segment is taken for a slip.
        guard !path.isEmpty, !path.contains("//") else { return }
        let address = try Address(parsing: path)
        #expect(address.resolved(against: try WebURL(parsing: base))?.description == target)
    }

    @Test(
        "a path that leaves the base URL, or cannot be sent, is rejected",
        arguments: [
            "..", "/..", "a/../b", "%2e%2E/b", "a%5c..", "//h/x", "a b", "a?b", "a#b", "a%zz.", "a%0a", "\u{e4}",
        ]
    )
    func unfit(path: String) throws {
        let base = try WebURL(parsing: "https://h/v2")
        #expect(throws: Fault.self) { try base.below(path) }
    }

    @Test(
        "an origin is scheme, host and port, and a WebSocket has that of its request",
        arguments: [
            ("https://h/a", "https://h:443/b", true), ("http://h", "http://h:80", true), ("wss://h", "https://h", true),
            ("ws://h:8080", "http://h:8080", true), ("https://h", "http://h", false),
            ("https://h", "https://h:444", false),
            ("https://h", "https://a.h", false), ("https://H", "https://h", true), ("http://h:443", "https://h", false),
            ("https://[::1]", "https://[::1]:443", true),
        ]
    )
    func origins(one: String, other: String, isSame: Bool) throws {
        #expect((try WebURL(parsing: one).origin == WebURL(parsing: other).origin) == isSame)
    }

    @Test("a token host is a host with an optional port; http only where allowed")
    func tokenHosts() throws {
        func origins(_ text: String, plain: [String] = []) throws -> [String] {
            try TokenHost(parsing: text).origins(amongPlain: plain.map { try Host(parsing: $0) }).map { "\($0)" }
        }
        #expect(try origins("Push.example.com") == ["https://push.example.com"])
        #expect(try origins("push.example.com:8443") == ["https://push.example.com:8443"])
        #expect(try origins("a.example", plain: ["a.example"]) == ["https://a.example", "http://a.example"])
        #expect(try origins("127.0.0.1:8080") == ["https://127.0.0.1:8080", "http://127.0.0.1:8080"])
        #expect(try origins("[::1]:8080") == ["https://[::1]:8080", "http://[::1]:8080"])
        for text in [
            "*.example.com", "", "a b", "a:0", "a:70000", "a/b", "a?b", "a#b", "u@a", ":80", "https://a.example/x",
        ] {
            #expect(throws: Misread.self, "\(text)") { try TokenHost(parsing: text) }
        }
    }
}
