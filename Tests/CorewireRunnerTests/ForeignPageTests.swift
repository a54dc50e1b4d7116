import Foundation
import Support
import Testing

@Suite("Foreign web pages at the loopback address")
struct ForeignPageTests {
    /// What browsers send for pages of others, whatever else is right about it.
    static let attempts: [(name: String, fields: [String])] = [
        ("a name that was made to lead here", ["Host: evil.example:PORT"]),
        ("a name without the port", ["Host: 127.0.0.1"]),
        ("another port", ["Host: 127.0.0.1:1"]),
        ("a name that begins like ours", ["Host: 127.0.0.1.evil.example:PORT"]),
        ("a name that ends like ours", ["Host: evil.localhost:PORT"]),
        ("another page", ["Origin: https://evil.example"]),
        ("a page without an origin", ["Origin: null"]),
        ("a page of another port here", ["Origin: http://127.0.0.1:1"]),
        ("a page whose origin begins like ours", ["Origin: http://127.0.0.1:PORT.evil.example"]),
        ("our page over https", ["Origin: https://127.0.0.1:PORT"]),
        ("two origins", ["Origin: https://evil.example", "Origin: http://127.0.0.1:PORT"]),
        ("two origins, ours first", ["Origin: http://127.0.0.1:PORT", "Origin: https://evil.example"]),
        ("a link on another page", ["Referer: https://evil.example/127.0.0.1"]),
        ("a referrer that begins like ours", ["Referer: http://127.0.0.1:PORTevil.example/"]),
        ("a foreign referrer after ours", ["Referer: http://127.0.0.1:PORT/", "Referer: https://evil.example/"]),
        ("a foreign site, as the browser says", ["Sec-Fetch-Site: cross-site"]),
        ("another port, as the browser says", ["Sec-Fetch-Site: same-site"]),
    ]

    @Test("a request that a foreign page could send is rejected, even with a valid token")
    func refused() async throws {
        let address = try await LoopbackAddress.open()
        for attempt in Self.attempts {
            let fields = attempt.fields.map { $0.replacingOccurrences(of: "PORT", with: "\(address.port)") }
            for (method, path) in [("GET", "/v1/status"), ("GET", "/"), ("PUT", "/v1/state/a/k"), ("GET", "/livez")] {
                let answer = try await address.owner(method, path, fields, text: method == "PUT" ? "x" : nil)
                #expect(answer.status == 403, "\(attempt.name): \(method) \(path)")
                #expect(answer.isProblem, "\(attempt.name)")
                #expect(answer["Access-Control-Allow-Origin"] == nil, "\(attempt.name)")
            }
        }
        #expect(try await address.owner("GET", "/v1/state/a/k").status == 404)
        for host in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
            #expect(try await address.owner("GET", "/v1/status", ["Host: \(host):\(address.port)"]).status == 200)
        }
    }

    @Test("a form submission changes nothing, whatever its encoding")
    func forms() async throws {
        let address = try await LoopbackAddress.open()
        let right = "Authorization: Bearer \(LoopbackAddress.token)"
        let session = try await ConsoleTests.signIn(address)
        for type in [
            "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json",
        ] {
            for who in [[right], ["Corewire-Console: \(session)"], []] {
                let answer = try await address.ask("POST", "/v1/reload", who + ["Content-Type: \(type)"], text: "{}")
                #expect(answer.status == 403, "\(type) \(who)")
                #expect(answer.isProblem)
            }
        }
        for value in ["0", "true", "", "1, 1"] {
            let answer = try await address.ask("PUT", "/v1/state/a/k", [right, "X-Corewire: \(value)"], text: "x")
            #expect(answer.status == 403, "\(value)")
        }
        // What nobody does changes nothing either way.
        #expect(try await address.ask("BREW", "/v1/reload", [right]).status == 405)
        #expect(try await address.ask("POST", "/v1/nothing", [right]).status == 404)
        // The field alone does not make a body one that is read.
        let answer = try await address.owner("POST", "/v1/reload", ["Content-Type: text/plain"], text: "{}")
        #expect(answer.status == 415)
        #expect(answer["Accept"] == "application/json")
        let status = try await address.owner("GET", "/v1/status").text
        #expect(status.contains("\"generation\":1"))
    }

    @Test("a page of an allowed origin may call the API by CORS, others may not")
    func allowed() async throws {
        let address = try await LoopbackAddress.open("allowedOrigins: [\"https://app.example\"]\n")
        let own = "Origin: https://app.example"
        let answer = try await address.owner("GET", "/v1/status", [own])
        #expect(answer.status == 200)
        #expect(answer["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(answer["Vary"]?.contains("Origin") == true)
        #expect(answer["Access-Control-Allow-Credentials"] == nil)
        // An allowed page still needs a token: its origin is no right.
        let stranger = try await address.ask("GET", "/v1/status", [own])
        #expect(stranger.status == 401)
        #expect(stranger["Access-Control-Allow-Origin"] == "https://app.example")
        let asked = ["Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: authorization, x-corewire"]
        let preflight = try await address.ask("OPTIONS", "/v1/state/a/k", [own] + asked)
        #expect(preflight.status == 204)
        #expect(preflight["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(preflight["Access-Control-Allow-Methods"]?.contains("PUT") == true)
        #expect(preflight["Access-Control-Allow-Headers"]?.contains("X-Corewire") == true)
        for origin in ["https://evil.example", "http://app.example", "https://app.example:8443", "null"] {
            let foreign = try await address.ask("OPTIONS", "/v1/state/a/k", ["Origin: \(origin)"] + asked)
            #expect(foreign.status == 403)
            #expect(foreign["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test("responses cannot be framed, sniffed or executed by a browser")
    func guarded() async throws {
        let address = try await LoopbackAddress.open()
        _ = try await address.owner("PUT", "/v1/state/a/k", ["Content-Type: text/html"], text: "<script>1</script>")
        for path in ["/", "/v1/status", "/v1/state/a/k", "/v1/nothing", "/livez"] {
            let answer = try await address.owner("GET", path)
            #expect(answer["X-Content-Type-Options"] == "nosniff", "\(path)")
            #expect(answer["Cross-Origin-Resource-Policy"] == "same-origin", "\(path)")
            #expect(answer["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true, "\(path)")
            #expect(answer["Content-Security-Policy"]?.contains("default-src 'none'") == true, "\(path)")
        }
    }
}
