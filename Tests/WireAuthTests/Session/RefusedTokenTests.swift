import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService

@testable import WireAuth

@Suite("Rejected tokens", .timeLimit(.minutes(1)))
struct RefusedTokenTests {
    private static let path = "/v1/auth/token/refused"

    private func body(_ token: String, in bench: Bench) throws -> String {
        #"{"sha256": "\#(try bench.service.secrecy.digest(Array(token.utf8)).hexadecimal)"}"#
    }

    @Test("a rejected token is refreshed once for all callers, and a caller with an old token gets the current one")
    func renewed() async throws {
        let counter = try await Counter(try Bench())
        let bench = counter.bench
        try await bench.signIn()
        let first = try body("access-1", in: bench)
        let machine = OneShot()
        bench.server.script(.wait(machine))
        try await counter.serving {
            let answers = try await withThrowingTaskGroup(of: Counter.Answer.self) { group in
                for _ in 0..<4 { group.addTask { try await counter.ask("POST", Self.path, first) } }
                _ = await eventually { bench.server.state.withLock { $0.refreshes } == 1 }
                machine.fire()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 && $0.json["accessToken"]?.string == "access-2" })
            #expect(answers.allSatisfy { $0.fields.contains("Cache-Control: no-store") })
            let late = try await counter.ask("POST", "\(Self.path)?mode=user&minTTL=0s", first)
            #expect(late.json["accessToken"]?.string == "access-2")
            #expect(try await counter.ask("GET", "/v1/auth/token").json["accessToken"]?.string == "access-2")
        }
        #expect(bench.server.state.withLock { $0.refreshes == 1 && !$0.isReused })
    }

    @Test("a rejected token without an expiry is refreshed")
    func endless() async throws {
        let counter = try await Counter(try Bench())
        let bench = counter.bench
        var grant = bench.server.grant(user: "ada")
        grant.expires = nil
        try await bench.manager.begin(grant)
        try await counter.serving {
            let wished = try await counter.ask("GET", "/v1/auth/token?minTTL=7d")
            #expect(wished.json["accessToken"]?.string == "access-1")
            let answer = try await counter.ask("POST", Self.path, try body("access-1", in: bench))
            #expect(answer.json["accessToken"]?.string == "access-2", "\(answer.text)")
        }
    }

    @Test("repeated rejections increase the refresh delay, which is reset after a while")
    func pace() async throws {
        let counter = try await Counter(try Bench())
        let bench = counter.bench
        try await bench.signIn(lifetime: .seconds(86_400))
        bench.server.state.withLock { $0.lifetime = .seconds(86_400) }
        try await counter.serving {
            var number = 1
            for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
                let taken = try await counter.ask("POST", Self.path, try body("access-\(number)", in: bench))
                #expect(taken.json["accessToken"]?.string == "access-\(number + 1)", "\(taken.text)")
                number += 1
                let refused = try await counter.ask("POST", Self.path, try body("access-\(number)", in: bench))
                #expect(refused.status == 429)
                #expect(refused.json["type"]?.string == "urn:corewire:problem:refused-too-soon")
                #expect(refused.fields.contains("Retry-After: \(pause)\r\n"), "\(refused.fields)")
                // It is still there for who can use it.
                let present = try await counter.ask("GET", "/v1/auth/token").json["accessToken"]?.string
                #expect(present == "access-\(number)")
                bench.clock.pass(.seconds(pause))
            }
            bench.clock.pass(RefusalPace.memory)
            for pause in [1, 2] {
                _ = try await counter.ask("POST", Self.path, try body("access-\(number)", in: bench))
                number += 1
                let refused = try await counter.ask("POST", Self.path, try body("access-\(number)", in: bench))
                #expect(refused.fields.contains("Retry-After: \(pause)\r\n"), "\(refused.fields)")
                bench.clock.pass(.seconds(pause))
            }
        }
    }

    @Test("a token that cannot be refreshed is reported as such, and stays available")
    func unrenewable() async throws {
        let counter = try await Counter(try Bench())
        let bench = counter.bench
        try await bench.signIn(refresh: false)
        try await counter.serving {
            let answer = try await counter.ask("POST", Self.path, try body("access-1", in: bench))
            #expect(answer.status == 409)
            #expect(answer.json["type"]?.string == "urn:corewire:problem:not-renewable")
            #expect(answer.json["detail"]?.string == "the identity server returned no refresh token: sign in again")
            #expect(try await counter.ask("GET", "/v1/auth/token").status == 200)
        }
        #expect(bench.server.state.withLock { $0.refreshes } == 0)
    }

    @Test("only callers with rights may report a rejection, by the digest alone")
    func rights() async throws {
        let counter = try await Counter(try Bench(LockTests.section))
        let bench = counter.bench
        try await counter.serving {
            let named = try body("access-1", in: bench)
            #expect(try await counter.ask("POST", Self.path, named).status == 401)
            try await bench.signIn(lifetime: .seconds(86_400))
            for wrong in [
                #"{"sha256": "access-1"}"#, #"{"sha256": ""}"#, "{}", #"{"token": "access-1"}"#,
                String(named.dropLast(4)) + #""}"#,
            ] {
                let answer = try await counter.ask("POST", Self.path, wrong)
                #expect(answer.status == 400, "\(wrong)")
            }
            for (tokens, status) in [
                (TokenRights.none, 403), (TokenRights(modes: ["app"]), 403),
                (TokenRights(modes: ["user"], scopes: ["openid"]), 403),
            ] {
                counter.become(Rights(access: .read, tokens: tokens, account: "kiosk"))
                #expect(try await counter.ask("POST", Self.path, named).status == status)
            }
            #expect(bench.server.state.withLock { $0.refreshes } == 0)
            counter.become(Rights(access: .read, tokens: TokenRights(modes: ["user"]), account: "kiosk"))
            let taken = try await counter.ask("POST", Self.path, named)
            #expect(taken.json["accessToken"]?.string == "access-2", "\(taken.text)")
            try await bench.manager.lock(pin: "1234", QuickHashing())
            #expect(try await counter.ask("POST", Self.path, try body("access-2", in: bench)).status == 423)
        }
        #expect(bench.server.state.withLock { $0.refreshes } == 1)
    }

    @Test("a rejected token is not returned while the refresh fails")
    func failing() async throws {
        let counter = try await Counter(try Bench())
        let bench = counter.bench
        try await bench.signIn()
        bench.server.script(.fail(SignInFailure(.serverError, "500")))
        try await counter.serving {
            let named = try body("access-1", in: bench)
            let answer = try await counter.ask("POST", Self.path, named)
            #expect(answer.status == 503)
            #expect(answer.fields.contains("Retry-After: "), "\(answer.fields)")
            #expect(try await counter.ask("GET", "/v1/auth/token").status == 503)
            bench.clock.pass(.seconds(2))
            #expect(try await counter.ask("POST", Self.path, named).json["accessToken"]?.string == "access-2")
        }
    }
}
