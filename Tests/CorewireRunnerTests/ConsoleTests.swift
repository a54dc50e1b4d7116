import Foundation
import Support
import Testing

@Suite("The console is opened by a link that is good once")
struct ConsoleTests {
    /// Opens a link; the session it gives, and the field that gave it.
    static func signIn(_ address: LoopbackAddress) async throws -> (session: String, field: String) {
        let link = try await address.link()
        let answer = try await address.ask("GET", String(link.dropFirst(address.origin.count)))
        let field = try #require(answer["Set-Cookie"])
        let session = field.dropFirst("corewire=".count).prefix { $0 != ";" }
        return (String(session), field)
    }

    @Test("a link opens one session, and the key leaves the address")
    func once() async throws {
        let address = try await LoopbackAddress.open()
        let path = String(try await address.link().dropFirst(address.origin.count))
        let first = try await address.ask("GET", path)
        #expect(first.status == 303)
        #expect(first["Location"] == "/")
        #expect(first["Referrer-Policy"] == "no-referrer")
        #expect(first["Cache-Control"] == "no-store")
        let cookie = try #require(first["Set-Cookie"])
        for word in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] { #expect(cookie.contains(word), "\(word)") }
        let second = try await address.ask("GET", path)
        #expect(second.status == 303)
        #expect(second["Set-Cookie"] == nil)
        for key in ["", "wrong", String(repeating: "0", count: 64)] {
            #expect(try await address.ask("GET", "/?key=\(key)")["Set-Cookie"] == nil)
        }
    }

    @Test("a session asks for everything until it logs out, and is no token")
    func session() async throws {
        let address = try await LoopbackAddress.open()
        let (session, _) = try await Self.signIn(address)
        let cookie = "Cookie: other=1; corewire=\(session)"
        #expect(try await address.ask("GET", "/v1/status", [cookie]).status == 200)
        #expect(try await address.ask("GET", "/v1/status", ["Authorization: Bearer \(session)"]).status == 401)
        #expect(try await address.ask("POST", "/v1/confirm", [cookie, "X-Corewire: 1"]).status == 200)
        #expect(try await address.ask("POST", "/v1/confirm", [cookie]).status == 403)
        let out = try await address.ask("POST", "/v1/console/logout", [cookie, "X-Corewire: 1"])
        #expect(out.status == 204)
        #expect(out["Set-Cookie"]?.contains("Max-Age=0") == true)
        #expect(try await address.ask("GET", "/v1/status", [cookie]).status == 401)
    }

    @Test("a link cannot be made without the right to, nor over a session that is none")
    func links() async throws {
        let address = try await LoopbackAddress.open()
        #expect(try await address.ask("POST", "/v1/console/link", ["X-Corewire: 1"]).status == 401)
        #expect(
            try await address.ask("POST", "/v1/console/link", ["X-Corewire: 1", "Cookie: corewire=x"]).status == 401
        )
        #expect(try await address.ask("GET", "/").status == 200)
    }

    @Test(
        "in a browser it shows what runs, switches and rolls back, and lets no other page in",
        .enabled(if: Browser.isInstalled)
    )
    func browser() async throws {
        let address = try await LoopbackAddress.open()
        let console = try Browser.run("Console/console_test.py", [try await address.link(), "test"])
        #expect(console.status == 0, "\(console.everything)")
        let (session, _) = try await Self.signIn(address)
        let foreign = try Browser.run("Console/foreign_page_test.py", [address.origin, session, LoopbackAddress.token])
        #expect(foreign.status == 0, "\(foreign.everything)")
        #expect(try await address.owner("GET", "/v1/state/stolen/k").status == 404)
    }
}

/// A browser that tests drive, where it is there.
enum Browser {
    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path

    static let isInstalled: Bool = {
        let hasDriver = (try? Program.run(python, ["-c", "import playwright"]))?.status == 0
        return hasDriver && Program.isInstalled("chromium")
    }()

    static func run(_ script: String, _ arguments: [String]) throws -> Run {
        let path = Repository.root.appendingPathComponent("Tests/CorewireRunnerTests/\(script)").path
        return try Program.run(python, [path] + arguments)
    }
}
