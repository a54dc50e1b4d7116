import Testing

@testable import WireLocalAPI

@Suite("Values of the local API")
struct LocalAPIValueTests {
    @Test(
        "an origin is scheme, host and non-default port",
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
        "a page of another machine without TLS can be modified in transit",
        arguments: [("http://a.example", true), ("http://127.0.0.1:3000", false), ("https://a.example", false)]
    )
    func readable(text: String, isReadable: Bool) throws {
        #expect(try Origin(parsing: text).isReadableOnTheWay == isReadable)
    }

    @Test("a socket path fits the kernel's limit, and is not a folder")
    func sockets() {
        let longest = "/" + String(repeating: "a", count: 106)
        #expect((try? SocketChoice(parsing: longest)) == .path(longest))
        for text in ["\(longest)a", "/run/", "/run/\0", "run", "on", "off "] {
            #expect(throws: (any Error).self, "\(text)") { try SocketChoice(parsing: text) }
        }
        #expect((try? SocketChoice(parsing: "auto")) == .auto && (try? SocketChoice(parsing: "off")) == .off)
    }
}
