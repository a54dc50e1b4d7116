import Foundation
import Support
import Testing

@Suite("Sign-in, lock and sign-out in the console")
struct ConsolePersonTests {
    static let sections = """
        auth:
          scopes: [openid, profile, email, offline_access]
          guidance: { blocked: "Ask at the ward desk, room 3B." }
          lock: { method: pin }
        backends:
          issuer:
            users:
              ada: { name: Ada Lovelace, email: ada@example.com, password: wonder, roles: [nurse], claims: { ward: 3B } }
              grace: { name: Grace Hopper, password: hopper, blocked: true }
        persistence: {}

        """

    @Test(
        "a user signs in, locks, and is still signed in after a restart; a blocked user sees the text of the file",
        .enabled(if: Browser.isInstalled)
    )
    func person() async throws {
        let address = try await LoopbackAddress.open(sections: Self.sections)
        let first = try Browser.run("Console/person_test.py", [try await address.link(), "first"])
        #expect(first.status == 0, "\(first.everything)")
        try await address.runner.stop()
        let anew = try await LoopbackAddress(RunningRunner(nil, in: address.runner.home))
        let again = try Browser.run("Console/person_test.py", [try await anew.link(), "again"])
        #expect(again.status == 0, "\(again.everything)")
        let log = anew.runner.log
        for secret in ["wonder", "hopper", "2468", "1357", "eyJ"] {
            #expect(!log.contains(secret), "the log tells \(secret)")
        }
    }

    @Test("a page of another origin cannot start or end a sign-in", .enabled(if: Browser.isInstalled))
    func foreign() async throws {
        let address = try await LoopbackAddress.open(sections: Self.sections)
        let session = try await ConsoleTests.signIn(address)
        let foreign = try Browser.run("Console/foreign_page_test.py", [address.origin, session, LoopbackAddress.token])
        #expect(foreign.status == 0, "\(foreign.everything)")
        let auth = try await address.owner("GET", "/v1/auth")
        #expect(auth.status == 200)
        #expect(auth.text.contains("\"signedOut\""), "\(auth.text)")
        // What the page tried is what begins a sign-in for whoever may.
        let begun = try await address.owner("POST", "/v1/auth/login", ["Content-Type: application/json"], text: "{}")
        #expect(begun.status == 202, "\(begun.text)")
    }
}
