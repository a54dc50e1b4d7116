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

@Suite("Token refresh")
struct RenewalTests {
    @Test("a token with enough lifetime is returned unchanged")
    func fresh() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        let token = try await bench.service.token(TokenQuery(minimumLifetime: .seconds(200)))
        #expect(token.value.reveal() == "access-1")
        #expect(bench.server.state.withLock { $0.refreshes } == 0)
        #expect(bench.eventNames == ["auth.signedIn"])
    }

    @Test("an invalid refresh response is reported, and no refresh token is used twice")
    func unbelievable() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.server.script(.remark(SignInFailure(.wrongToken, "'nonce' differs from that of this sign-in")))
        for number in 2...3 {
            bench.clock.pass(.seconds(290))
            #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-\(number)")
        }
        #expect(bench.server.state.withLock { $0.refreshes == 2 && !$0.isReused })
        #expect(bench.eventNames == ["auth.signedIn", "auth.refreshed", "auth.failed", "auth.refreshed"])
    }

    @Test("a refresh response about another user ends the session, and no refresh token is used twice")
    func somebodyElse() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.server.script(.confuse)
        bench.clock.pass(.seconds(290))
        await #expect(throws: (any Error).self) { try await bench.service.token(TokenQuery()) }
        await #expect(throws: (any Error).self) { try await bench.service.token(TokenQuery()) }
        #expect(bench.server.state.withLock { $0.refreshes == 1 && !$0.isReused })
        #expect(bench.eventNames.last == "auth.signedOut", "\(bench.eventNames)")
    }

    @Test("a caller without a token is notified when one is available", .timeLimit(.minutes(1)))
    func recovery() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        try await bench.running {
            var recoveries = bench.service.recoveries().makeAsyncIterator()
            // How it is now.
            #expect(await recoveries.next() != nil)
            // A token that is renewed while none was missed is no news.
            bench.clock.pass(.seconds(290))
            _ = try await bench.service.token(TokenQuery())
            // It fails, and is asked again at once.
            for _ in 0..<2 { bench.server.script(.fail(SignInFailure(.offline, "the server is away"))) }
            bench.clock.pass(.seconds(301))
            let refused = OneShot()
            async let refusal: TokenRefusal.Reason? = {
                defer { refused.fire() }
                do throws(TokenRefusal) { _ = try await bench.service.token(TokenQuery()) } catch {
                    return error.reason
                }
                return nil
            }()
            let isRefused = await eventually {
                bench.clock.pass(.milliseconds(20))
                return refused.hasFired
            }
            let reason = await refusal
            #expect(isRefused && reason == .unavailable)
            let told = OneShot()
            async let next: Void? = {
                defer { told.fire() }
                return await recoveries.next()
            }()
            // Time passes for the pause after the failure, and whatever else waits.
            let isTold = await eventually {
                bench.clock.pass(.milliseconds(500))
                return told.hasFired
            }
            #expect(isTold)
            #expect(await next != nil)
            #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-3")
        }
    }

    @Test("concurrent callers cause one refresh request")
    func singleFlight() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.clock.pass(.seconds(290))
        try await bench.running {
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<64 {
                    group.addTask { try await bench.service.token(TokenQuery()).value.reveal() }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens == ["access-2"])
        }
        #expect(bench.server.state.withLock { $0.refreshes } == 1)
        #expect(bench.eventNames == ["auth.signedIn", "auth.refreshed"])
    }

    @Test("without a running service, a caller refreshes the token itself")
    func withoutRun() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.clock.pass(.seconds(290))
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-2")
    }

    @Test("processes of a group take turns, and share tokens")
    func processes() async throws {
        let (store, clock, server) = (try SharedStore(), HandClock(), ScriptedServer())
        let benches = try await (0..<8).asyncMap { _ in try await Bench(store: store, clock: clock, server: server) }
        try await benches[0].signIn()
        for bench in benches { await bench.manager.reload() }
        for round in 2...10 {
            clock.pass(.seconds(290))
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for bench in benches {
                    group.addTask { try await bench.service.token(TokenQuery()).value.reveal() }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens == ["access-\(round)"])
        }
        let state = server.state.withLock { $0 }
        #expect(state.refreshes == 9)
        #expect(state.mostInFlight == 1)
        #expect(!state.isReused)
    }

    @Test("a transient failure keeps the session, is reported with its place in the file, and is retried")
    func transient() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.clock.pass(.seconds(301))
        let failure = SignInFailure(.serverError, "500", setting: .url)
        bench.server.script(.fail(failure))
        await #expect { try await bench.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .unavailable
        }
        #expect(bench.state() == "signedIn")
        #expect(bench.told.last == "degraded file.yaml:4:8")
        #expect(bench.eventNames == ["auth.signedIn", "auth.failed"])
        // Not again before its time.
        await #expect { try await bench.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .unavailable
        }
        #expect(bench.server.state.withLock { $0.refreshes } == 1)
        bench.clock.pass(.seconds(2))
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-2")
        #expect(bench.told.last == "well")
    }

    @Test("a valid token is returned while the server fails")
    func usable() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.clock.pass(.seconds(270))
        bench.server.script(.fail(SignInFailure(.serverError, "500")))
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-1")
        #expect(bench.server.state.withLock { $0.refreshes } == 1)
    }

    @Test("a lost response is requested again with the same refresh token")
    func lostAnswer() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.clock.pass(.seconds(290))
        bench.server.script(.lose)
        let service = bench.service
        let before = bench.clock.waits
        let token = Task { try await service.token(TokenQuery()) }
        // For the end of the lease, for that of its patience, and to ask again.
        #expect(await eventually { bench.clock.waits == before + 3 })
        #expect(bench.server.state.withLock { $0.refreshes } == 1)
        bench.clock.pass(.milliseconds(260))
        #expect(try await token.value.value.reveal() == "access-2")
        #expect(bench.server.state.withLock { $0.refreshes } == 2)
        #expect(bench.state() == "signedIn")
    }

    @Test("a clear rejection by the server ends the session")
    func ended() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.clock.pass(.seconds(290))
        bench.server.script(.fail(SignInFailure(.invalidGrant, "revoked")))
        await #expect { try await bench.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .signedOut
        }
        #expect(bench.state() == "signedOut")
        #expect(bench.eventNames == ["auth.signedIn", "auth.failed", "auth.signedOut"])
        // Another process, and this one after a restart, know it.
        let other = try await Bench(store: bench.store, clock: bench.clock, server: bench.server)
        #expect(other.state() == "signedOut")
    }

    @Test("a blocked account is reported as such")
    func blocked() async throws {
        let bench = try await Bench(Bench.usual + "\nguidance: { blocked: \"Write to help@example.com.\" }")
        try await bench.signIn()
        bench.clock.pass(.seconds(290))
        bench.server.script(.fail(SignInFailure(.blocked, "user is blocked")))
        await #expect { try await bench.service.token(TokenQuery()) } throws: {
            let refusal = $0 as? TokenRefusal
            return refusal?.reason == .blocked && refusal?.guidance == "Write to help@example.com."
        }
        #expect(try await Bench(store: bench.store, clock: bench.clock).state() == "blocked")
    }

    @Test("a rejection is ignored if another process has newer tokens")
    func newerPair() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.clock.pass(.seconds(290))
        let machine = OneShot()
        bench.server.script(.wait(machine), .fail(SignInFailure(.invalidGrant, "x")))
        let service = bench.service
        let token = Task { try await service.token(TokenQuery()) }
        #expect(await eventually { bench.server.state.withLock { $0.inFlight } == 1 })
        // Somebody who did not heed the lease has used the token, and stored what it was given.
        let repository = bench.manager.repository
        let present = try await #require(try repository.session())
        var session = try #require(present.record.session)
        session.grant = bench.server.grant(user: "ada")
        session.rotation += 1
        session.life = TokenLifetime(session.grant, bench.clock.clockwork)
        let record = SessionRecord(content: .session(session), server: present.record.server)
        _ = try await repository.put(record, after: present.version)
        machine.fire()
        #expect(try await token.value.value.reveal() == "access-2")
        #expect(bench.state() == "signedIn")
    }

    @Test("a refresh token in use at a crash is used again at the next start")
    func crashBeforeSending() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        let repository = bench.manager.repository
        let present = try await #require(try repository.session())
        var session = try #require(present.record.session)
        session.unansweredRefreshes = 1
        let record = SessionRecord(content: .session(session), server: present.record.server)
        _ = try await repository.put(record, after: present.version)
        let next = try await Bench(store: bench.store, clock: bench.clock, server: bench.server)
        try await next.running {
            #expect(await eventually { bench.server.state.withLock { $0.refreshes } == 1 })
            #expect(await eventually { next.eventNames.contains("auth.refreshed") })
        }
        #expect(next.state() == "signedIn")
        #expect(try await repository.session()?.record.session?.unansweredRefreshes == 0)
    }

    @Test(
        "tokens that cannot be stored are kept in memory, and are not returned until stored",
        arguments: [StoreFailure.Kind.full, .away, .evicted, .rewound]
    )
    func unsaved(kind: StoreFailure.Kind) async throws {
        let store = try SharedStore()
        let values = FullStore(store.sqlite, as: kind)
        let bench = try await Bench(store: store, values: values)
        try await bench.signIn()
        bench.clock.pass(.seconds(301))
        // The mark is written, the new pair is not.
        values.refuse(after: 1)
        let service = bench.service
        let isOver = Flag(false)
        let refused = Task {
            defer { isOver.value = true }
            return try await service.token(TokenQuery())
        }
        while !isOver.value {
            #expect(await eventually { bench.clock.sleepers >= 3 || isOver.value })
            bench.clock.pass(.seconds(7))
        }
        await #expect(throws: TokenRefusal.self) { try await refused.value }
        #expect(bench.server.state.withLock { $0.refreshes } == 1)
        #expect(bench.state() == "signedIn")
        values.refuse(after: nil)
        bench.clock.pass(.seconds(61))
        #expect(try await bench.service.token(TokenQuery(minimumLifetime: .zero)).value.reveal() == "access-2")
        #expect(!bench.server.state.withLock { $0.isReused })
    }

    @Test("a rejected token is refreshed whatever its age")
    func refused() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        let token = try await bench.service.token(TokenQuery())
        let first = bench.manager.renewalRequests.count
        for _ in 0..<2 { await bench.service.refused(token) }
        // Whoever renews is woken once.
        #expect(bench.manager.renewalRequests.count == first + 1)
        let next = try await bench.service.token(TokenQuery())
        #expect(next.value.reveal() == "access-2")
        let second = bench.manager.renewalRequests.count
        await bench.service.refused(token)
        // One that has only just come would not be better the next time.
        bench.clock.pass(.milliseconds(999))
        await bench.service.refused(next)
        #expect(bench.manager.renewalRequests.count == second)
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-2")
        bench.clock.pass(.milliseconds(1))
        await bench.service.refused(next)
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-3")
    }

    @Test("a clock set back extends no token, and one set forward invalidates none")
    func clocks() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        let start = bench.clock.clockwork.wall()
        bench.clock.jump(to: start - 86_400_000)
        bench.clock.pass(.seconds(290))
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-2")
        bench.clock.jump(to: start + 86_400_000)
        bench.server.script(.fail(SignInFailure(.serverError, "500")))
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-2")
        #expect(bench.server.state.withLock { $0.refreshes } == 2)
    }

    @Test("the age of a token uses the larger clock difference, and the refresh is in the second half of its life")
    func age() {
        let clock = HandClock(wall: 0)
        let life = TokenLifetime(wall: 0, monotonic: .zero, lifetime: .seconds(100))
        clock.pass(.seconds(10))
        #expect(life.remaining(clock.clockwork) == .seconds(90))
        clock.jump(to: 40_000)
        #expect(life.remaining(clock.clockwork) == .seconds(60))
        #expect(life.monotonicRemaining(clock.clockwork) == .seconds(90))
        clock.jump(to: -40_000)
        #expect(life.remaining(clock.clockwork) == .seconds(90))
        #expect(life.renewalMargin(.seconds(20)) == .seconds(20))
        #expect(life.renewalMargin(.seconds(60)) == .seconds(50))
        let endless = TokenLifetime(wall: 0, monotonic: .zero, lifetime: nil)
        #expect(endless.remaining(clock.clockwork) == nil)
        #expect(endless.renewalMargin(.seconds(60)) == .zero)
    }

    @Test("the retry delay grows to one minute, longer on Retry-After, one hour for permanent errors")
    func backoff() {
        let busy = SignInFailure(.serverError, "500")
        let pauses = (1...9).map { Backoff.pause(after: $0, busy, random: 1) / .seconds(1) }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(Backoff.pause(after: 1, busy, random: 0) == .milliseconds(500))
        var told = busy
        told.retryAfter = .seconds(120)
        #expect(Backoff.pause(after: 9, told, random: 1) == .seconds(120))
        told.retryAfter = .seconds(86_400)
        #expect(Backoff.pause(after: 1, told, random: 1) == .seconds(3_600))
        let wrong = SignInFailure(.invalidCredentials, "wrong")
        #expect(Backoff.pause(after: 1, wrong, random: 0) == .seconds(3_600))
    }

    @Test("tokens are refreshed automatically before their expiry")
    func ahead() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        try await bench.running {
            #expect(await eventually { bench.clock.sleepers > 0 })
            for _ in 0..<40 where bench.server.state.withLock({ $0.refreshes }) == 0 {
                bench.clock.pass(.seconds(6))
                // Whoever renews waits again, or has asked: else the next step would come before its wait does.
                #expect(
                    await eventually {
                        bench.server.state.withLock { $0.refreshes } > 0
                            || bench.clock.sleepers == 1 && !bench.manager.state.withLock(\.isRenewing)
                    }
                )
            }
            #expect(await eventually { bench.server.state.withLock { $0.refreshes } == 1 })
        }
        // Four minutes of five, less a quarter of the lead at the most.
        let passed = bench.clock.clockwork.monotonic()
        #expect(passed >= .seconds(225) && passed <= .seconds(246))
    }

    @Test("the app signs in automatically, and again when its token expires")
    func app() async throws {
        let bench = try await Bench(Bench.usual + "\nmode: app\nclientSecret: ${env:S:-s}")
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-1")
        bench.clock.pass(.seconds(290))
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-2")
        #expect(bench.server.state.withLock { $0.appSignIns } == 2)
        await #expect { try await bench.service.token(TokenQuery(.user)) } throws: {
            ($0 as? TokenRefusal)?.reason == .undeclared
        }
    }

    @Test("with appPlus the app token is used until a user signs in, and after sign-out")
    func appPlus() async throws {
        let bench = try await Bench(Bench.usual + "\nmode: appPlus\nclientSecret: ${env:S:-s}")
        #expect(try await bench.service.token(TokenQuery()).mode == .app)
        try await bench.signIn()
        #expect(try await bench.service.token(TokenQuery()).mode == .appPlus)
        #expect(try await bench.service.token(TokenQuery(.app)).mode == .app)
        #expect(bench.service.user?.subject == "ada")
        _ = try await bench.manager.signOut(.user)
        #expect(try await bench.service.token(TokenQuery()).mode == .app)
        #expect(bench.service.user == nil)
    }

    @Test("a wrong password is not retried automatically")
    func wrongPassword() async throws {
        let section = Bench.usual + "\nflow: password\nusername: kiosk\npassword: ${env:P:-wrong}"
        let bench = try await Bench(section)
        await #expect(throws: TokenRefusal.self) { try await bench.service.token(TokenQuery()) }
        bench.clock.pass(.seconds(600))
        await #expect(throws: TokenRefusal.self) { try await bench.service.token(TokenQuery()) }
        #expect(bench.server.state.withLock { $0.signIns } == 1)
    }

    @Test("environments and servers have separate sessions")
    func apart() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        let other = try await Bench(store: bench.store, clock: bench.clock, environment: "prod")
        #expect(other.state() == "signedOut")
        let back = try await Bench(store: bench.store, clock: bench.clock)
        #expect(back.state() == "signedIn")
        #expect(back.service.user?.claims["name"]?.string == "Ada")
    }

    @Test("a sign-out revokes the tokens, and other processes notice")
    func signOut() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        let other = try await Bench(store: bench.store, clock: bench.clock, server: bench.server)
        try await other.running {
            #expect(other.state() == "signedIn")
            _ = try await bench.manager.signOut(.user)
            // They are told right after it has become so.
            #expect(await eventually { other.eventNames.contains("auth.signedOut") })
            #expect(other.state() == "signedOut")
        }
    }

    @Test("tokens that arrive after a sign-out are revoked")
    func signOutMeanwhile() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.clock.pass(.seconds(290))
        let machine = OneShot()
        bench.server.script(.wait(machine))
        let service = bench.service
        let token = Task { try await service.token(TokenQuery()) }
        #expect(await eventually { bench.server.state.withLock { $0.inFlight } == 1 })
        _ = try await bench.manager.signOut(.user)
        machine.fire()
        await #expect { try await token.value } throws: {
            ($0 as? TokenRefusal)?.reason == .signedOut
        }
        #expect(bench.server.state.withLock { $0.revoked } == ["access-2"])
        #expect(bench.state() == "signedOut")
    }
}

/// A store that takes so many writes and no more, because it is full or for another reason.
final class FullStore: StoreAround {
    let store: any KeyValueStore
    private let left = Mutex<Int?>(nil)

    private let kind: StoreFailure.Kind

    init(_ store: any KeyValueStore, as kind: StoreFailure.Kind = .full) { (self.store, self.kind) = (store, kind) }

    func refuse(after count: Int?) { left.withLock { $0 = count } }
    var isRefusing: Bool { left.withLock { $0 != nil } }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        let isFull = left.withLock { left in
            guard let count = left else { return false }
            left = max(0, count - 1)
            return count <= 0
        }
        if isFull { throw StoreFailure(kind, "the store refuses") }
        return try await store.put(value, under: key, in: namespace, if: condition)
    }
    func remove(_ key: String, in namespace: String, if condition: StoreCondition) async throws(StoreFailure) -> Bool {
        if left.withLock({ $0 == 0 }) { throw StoreFailure(kind, "the store refuses") }
        return try await store.remove(key, in: namespace, if: condition)
    }
}
