import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

@testable import WireAuth

@Suite("Races in a session")
struct RaceTests {
    /// Somebody who waits for a token that only a renewal of somebody else's can bring.
    private func waiter(_ bench: Bench) -> Task<String, any Error> {
        Task { try await bench.service.token(TokenQuery(minimumLifetime: .seconds(200))).value.reveal() }
    }

    @Test("a waiting caller wakes when another process has refreshed the token", .timeLimit(.minutes(1)))
    func wokenByOthers() async throws {
        let store = try SharedStore()
        let (clock, server) = (HandClock(), ScriptedServer())
        let bench = try await Bench(store: store, clock: clock, server: server)
        let other = try await Bench(store: store, clock: clock, server: server)
        try await bench.signIn()
        await other.manager.reload()
        clock.pass(.seconds(290))
        // Here nobody ever finishes a round: what is waited for is the news of the other process alone.
        bench.manager.state.withLock { $0.isRunning = true }
        let heard = bench.manager.renewalRequests.count
        let token = waiter(bench)
        #expect(await eventually { bench.manager.renewalRequests.count > heard })
        // What else is written in the store is no news, and no reason to give up.
        let updates = bench.manager.updates.count
        for _ in 0..<5 { await bench.manager.reload() }
        #expect(bench.manager.updates.count == updates)
        #expect(try await other.service.token(TokenQuery()).value.reveal() == "access-2")
        await bench.manager.reload()
        #expect(try await token.value == "access-2")
    }

    @Test("a caller that waits while the service stops still gets a token", .timeLimit(.minutes(1)))
    func wokenByTheEnd() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        bench.clock.pass(.seconds(290))
        bench.manager.state.withLock { $0.isRunning = true }
        let heard = bench.manager.renewalRequests.count
        let token = waiter(bench)
        #expect(await eventually { bench.manager.renewalRequests.count > heard })
        // What renews has been told to end before it could hear of the wish.
        let run = Task { await bench.manager.keepRenewing() }
        run.cancel()
        await run.value
        #expect(try await token.value == "access-2")
    }

    @Test("a session locked by another process is locked here, whatever was read earlier")
    func lockedElsewhere() async throws {
        let store = try SharedStore()
        let (clock, server) = (HandClock(), ScriptedServer())
        let bench = try await Bench(LockTests.section, store: store, clock: clock, server: server)
        let other = try await Bench(LockTests.section, store: store, clock: clock, server: server)
        try await bench.signIn()
        await other.manager.reload()
        _ = try await other.manager.signOut(.user)
        try await other.signIn()
        try await other.manager.lock(pin: "1234", QuickHashing())
        // The lock is seen before the session it is of, and the session as what a renewal has come to.
        try await bench.manager.reloadLock()
        await bench.manager.adopt(try await bench.manager.repository.session(), as: { .renewed($0) })
        #expect(bench.state() == "locked")
        await #expect { try await bench.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .locked
        }
    }

    @Test("a session that another process has begun and locked is locked here, whatever else is done here")
    func lockedMeanwhile() async throws {
        let store = try SharedStore()
        let (clock, server) = (HandClock(), ScriptedServer())
        let changes: [(Bench) async throws -> Void] = [
            { _ = try await $0.manager.signOut(.wiped, only: "former") },
            { try await $0.signIn() },
            { await $0.manager.adopt(nil) },
        ]
        let other = try await Bench(LockTests.section, store: store, clock: clock, server: server)
        var benches: [Bench] = []
        for _ in changes {
            benches.append(try await Bench(LockTests.section, store: store, clock: clock, server: server))
        }
        try await other.signIn()
        try await other.manager.lock(pin: "1234", QuickHashing())
        for (bench, change) in zip(benches, changes) {
            try await change(bench)
            #expect(bench.state() == "locked")
        }
    }

    @Test("recording a use does not unlock another session")
    func lockOfAnother() async throws {
        let store = try SharedStore()
        let (clock, server) = (HandClock(), ScriptedServer())
        let bench = try await Bench(LockTests.section, store: store, clock: clock, server: server)
        let other = try await Bench(LockTests.section, store: store, clock: clock, server: server)
        bench.manager.state.withLock { $0.pin = "hash of 1234" }
        try await bench.signIn()
        await other.manager.reload()
        _ = try await other.manager.signOut(.user)
        try await other.signIn()
        try await other.manager.lock(pin: "1234", QuickHashing())
        // This process has not yet seen any of it.
        clock.pass(.seconds(100))
        _ = bench.manager.read(for: .zero, countsAsUse: true)
        await bench.manager.noteUse(always: true)
        let lock = try await #require(try bench.manager.repository.lock()?.record)
        #expect(lock.isLocked)
        #expect(lock.pin == "hash of 1234")
        #expect(bench.state() == "locked")
    }

    @Test("a stale read of a missing session does not end a newer one")
    func oldNews() async throws {
        let bench = try await Bench()
        let before = try await bench.manager.repository.session()
        try await bench.signIn()
        await bench.manager.adopt(before)
        #expect(bench.state() == "signedIn")
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-1")
    }

    @Test("a sign-in that starts at the end of the last session continues after its reason is known")
    func signInAtTheEnd() async throws {
        let bench = try await Bench(Bench.usual + "\nredirectUri: com.example.tasks://restore")
        let coordinator = try #require(bench.service.coordinator)
        try await bench.signIn()
        let repository = bench.manager.repository
        let present = try await #require(try repository.session())
        let over = SessionRecord(content: .signedOut(.expired), server: present.record.server)
        let version = try await repository.put(over, after: present.version)
        // Whoever watches the store is quicker than who has written it, and so is the person.
        await bench.manager.reload()
        #expect(bench.state() == "signedOut")
        _ = try await coordinator.begin(SignInOptions(flow: .browser))
        let no = SignInFailure(.invalidGrant, "revoked")
        await bench.manager.adopt(Repository.Stored(record: over, version: version), ended: no)
        #expect(bench.eventNames.last == "auth.failed")
        try await coordinator.finish(callback: "com.example.tasks://restore?state=state-1&code=x") { _ in }
        #expect(bench.state() == "signedIn")
    }

    @Test("the PIN of a failed sign-in is discarded")
    func pinOfAnother() async throws {
        let bench = try await Bench(LockTests.section)
        let coordinator = try #require(bench.service.coordinator)
        _ = try await coordinator.begin(SignInOptions(flow: .device, pinHash: "hash of 1111"))
        coordinator.cancel()
        _ = try await coordinator.begin(SignInOptions(flow: .device))
        try await bench.signIn()
        #expect(try await bench.manager.repository.lock()?.record.pin == nil)
    }

    @Test("a sign-in cancelled, or signed out, during the token request does not sign in")
    func givenUp() async throws {
        let machine = OneShot()
        let server = ScriptedServer()
        server.state.withLock { $0.finishGate = machine }
        let bench = try await Bench(Bench.usual + "\nredirectUri: com.example.tasks://restore", server: server)
        let coordinator = try #require(bench.service.coordinator)
        _ = try await coordinator.begin(SignInOptions(flow: .browser))
        let finish = Task {
            do throws(SignInFailure) {
                try await coordinator.finish(callback: "com.example.tasks://restore?state=state-1&code=x") { _ in }
                return nil as SignInFailure.Kind?
            } catch {
                return error.kind
            }
        }
        #expect(await eventually { !server.state.withLock { $0.finished }.isEmpty })
        #expect(coordinator.cancel())
        machine.fire()
        #expect(await finish.value == .cancelled)
        #expect(bench.state() == "signedOut")
        #expect(try await bench.manager.repository.session() == nil)
        #expect(server.state.withLock { $0.revoked } == ["access-1"])
    }

    @Test("a sign-in started during the stop leaves nothing open")
    func stopped() async throws {
        let machine = OneShot()
        let server = ScriptedServer()
        server.state.withLock { $0.beginGate = machine }
        let bench = try await Bench(server: server)
        let coordinator = try #require(bench.service.coordinator)
        let begun = Task {
            do throws(SignInFailure) {
                _ = try await coordinator.begin(SignInOptions(flow: .browser))
                return nil as SignInFailure.Kind?
            } catch {
                return error.kind
            }
        }
        #expect(await eventually { !server.state.withLock { $0.redirects }.isEmpty })
        coordinator.close()
        machine.fire()
        #expect(await begun.value == .abandoned)
        #expect(bench.state() == "signedOut")
        let uri = try #require(server.state.withLock { $0.redirects.first })
        let answer = try await Counter.ask("GET", uri)
        #expect(answer.status == 0)
    }

    @Test("after many sign-ins only the last listener is open")
    func many() async throws {
        let server = ScriptedServer()
        let bench = try await Bench(server: server)
        let coordinator = try #require(bench.service.coordinator)
        // Nobody waits for them yet, so more come than are kept.
        for _ in 0..<4 {
            _ = try await coordinator.begin(SignInOptions(flow: .browser))
            _ = try await coordinator.begin(SignInOptions(flow: .device))
        }
        _ = try await coordinator.begin(SignInOptions(flow: .browser))
        try await bench.running {
            let uris = server.state.withLock { $0.redirects }
            for uri in uris.dropLast() { #expect(try await Counter.ask("GET", uri).status == 0, "\(uri)") }
            let last = try #require(uris.last)
            #expect(try await Counter.ask("GET", last).status == 400)
        }
    }

    @Test("others are told of concurrent changes in their order")
    func order() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        let notices = LockNotices()
        let manager = SessionManager(
            mode: .user,
            repository: bench.manager.repository,
            source: bench.manager.source,
            revocations: bench.manager.revocations,
            settings: bench.manager.state.withLock(\.settings),
            clock: bench.clock.clockwork,
            random: { 0 },
            outlet: SessionOutlet { effects, _, _, _ in
                for case .emit(let notice) in effects {
                    switch notice {
                    case .locked: notices.areLocks.withLock { $0.append(true) }
                    case .unlocked: notices.areLocks.withLock { $0.append(false) }
                    default: break
                    }
                }
            }
        )
        try await manager.restore()
        await withDiscardingTaskGroup { group in
            for event in [SessionStateMachine.Event.lockClosed, .lockOpened] {
                group.addTask {
                    while notices.areLocks.withLock({ $0.count }) < 100_000 {
                        manager.handle(event)
                        await Task.yield()
                    }
                }
            }
        }
        let told = notices.areLocks.withLock { $0 }
        #expect(told.first == true)
        #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test("the health of the service covers both sessions")
    func health() async throws {
        let bench = try await Bench(Bench.usual + "\nmode: appPlus\nclientSecret: secret")
        let app = try #require(bench.service.appManager)
        app.recordFailure(SignInFailure(.serverError, "500", setting: .url))
        #expect(bench.told.last?.hasPrefix("degraded") == true)
        try await bench.signIn()
        bench.manager.recordFailure(SignInFailure(.offline, "gone", setting: .url))
        bench.clock.pass(.seconds(290))
        _ = try await bench.manager.token(for: .seconds(60))
        #expect(bench.told.last?.hasPrefix("degraded") == true)
        _ = try await app.token(for: .zero)
        #expect(bench.told.last == "well")
    }

    @Test("a sign-out revokes the tokens even if the lock cannot be removed")
    func signOutWithoutTheLock() async throws {
        let store = try SharedStore()
        let values = FullStore(store.sqlite)
        let bench = try await Bench(LockTests.section, store: store, values: values)
        try await bench.signIn()
        try await bench.manager.lock(pin: "1234", QuickHashing())
        values.refuse(after: 1)
        #expect(try await bench.manager.signOut(.user)?.grant.accessToken.reveal() == "access-1")
        #expect(bench.state() == "signedOut")
        #expect(try await bench.manager.repository.lock() != nil, "it could be removed")
    }
}

/// The notices of a lock that was closed or opened, in their order.
private final class LockNotices: Sendable {
    let areLocks = Mutex<[Bool]>([])
}
