import Foundation
import Support
import Testing
import WireConfig

extension RunningRunner {
    /// Signs a user in at the identity server built in, by its page, as a person with a browser does.
    func signIn(as user: String, _ password: String) async throws {
        let json = ["Content-Type: application/json", "X-Corewire: 1"]
        let begun = try await ask("POST", "/v1/auth/login", json, text: #"{"flow":"browser"}"#)
        let url = try #require(try JSONValue(parsing: begun.body, named: "login")["url"]?.string, "\(begun.text)")
        let jar = home.url.appendingPathComponent("cookies").path
        let page = try Program.run("/usr/bin/curl", ["-s", "-c", jar, url]).output
        func part(_ begin: String) throws -> String {
            let found = try #require(page.range(of: begin), "\(page)")
            return String(page[found.upperBound...].prefix { $0 != "\"" }).replacing("&amp;", with: "&")
        }
        let origin = url.split(separator: "/").prefix(2).joined(separator: "//")
        let fields = ["token=\(try part(#"name="token" value=""#))", "username=\(user)", "password=\(password)"]
        let sent = try Program.run(
            "/usr/bin/curl",
            ["-s", "-L", "-o", "/dev/null", "-b", jar] + fields.flatMap { ["--data-urlencode", $0] }
                + [origin + part(#"action=""#)]
        )
        #expect(sent.status == 0)
        #expect(try await eventually { try await self.ask("GET", "/v1/auth").text.contains(#""signedIn""#) })
    }

    func signOut() async throws {
        let json = ["Content-Type: application/json", "X-Corewire: 1"]
        #expect(try await ask("POST", "/v1/auth/logout", json, text: "{}").status == 200)
    }
}
