import Testing

@testable import WireLocalAPI

@Suite("Values of the local API")
struct LocalAPIValueTests {
    @Test(
        "an origin is what browsers send: scheme, host and a port that is not the usual one, and nothing more",
        arguments: [
            ("http://localhost:3000", "http://localhost:3000"), ("https://A.Example", "https://a.example"),
            ("http://a.example:80", "http://a.example"), ("http://a.example:443", "http://a.example:443"),
            ("https://a.example:443", "https://a.example"), ("https://a.example:80", "https://a.example:80"),
            ("http://[::1]:8080", "http://[::1]:8080"), ("https://a.example/", nil), ("https://a.example/x", nil),
            ("https://a.example?x", nil), ("https://a.example#x", nil), ("ftp://a.example", nil), ("a.example", nil),
            ("*", nil), ("null", nil),
        ] as [(String, String?)]
    )
    func origins(text: String, origin: String?) {
        #expect((try? Origin(parsing: text))?.text == origin)
    }

    @Test(
        "the page of an origin can be changed on its way where it comes from another machine without TLS",
        arguments: [("http://a.example", true), ("http://127.0.0.1:3000", false), ("https://a.example", false)]
    )
    func readable(text: String, isReadable: Bool) throws {
        #expect(try Origin(parsing: text).isReadableOnTheWay == isReadable)
    }

    @Test("a socket is at a path that the kernel can keep, which is no folder")
    func sockets() {
        let longest = "/" + String(repeating: "a", count: 106)
        #expect((try? SocketChoice(parsing: longest)) == .path(longest))
        for text in ["\(longest)a", "/run/", "/run/\0", "run", "on", "off "] {
            #expect(throws: (any Error).self, "\(text)") { try SocketChoice(parsing: text) }
        }
        #expect((try? SocketChoice(parsing: "auto")) == .auto && (try? SocketChoice(parsing: "off")) == .off)
    }
}
