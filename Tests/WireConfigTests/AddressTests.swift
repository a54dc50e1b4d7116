import Testing
import WireConfig

@Suite("URL settings")
struct AddressTests {
    static let slips: [(text: String, meant: String?)] = [
        ("https//push.example.com", "https://push.example.com"),
        ("htps://push.example.com", "https://push.example.com"),
        ("https;//push.example.com", "https://push.example.com"),
        ("https:/push.example.com", "https://push.example.com"),
        ("https:push.example.com", "https://push.example.com"), ("http//push.example.com", "http://push.example.com"),
        ("https.://push.example.com", "https://push.example.com"),
        ("hptts://push.example.com", "https://push.example.com"),
        ("https://https://push.example.com", "https://push.example.com"),
        ("https://http//push.example.com", "http://push.example.com"),
        ("htps//push.example.com", "https://push.example.com"),
        ("/https://push.example.com", "https://push.example.com"),
        ("https:\\\\push.example.com\\x", "https://push.example.com/x"),
        ("://push.example.com", "https://push.example.com"), ("//push.example.com/x", "https://push.example.com/x"),
        ("HTTPS//push.example.com", "https://push.example.com"), ("https/push.example.com", "https://push.example.com"),
        ("sso.example.com/auth", "https://sso.example.com/auth"), ("push.example.com", "https://push.example.com"),
        ("push.example.com?x=1", "https://push.example.com?x=1"), ("example.co.uk./x", "https://example.co.uk./x"),
        ("localhost:8080/x", "http://localhost:8080/x"), ("localhost/x", "http://localhost/x"),
        ("10.0.0.1:80/x", "https://10.0.0.1:80/x"), ("10.0.0.1/x", "https://10.0.0.1/x"),
        ("[::1]:8080/x", "http://[::1]:8080/x"), ("api.dev/items", "https://api.dev/items"),
        ("com.example.Service/Method", "https://com.example.Service/Method"), ("https", nil), ("https:", nil),
        ("C:\\x", nil), ("C:/x", nil), ("file:///etc/passwd", nil), ("~/x", nil), ("~", nil), ("v1:batch", nil),
        ("ftp://push.example.com", nil), ("gopher://push.example.com", nil), ("mailto:ada", nil), ("api//items", nil),
        ("v1.0//items", nil), ("", nil), ("../up", nil), ("a/../b", nil), ("a b", nil), ("bücher", nil), ("./", nil),
        ("https://", nil), ("https://h..x", nil), ("https://h:65536", nil), ("https://ada:pw@h/x", nil),
        ("user:pw@push.example.com/x", nil), ("https//user:pw@push.example.com", nil), ("graphql#top", nil),
        ("https://h/x#top", nil), ("wss://push.example.com", "https://push.example.com"),
    ]

    static let right = [
        "https://push.example.com", "http://h", "HTTPS://h/x", "https://[::1]:7/x", "https://h:65535/x?y=1", "graphql",
        "/graphql", "v1.0/items", "2.1.3/items", "api.json", "index.php?x=1", ".well-known/x", "ws/updates", "a/b.c/d",
        "./api.dev/items", "./v1:batch", "./localhost/x", "./https/x", "/home/x", "a/https://x", "v1/items:batch",
        "a-b_c~/x",
        "1", "x?y=https://z",
    ]

    @Test("a text like a mistyped scheme, a host or a file is rejected with the probable URL", arguments: slips)
    func refused(text: String, meant: String?) {
        do throws(Misread) {
            let address = try AddressTerms.endpoint.parse(text)
            Issue.record("\(text) is read as \(address)")
        } catch {
            #expect(error.advice?.contains("did you mean") ?? false == (meant != nil), "\(error)")
            if let meant { #expect(error.advice?.contains("did you mean \(meant)?") ?? false, "\(error)") }
            #expect(!text.contains("pw") || error.hidesText)
        }
    }

    @Test(
        "a query that may have a token is not repeated",
        arguments: ["https://h/x?token=pw", "wss://h/x?token=pw", "v1?token=pw"]
    )
    func query(text: String) {
        do throws(Misread) {
            let address = try AddressTerms.root.parse(text)
            Issue.record("\(text) is read as \(address)")
        } catch {
            #expect(error.hidesText && error.advice?.contains("pw") != true, "\(error)")
        }
    }

    @Test("a valid URL is accepted, and round-trips", arguments: right)
    func taken(text: String) throws {
        let address = try AddressTerms.endpoint.parse(text)
        #expect(try AddressTerms.endpoint.parse(address.description) == address)
    }

    @Test("the pattern for editors agrees with the parser")
    func pattern() throws {
        let regex = try Regex(try #require(AddressTerms.endpoint.textForm.pattern))
        for (text, _) in Self.slips { #expect(text.firstMatch(of: regex) == nil, "\(text) matches") }
        for text in Self.right { #expect(text.firstMatch(of: regex) != nil, "\(text) does not match") }
    }

    @Test("'./' precedes an ambiguous path, and is not part of it")
    func dotted() throws {
        let base = try WebURL(parsing: "https://h/api")
        let address = try Address(parsing: "./api.dev/items")
        #expect(address.resolved(against: base)?.description == "https://h/api/api.dev/items")
        #expect(address.description == "./api.dev/items")
        #expect(try Address(parsing: "./graphql").description == "graphql")
    }

    @Test("a query or fragment is rejected where it would be dropped", arguments: ["?x=1", "#x", "?", "?x=1#y"])
    func dropped(tail: String) throws {
        for terms in [AddressTerms.base, .root] {
            #expect(throws: Misread.self) { try terms.parse("https://h/x\(tail)") }
        }
        #expect(throws: Misread.self) { try AddressTerms.root.parse("x\(tail)") }
        _ = try AddressTerms.any.parse("https://h/x\(tail)")
    }

    @Test("a WebSocket URL has ws or wss, with TLS unless on this machine")
    func sockets() throws {
        func advice(_ text: String) -> String? {
            do throws(Misread) { _ = try AddressTerms.webSocket.parse(text) } catch { return error.fix ?? error.advice }
            return nil
        }
        #expect(advice("wss://h/x") == nil && advice("graphql") == nil)
        #expect(advice("https://h/x") == "wss://h/x" && advice("http://h/x") == "wss://h/x")
        #expect(advice("http://localhost:1/x") == "ws://localhost:1/x" && advice("ws//h/x") == "ws://h/x")
        #expect(advice("api.example.com/x")?.contains("did you mean wss://api.example.com/x?") ?? false)
    }
}
