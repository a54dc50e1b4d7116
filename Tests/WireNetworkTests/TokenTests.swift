import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

@Suite("Tokens of requests")
struct TokenTests {
    @Test("a request carries the token of its mode, the default, or none")
    func modes() async throws {
        let server = try ScriptedServer()
        let (tokens, url) = (HandTokens(), server.url)
        let workshop = try await Workshop(url, tokens: tokens)
        _ = try await workshop.get("a")
        _ = try await workshop.get("a") { $0.authorization = .token(.app) }
        _ = try await workshop.get("a") { $0.authorization = .none }
        #expect(server.seen.map { $0.fields["Authorization"] } == ["Bearer token-1", "Bearer token-1", nil])
        #expect(tokens.state.withLock { $0.wishes } == [nil, .app])
        // Where nobody gives tokens the usual is none, and one that is asked for is refused with a reason.
        let without = try await Workshop(url)
        #expect(try await without.get("a").status == 200)
        let failure = try await without.failure(of: Workshop.call(.get, "a") { $0.authorization = .token(.user) })
        guard case .noToken(.undeclared) = failure.kind else {
            Issue.record("\(failure)")
            return
        }
    }

    @Test("a rejected token is refreshed once, and the request is repeated once")
    func renewal() async throws {
        let server = try ScriptedServer { _, request in
            .text(request.bodyText, request.fields["Authorization"] == "Bearer token-2" ? 200 : 401)
        }
        let tokens = HandTokens()
        let workshop = try await Workshop(server.url, tokens: tokens)
        let (status, text, answer) = try await workshop.ask(
            Workshop.call(.post, "a") { $0.body = .bytes(Array("body".utf8)) }
        )
        #expect(status == 200 && text == "body" && answer.attempts == 2)
        #expect(tokens.state.withLock { $0.refused } == ["token-1"])
    }

    @Test("a server that rejects every token gets two requests, and its response is returned")
    func refusesAll() async throws {
        let server = try ScriptedServer { _, _ in .text("no", 401) }
        let tokens = HandTokens()
        let workshop = try await Workshop(server.url, "{ retries: 3 }", tokens: tokens)
        #expect(try await workshop.get("a").status == 401)
        #expect(server.seen.count == 2)
        // The same token again is not worth asking with.
        tokens.state.withLock { $0.renews = false }
        #expect(try await workshop.get("a").status == 401)
        #expect(server.seen.count == 3)
        // A body that is gone cannot be sent again, but the next request has a new token.
        _ = try await workshop.ask(
            Workshop.call(.put, "a") { $0.body = .stream(length: 1, Whole([1])) }
        )
        #expect(server.seen.count == 4)
        #expect(tokens.state.withLock { $0.refused.count } == 3)
    }

    @Test("a signed-out user fails at once; a pending token is waited for")
    func refusals() async throws {
        let server = try ScriptedServer()
        let tokens = HandTokens()
        let workshop = try await Workshop(server.url, tokens: tokens)
        tokens.state.withLock { $0.refusal = TokenRefusal(.signedOut, guidance: "Sign in.") }
        let failure = try await workshop.failure(of: Workshop.call(.get, "a"))
        guard case .noToken(.signedOut) = failure.kind else {
            Issue.record("\(failure)")
            return
        }
        #expect(failure.reason == "Sign in." && failure.wasNotSent)
        tokens.state.withLock { $0.refusal = TokenRefusal(.unavailable, guidance: "The server is away.") }
        async let answer = workshop.get("a")
        #expect(await eventually { workshop.clock.sleepers >= 2 })
        tokens.state.withLock { $0.refusal = nil }
        workshop.clock.pass(.milliseconds(250))
        #expect(try await answer.answer.waited == .milliseconds(250))
        // Not where it may not wait.
        tokens.state.withLock { $0.refusal = TokenRefusal(.unavailable, guidance: "The server is away.") }
        let hasty = try await workshop.failure(of: Workshop.call(.get, "a") { $0.waitsForNetwork = false })
        #expect(hasty.retryAfter == .seconds(5))
    }

    @Test("a caller without a right to tokens cannot send one either")
    func rights() async throws {
        let server = try ScriptedServer()
        let tokens = HandTokens()
        tokens.state.withLock { $0.scopes = ["openid", "admin"] }
        let workshop = try await Workshop(server.url, tokens: tokens)
        for rights in [TokenRights(modes: ["app"]), TokenRights(modes: nil, scopes: ["openid"]), TokenRights.none] {
            let failure = try await workshop.failure(of: Workshop.call(.get, "a") { $0.tokenRights = rights })
            guard case .forbidden = failure.kind else {
                Issue.record("\(failure)")
                return
            }
        }
        #expect(server.seen.isEmpty)
        for rights in [TokenRights(modes: ["user"]), TokenRights(modes: nil, scopes: ["admin", "openid"])] {
            #expect(try await workshop.get("a") { $0.tokenRights = rights }.status == 200)
        }
    }

    @Test("a request of one user is never sent with the token of another")
    func users() async throws {
        let server = try ScriptedServer { _, request in
            .text("", request.fields["Authorization"] == "Bearer token-1" ? 401 : 200)
        }
        let tokens = HandTokens()
        let workshop = try await Workshop(server.url, tokens: tokens)
        tokens.state.withLock { $0.users = ["grace"] }
        let failure = try await workshop.failure(of: Workshop.call(.get, "a") { $0.user = "ada" })
        guard case .noToken(.signedOut) = failure.kind else {
            Issue.record("\(failure)")
            return
        }
        #expect(failure.wasNotSent && server.seen.isEmpty)
        // The renewed token may be that of another user.
        tokens.state.withLock { $0.users = ["ada", "grace"] }
        let other = try await workshop.failure(of: Workshop.call(.get, "a") { $0.user = "ada" })
        guard case .noToken(.signedOut) = other.kind else {
            Issue.record("\(other)")
            return
        }
        #expect(server.seen.count == 1)
        tokens.state.withLock { $0.users = ["ada"] }
        #expect(try await workshop.get("a") { $0.user = "ada" }.status == 200)
    }
}
