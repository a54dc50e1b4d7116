import Support
import Testing
import WireConfig
import WireHTTP
import WireService

@testable import WireAuth

@Suite("Token facts", .serialized)
struct TokenFactsTests {
    @Test("the session status shows the expiry and scopes of the token, never the token")
    func facts() async throws {
        let counter = try await Counter(try Bench(LockTests.section))
        try await counter.serving {
            #expect(try await counter.ask("GET", "/v1/auth").json["token"] == nil)
            try await counter.bench.signIn(lifetime: .seconds(86_400))
            let status = try await counter.ask("GET", "/v1/auth")
            let end = try #require(status.json["token"]?["expiresAt"]?.string)
            #expect(try await counter.ask("GET", "/v1/auth/token").json["expiresAt"]?.string == end)
            #expect(status.json["token"]?["scopes"]?.array?.map(\.string) == ["openid", "profile"])
            #expect(!status.text.contains("access-1") && !status.text.contains("refresh-1"))
            counter.become(Rights(access: .write, account: "app kiosk"))
            #expect(try await counter.ask("GET", "/v1/auth").json["token"] == nil)
            counter.become(.everything("test"))
            _ = try await counter.ask("POST", "/v1/auth/lock", #"{"pin": "1234"}"#)
            #expect(try await counter.ask("GET", "/v1/auth").json["token"] == nil)
        }
    }

    @Test("reading the status is no use of the session, so it still locks")
    func looking() async throws {
        let counter = try await Counter(try Bench(LockTests.section))
        try await counter.bench.signIn(lifetime: .seconds(86_400))
        try await counter.serving {
            _ = try await counter.ask("POST", "/v1/auth/lock", #"{"pin": "1234"}"#)
            _ = try await counter.ask("POST", "/v1/auth/unlock", #"{"pin": "1234"}"#)
            #expect(try await counter.ask("GET", "/v1/auth").json["lock"]?["after"]?.integer == 300)
            for pause in [150, 149] {
                counter.bench.clock.pass(.seconds(pause))
                #expect(try await counter.ask("GET", "/v1/auth").json["state"]?.string == "signedIn")
            }
            counter.bench.clock.pass(.seconds(1))
            #expect(await eventually { counter.bench.state() == "locked" })
            #expect(try await counter.ask("GET", "/v1/auth").json["state"]?.string == "locked")
        }
    }
}
