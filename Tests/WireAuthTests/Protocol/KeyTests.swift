import Foundation
import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireSecrets
import WireService
import WireSQLite
import WireStore

@testable import WireAuth

@Suite("Keys of identity servers", .timeLimit(.minutes(1)))
struct KeyTests {
    @Test("a rotated key is fetched, and the next unknown key only after 30 seconds")
    func rotation() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        _ = try await visitor.signIn(server)
        #expect(issuer.asked("keys").count == 1)

        let next = try ScriptedIssuer.Key("two")
        issuer.publish([next])
        #expect(await signIn(visitor, server, by: next) == nil)
        #expect(issuer.asked("keys").count == 2)

        let unknown = try ScriptedIssuer.Key("three")
        for _ in 0..<3 { #expect(await signIn(visitor, server, by: unknown)?.kind == .noKey) }
        #expect(issuer.asked("keys").count == 2)
        issuer.publish([unknown])
        visitor.clock.pass(.seconds(29))
        #expect(await signIn(visitor, server, by: unknown)?.kind == .noKey)
        #expect(issuer.asked("keys").count == 2)
        visitor.clock.pass(.seconds(1))
        #expect(await signIn(visitor, server, by: unknown) == nil)
        #expect(issuer.asked("keys").count == 3)
        await issuer.stop()
    }

    @Test(
        "a temporary failure of the key endpoint is retried, a rejection is not",
        arguments: [(429, true), (500, true), (503, true), (499, false), (404, false), (428, false)]
    )
    func refused(status: Int, isWorthRetrying: Bool) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("keys", status, text: "")
        let visitor = try Visitor(issuer)
        let failure = await failure { _ = try await visitor.signIn() }
        #expect(failure?.kind == (isWorthRetrying ? .serverError : .wrongAnswer))
        await issuer.stop()
    }

    @Test("a key replaced under the same id is fetched")
    func sameName() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        _ = try await visitor.signIn(server)
        let next = try ScriptedIssuer.Key("one")
        issuer.publish([next])
        #expect(await signIn(visitor, server, by: next) == nil)
        await issuer.stop()
    }

    @Test("a token without a key id is checked with each matching key")
    func noName() async throws {
        let (first, second) = (try ScriptedIssuer.Key("one"), try ScriptedIssuer.Key("two"))
        let issuer = try ScriptedIssuer.start(key: first)
        issuer.publish([first, second])
        let visitor = try Visitor(issuer)
        #expect(await signIn(visitor, visitor.server(), by: second, id: .some(nil)) == nil)
        await issuer.stop()
    }

    @Test("keys are cached across restarts, and used offline at any age")
    func restarts() async throws {
        let folder = try TemporaryFolder()
        let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
        let store = try SQLiteStore.open(folder: folder.url.path, sealer: KeySealer(key, former: []))
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer, cache: store)
        _ = try await visitor.signIn()
        let count = issuer.asked.count
        _ = try await visitor.signIn()
        // Two more: the code is redeemed, and nothing else.
        #expect(issuer.asked.count == count + 1)

        issuer.say("keys", 503, text: "")
        issuer.say(ScriptedIssuer.discovery, 503, text: "")
        visitor.clock.pass(.seconds(40 * 86_400))
        _ = try await visitor.signIn()
        await store.close()
        await issuer.stop()
    }

    @Test("without keys no browser is opened and no code is redeemed")
    func prepared() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        issuer.say("keys", 503, text: "")
        let browser = await failure { _ = try await server.beginAuthorization(redirectURI: Visitor.redirectURI) }
        #expect(browser?.kind == .serverError && browser?.helpsToRetry == true)
        #expect(await failure { _ = try await server.beginDevice() }?.kind == .serverError)
        #expect(issuer.asked("device").isEmpty)
        issuer.publish([issuer.key])
        let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        issuer.grant(visitor.claims(nonce: pending.nonce))
        issuer.say("keys", 503, text: "")
        // Another process, or a start anew, that has no keys either.
        let other = try Visitor(issuer).server()
        let failure = await failure { _ = try await other.finish(pending, callback: Visitor.callback(pending)) }
        #expect(failure?.helpsToRetry == true)
        #expect(issuer.asked("token").isEmpty)
        _ = try await server.finish(pending, callback: Visitor.callback(pending))
        await issuer.stop()
    }

    @Test("cached keys are validated like fetched ones")
    func damagedCache() async throws {
        let issuer = try ScriptedIssuer.start()
        let cache = ForgetfulCache()
        let visitor = try Visitor(issuer, cache: cache)
        _ = try await visitor.signIn()
        #expect(cache.keys.count == 2)
        let count = issuer.asked.count
        cache.change { $0.bytes = Array(#"{"issuer":"https://evil.example.com","keys":1}"#.utf8) }
        _ = try await visitor.signIn()
        #expect(issuer.asked.count == count + 3)
        await issuer.stop()
    }

    @Test("keys cached before the clock was set back count as expired")
    func clockSetBack() async throws {
        let issuer = try ScriptedIssuer.start()
        let cache = ForgetfulCache()
        let visitor = try Visitor(issuer, cache: cache)
        _ = try await visitor.signIn()
        let count = issuer.asked.count
        cache.change { $0.stored += 1_000_000 }
        _ = try await visitor.signIn()
        #expect(issuer.asked.count == count + 3)
        await issuer.stop()
    }

    @Test(
        "an empty, oversized or HTML key response is rejected",
        arguments: [
            "{}", #"{"keys":{}}"#, "<html>",
            #"{"keys":[\#(Array(repeating: "{}", count: 101).joined(separator: ","))]}"#,
        ]
    )
    func strange(body: String) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("keys", text: body)
        let visitor = try Visitor(issuer)
        let failure = await failure { _ = try await visitor.signIn() }
        #expect(failure?.kind == .wrongAnswer)
        await issuer.stop()
    }

    private func signIn(
        _ visitor: Visitor,
        _ server: OpenIDServer,
        by key: ScriptedIssuer.Key,
        id: String?? = .none
    ) async -> SignInFailure? {
        await failure {
            let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
            let token = visitor.issuer.sign(visitor.claims(nonce: pending.nonce), by: key, id: id)
            visitor.issuer.say("token", json: ScriptedIssuer.tokens.merging([("id_token", .string(token))]))
            _ = try await server.finish(pending, callback: Visitor.callback(pending))
        }
    }
}
