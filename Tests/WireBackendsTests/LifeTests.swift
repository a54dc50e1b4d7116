import Foundation
import Support
import Testing
import WireBackends
import WireEmbedded
import WireBase
import WireConfig
import WireHTTP

@Suite("Lifecycle of the issuer", .timeLimit(.minutes(2)))
struct LifeTests {
    @Test("after a restart users are still signed in, at the same address, with the same keys")
    func restart() async throws {
        let (folder, clock) = (try TemporaryFolder(), HandClock())
        let kept = Kept()
        try await House.run(in: folder, clock: clock) { house in
            let browser = try house.browser()
            kept.browser = browser
            kept.tokens = try await browser.tokens()
            kept.code = try await browser.signIn("ada", "wonder")["code"] ?? ""
            let begun = try await browser.post("\(browser.base)/auth/device", [("client_id", "phone")])
            kept.device = try JSONValue(parsing: begun.body, named: "answer")["device_code"]?.string ?? ""
        }
        try await House.run(in: folder, clock: clock) { house in
            let (browser, tokens) = (try #require(kept.browser), kept.tokens)
            #expect(try house.realm() == browser.issuer)
            #expect(try await browser.userinfo(tokens["access_token"]?.string ?? "").status == 200)
            #expect(try await browser.authorize().status == 303)
            #expect(try await browser.redeem(kept.code).status == 200)
            let next = try await browser.refresh(tokens["refresh_token"]?.string ?? "")
            #expect(next.status == 200)
            let form = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("client_id", "phone"),
                ("device_code", kept.device),
            ]
            #expect(try await browser.token(form).json["error"]?.string == "authorization_pending")
            #expect(try await browser.refresh(tokens["refresh_token"]?.string ?? "").status == 400)
        }
    }

    private final class Kept: @unchecked Sendable {
        // Sendable: one test touches it, one step after the other.
        var browser: Browser?
        var tokens = JSONValue.null
        var code = ""
        var device = ""
    }

    @Test("a stored port in use by another program is replaced")
    func portTaken() async throws {
        let folder = try TemporaryFolder()
        try await House.run(in: folder) { first in
            let issuer = try first.realm()
            try await House.run(in: folder) { second in
                let other = try second.realm()
                #expect(other != issuer)
            }
        }
    }

    @Test("a reload changes users, keeps sessions, and moves the address")
    func rebind() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let tokens = try await browser.tokens()
            try await house.rebind(
                House.issuer.replacingOccurrences(of: "bob: { password: builder }", with: "carl: { password: c }")
            )
            #expect(try await browser.authorize().status == 303)
            #expect(try await browser.refresh(tokens["refresh_token"]?.string ?? "").status == 200)
            browser.forget()
            #expect(try await browser.signIn("carl", "c")["code"] != nil)
            try await house.rebind("listen: \"[::1]:0\"\n" + House.issuer)
            #expect(try house.realm().hasPrefix("http://[::1]:"))
            #expect(try await browser.authorize().status == 404)
        }
    }

    @Test("in an environment with real servers nothing listens, and the reason is shown")
    func remote() async throws {
        try await House.run(environment: "baseUrl: https://api.example.com") { house in
            #expect(house.issuing == nil)
            #expect(house.told.all.first?.hasPrefix("inert: embedded servers run only in environments") == true)
            try await house.rebind(House.issuer)
            let browser = try house.browser()
            #expect(try await browser.authorize().status == 200)
            try await house.rebind(House.issuer, environment: "baseUrl: https://api.example.com")
            #expect(house.issuing == nil)
            // Services of before may still speak to it.
            #expect(try await browser.authorize().status == 200)
            await house.service.predecessorsDidStop()
            await #expect(throws: (any Error).self) { try await browser.authorize() }
            try await house.rebind(House.issuer)
            await house.service.predecessorsDidStop()
            #expect(try house.realm() == browser.issuer)
            #expect(try await browser.authorize().status == 200)
        }
    }

    @Test("requests fail at the configured rate, deterministically")
    func trouble() async throws {
        func failures() async throws -> [Int] {
            let found = Found()
            try await House.run(more: "  failureRate: 0.5\n  seed: 7") { house in
                let browser = try house.browser()
                for number in 0..<40
                where try await browser.get("/realms/tasks/.well-known/openid-configuration").status == 503 {
                    found.numbers.append(number)
                }
            }
            return found.numbers
        }
        let first = try await failures()
        #expect((8...32).contains(first.count))
        #expect(try await failures() == first)
    }

    private final class Found: @unchecked Sendable {
        // Sendable: one test touches it, one step after the other.
        var numbers: [Int] = []
    }

    @Test("responses have the configured latency")
    func latency() async throws {
        try await House.run(more: "  latency: 2s") { house in
            let browser = try house.browser()
            // Whoever looks after the keys sleeps as well.
            #expect(await eventually { house.clock.sleepers == 1 })
            async let answer = browser.get("/realms/tasks/.well-known/openid-configuration")
            #expect(await eventually { house.clock.sleepers == 2 })
            house.clock.pass(.milliseconds(1_999))
            #expect(house.clock.sleepers == 2)
            house.clock.pass(.milliseconds(1))
            #expect(try await answer.status == 200)
        }
    }

    @Test("logs contain no secrets, and stored data is sealed")
    func secrecy() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let told = try await browser.signIn()
            let tokens = try await browser.redeem(told["code"] ?? "").json
            _ = try await browser.redeem(told["code"] ?? "")
            let secrets = [
                told["code"], tokens["refresh_token"]?.string, tokens["access_token"]?.string, "wonder",
                Browser.verifier,
            ]
            let log = house.told.all.joined(separator: "\n")
            let files = try FileManager.default.contentsOfDirectory(atPath: house.folder.url.path)
                .map { try Data(contentsOf: house.folder.url.appendingPathComponent($0)) }
            for one in secrets {
                let secret = try #require(one)
                #expect(!log.contains(secret))
                #expect(files.allSatisfy { $0.range(of: Data(secret.utf8)) == nil })
            }
            #expect(files.allSatisfy { $0.range(of: Data("authTime".utf8)) == nil })
        }
    }
}

extension House {
    /// The keys of the issuer, as the local API tells them.
    func keyNames() async throws -> [String] {
        let path = "/v1/backends/issuer"
        for route in service.routes where route.pattern == path {
            guard case .work(let look) = route.handler, let target = Target(parsing: path) else { continue }
            let caller = Caller.address("127.0.0.1")
            let answer = try await look(Request(method: .get, target: target, fields: [:], caller: caller))
            guard case .bytes(let bytes) = answer.body else { continue }
            return try JSONValue(parsing: bytes, named: "answer")["keys"]?.array?.compactMap(\.string) ?? []
        }
        throw Unread(text: "there is no such route")
    }

    /// As somebody asks for it over the local API.
    func rotateKeys() async throws {
        for route in service.routes where route.pattern == "/v1/backends/issuer/rotate" {
            guard case .work(let work) = route.handler, let target = Target(parsing: route.pattern) else { continue }
            let request = Request(method: .post, target: target, fields: [:], caller: .address("127.0.0.1"))
            #expect(try await work(request).status == .ok)
        }
    }
}
