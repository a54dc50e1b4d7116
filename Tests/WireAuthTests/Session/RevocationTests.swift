import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireService
import WireStore
import Workbench

@testable import WireAuth

@Suite("Revocation of ended sessions", .timeLimit(.minutes(1)))
struct RevocationTests {
    private static let offline = SignInFailure(.offline, "there is no network")

    private func waiting(_ bench: Bench) async throws -> [WaitingWork] {
        try await bench.store.sqlite.list(bench.manager.repository.endings, after: nil, limit: 10)
    }

    @Test("tokens are revoked at once, and nothing is queued")
    func atOnce() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        #expect(try await bench.service.signOut().revocation == .revoked)
        #expect(bench.server.state.withLock { $0.revoked } == ["access-1"])
        #expect(try await waiting(bench).isEmpty && bench.manager.revocations.count == 0)
        #expect(try await bench.service.signOut().revocation == nil)
    }

    @Test("an unsupported revocation is reported, and not retried")
    func notOffered() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.server.state.withLock { $0.revocations = [.success(.notOffered)] }
        #expect(try await bench.service.signOut().revocation == .notOffered)
        #expect(try await waiting(bench).isEmpty)
    }

    @Test("tokens are queued, sealed, while the server is unreachable, and revoked by the next process")
    func later() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.server.state.withLock { $0.revocations = [.failure(Self.offline)] }
        #expect(try await bench.service.signOut().revocation == .pending)
        #expect(bench.manager.revocations.count == 1)
        #expect(bench.state() == "signedOut")
        for token in ["access-1", "refresh-1"] { #expect(try !bench.store.folder.holds(token)) }
        let next = try await Bench(store: bench.store, clock: bench.clock, server: bench.server)
        try await next.running {
            #expect(await eventually { next.eventNames.contains("auth.revoked") })
            #expect(await eventually { next.manager.revocations.count == 0 })
        }
        #expect(bench.server.state.withLock { $0.revoked } == ["access-1"])
        #expect(try await waiting(bench).isEmpty)
    }

    @Test("queued tokens are revoked after any successful response of the server")
    func hastened() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.server.state.withLock { $0.revocations = [.failure(Self.offline)] }
        _ = try await bench.service.signOut()
        try await bench.signIn()
        try await bench.running {
            // Whatever it does at its beginning, the next one comes later.
            #expect(await eventually { bench.manager.revocations.count == 0 })
            bench.server.state.withLock { $0.revocations = [.failure(Self.offline), .failure(Self.offline)] }
            _ = try await bench.service.signOut()
            try await bench.signIn()
            bench.clock.pass(.seconds(290))
            _ = try await bench.service.token(TokenQuery())
            #expect(await eventually { bench.server.state.withLock { $0.revocations.isEmpty } })
        }
    }

    @Test("revocations are retried with backoff, and permanent errors once an hour")
    func pauses() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.server.state.withLock { $0.revocations = [.failure(Self.offline)] }
        _ = try await bench.service.signOut()
        for most in [5, 10, 20, 40, 80, 160, 320, 600, 600] {
            bench.server.state.withLock { $0.revocations = [.failure(Self.offline)] }
            #expect(try await bench.manager.revocations.tryAll() == 1)
            let wait = try await #require(try waiting(bench).first).wait
            // The store goes by the clock of the machine, which goes on meanwhile.
            #expect(wait <= .seconds(most) && wait > .seconds(most) / 4, "\(wait), expected up to \(most) s")
        }
        let wrong = SignInFailure(.invalidClient, "no such client")
        bench.server.state.withLock { $0.revocations = [.failure(wrong)] }
        #expect(try await bench.manager.revocations.tryAll() == 1)
        let first = try #require(try await waiting(bench).first)
        #expect(first.wait > .seconds(3_000))
        #expect(try await bench.manager.revocations.tryAll() == 0)
        #expect(bench.server.state.withLock { $0.revoked } == ["access-1"])
    }

    @Test("tokens are sent only to the server that issued them")
    func otherServer() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.server.state.withLock { $0.revocations = [.failure(Self.offline)] }
        _ = try await bench.service.signOut()
        let elsewhere = Revocations(
            bench.manager.repository,
            of: "https://elsewhere.example.com tasks",
            bench.server,
            clock: bench.clock.clockwork,
            random: { 0 },
            tell: { _ in }
        )
        #expect(try await elsewhere.tryAll() == 1)
        #expect(bench.server.state.withLock(\.revoked).isEmpty)
        #expect(try await bench.manager.revocations.tryAll() == 0)
        #expect(bench.server.state.withLock { $0.revoked } == ["access-1"])
    }

    @Test("expired tokens are dropped from the queue")
    func ended() async throws {
        let bench = try await Bench()
        var grant = bench.server.grant(lifetime: .seconds(300), user: "ada")
        grant.refreshExpires = bench.clock.clockwork.wall() + 600_000
        try await bench.manager.begin(grant)
        bench.server.state.withLock { $0.revocations = [.failure(Self.offline), .failure(Self.offline)] }
        _ = try await bench.service.signOut()
        bench.clock.pass(.seconds(599))
        #expect(try await bench.manager.revocations.tryAll() == 1)
        bench.clock.pass(.seconds(1))
        #expect(try await bench.manager.revocations.tryAll() == 0)
        #expect(bench.server.state.withLock(\.revoked).isEmpty)
    }

    @Test("an entry of a later version of the program stays in the queue")
    func laterVersion() async throws {
        let bench = try await Bench()
        let item = NewWork(id: "s-1", lane: "s-1", payload: Array(#"{"schema":2}"#.utf8), isSealed: true)
        _ = try await bench.store.sqlite.add(item, to: bench.manager.repository.endings)
        #expect(try await bench.manager.revocations.tryAll() == 1)
    }

    @Test("tokens are not revoked if the end of the session could not be stored")
    func stillThere() async throws {
        let store = try SharedStore()
        let values = FullStore(store.sqlite)
        let bench = try await Bench(store: store, values: values)
        try await bench.signIn()
        values.refuse(after: 0)
        await #expect(throws: AuthFailure.self) { try await bench.service.signOut() }
        values.refuse(after: nil)
        #expect(try await waiting(bench).count == 1)
        #expect(try await bench.manager.revocations.tryAll() == 0)
        #expect(bench.server.state.withLock(\.revoked).isEmpty)
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-1")
    }
}
