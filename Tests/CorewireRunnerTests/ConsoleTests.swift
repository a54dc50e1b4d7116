import Foundation
import Support
import Testing

@Suite("The console opens by a one-time link")
struct ConsoleTests {
    /// Opens a link as the page does; the session it gives.
    static func signIn(_ address: LoopbackAddress) async throws -> String {
        let answer = try await begin(address, with: try await key(address))
        let json = try JSONDecoder().decode([String: String].self, from: Data(answer.body))
        return try #require(json["session"])
    }

    static func key(_ address: LoopbackAddress) async throws -> String {
        try #require(try await address.link().components(separatedBy: "/#key=").last)
    }

    static func begin(_ address: LoopbackAddress, with key: String) async throws -> RawClient.Answer {
        try await address.ask("POST", "/v1/console/session", ["X-Corewire: 1", "Corewire-Console-Key: \(key)"])
    }

    @Test("a link opens one session, and its key is sent to no server")
    func once() async throws {
        let address = try await LoopbackAddress.open()
        let key = try await Self.key(address)
        let first = try await Self.begin(address, with: key)
        #expect(first.status == 200)
        #expect(first["Cache-Control"] == "no-store")
        #expect(first["Set-Cookie"] == nil)
        for key in [key, "", "wrong", String(repeating: "0", count: 64)] {
            let answer = try await Self.begin(address, with: key)
            #expect(answer.status == 401)
            #expect(answer.isProblem)
        }
        // A page of another server cannot send the field without asking first.
        let fresh = try await Self.key(address)
        #expect(try await address.ask("POST", "/v1/console/session", ["Corewire-Console-Key: \(fresh)"]).status == 403)
        #expect(try await address.ask("GET", "/?key=\(fresh)")["Set-Cookie"] == nil)
        #expect(try await Self.begin(address, with: fresh).status == 200)
    }

    @Test("a session works until logout, and is neither a token nor a cookie")
    func session() async throws {
        let address = try await LoopbackAddress.open()
        let session = try await Self.signIn(address)
        let field = "Corewire-Console: \(session)"
        #expect(try await address.ask("GET", "/v1/status", [field]).status == 200)
        #expect(try await address.ask("GET", "/v1/status", ["Authorization: Bearer \(session)"]).status == 401)
        for path in ["/v1/status", "/v1/events", "/v1/generations/1"] {
            #expect(try await address.ask("GET", path, ["Cookie: corewire=\(session)"]).status == 401, "\(path)")
        }
        let replayed = ["Cookie: corewire=\(session)", "X-Corewire: 1"]
        #expect(try await address.ask("POST", "/v1/console/link", replayed).status == 401)
        #expect(try await address.ask("POST", "/v1/confirm", [field, "X-Corewire: 1"]).status == 200)
        #expect(try await address.ask("POST", "/v1/confirm", [field]).status == 403)
        #expect(try await address.ask("POST", "/v1/console/logout", [field, "X-Corewire: 1"]).status == 204)
        #expect(try await address.ask("GET", "/v1/status", [field]).status == 401)
    }

    @Test("a link requires the right, and cannot be made by an invalid session")
    func links() async throws {
        let address = try await LoopbackAddress.open()
        #expect(try await address.ask("POST", "/v1/console/link", ["X-Corewire: 1"]).status == 401)
        #expect(
            try await address.ask("POST", "/v1/console/link", ["X-Corewire: 1", "Corewire-Console: x"]).status == 401
        )
        #expect(try await address.ask("GET", "/").status == 200)
    }

    @Test(
        "in a browser the console shows the state, switches, rolls back, and blocks other pages",
        .enabled(if: Browser.isInstalled)
    )
    func browser() async throws {
        let address = try await LoopbackAddress.open()
        let console = try Browser.run("Console/console_test.py", [try await address.link(), "test"])
        #expect(console.status == 0, "\(console.everything)")
        let session = try await Self.signIn(address)
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
