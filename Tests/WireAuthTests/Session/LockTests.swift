import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireSQLite
import WireStore
import Workbench

@testable import WireAuth

@Suite("The session lock")
struct LockTests {
    static let section = Bench.usual + "\nlock: { after: 5m, attempts: 3 }"

    private func locked() async throws -> Bench {
        let bench = try await Bench(Self.section)
        try await bench.signIn(lifetime: .seconds(86_400))
        try await bench.manager.lock(pin: "1234", QuickHashing())
        return bench
    }

    private func attempt(
        _ bench: Bench,
        _ pin: String,
        _ hashing: any SlowHashing = QuickHashing()
    ) async throws -> String {
        do throws(LockFailure) {
            try await bench.manager.unlock(.pin(Secret(pin), hashing))
            return "open"
        } catch {
            switch error {
            case .wrong(_, let left, let wait): return "wrong, \(left) left, \(wait.wholeSeconds) s"
            case .tooSoon(let wait): return "wait \(wait.wholeSeconds) s"
            case .wiped: return "wiped"
            default: return "\(error)"
            }
        }
    }

    @Test("a locked session exposes nothing, stays signed in, and unlocks with the PIN")
    func locks() async throws {
        let bench = try await locked()
        #expect(bench.state() == "locked")
        await #expect { try await bench.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .locked
        }
        #expect(bench.service.user?.subject == "ada")
        #expect(try await attempt(bench, "1234") == "open")
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-1")
        #expect(bench.eventNames == ["auth.signedIn", "auth.locked", "auth.unlocked"])
    }

    @Test("times of another machine, or from before a restart, count by the wall clock")
    func otherMachine() {
        func clock(_ wall: Int64, _ monotonic: Duration, _ boot: String) -> TimeSource {
            TimeSource(wall: { wall }, monotonic: { monotonic }, boot: boot, sleep: { _ in })
        }
        let (first, second) = (clock(1_000_000, .seconds(10), "a"), clock(1_002_000, .seconds(86_400), "b"))
        let rules = LockRules(after: .seconds(300), attempts: 3)
        var lock = LockRecord(session: "s-1", first)
        lock.failures = 1
        lock.failed = .seconds(10)
        #expect(lock.converted(to: first) == lock)
        let converted = lock.converted(to: second)
        #expect(rules.idle(since: converted, second) == .seconds(2))
        #expect(LockRules.wait(converted, second) == .seconds(1))
        #expect(LockRules.rebased(converted, second) != nil)
        // A wall clock that is a little behind is that of another machine, one that is far behind is wrong.
        for (wall, idle) in [(999_000, .zero), (900_000, .seconds(300))] as [(Int64, Duration)] {
            let late = clock(wall, .seconds(5), "c")
            #expect(rules.idle(since: lock.converted(to: late, atStart: true), late) == idle)
            #expect(rules.idle(since: lock.converted(to: late), late) == .zero)
        }
        let life = TokenLifetime(wall: 1_000_000, monotonic: .seconds(10), boot: "a", lifetime: .seconds(300))
        #expect(life.remaining(second) == .seconds(298))
    }

    @Test("a session whose PIN is set later locks when idle")
    func laterPIN() async throws {
        let bench = try await Bench(Self.section)
        try await bench.running {
            try await bench.signIn(lifetime: .seconds(86_400 * 365))
            try await bench.manager.lock(pin: "1234", QuickHashing())
            let heard = bench.manager.renewalRequests.count
            #expect(try await attempt(bench, "1234") == "open")
            // Whoever waits without a moment to wait for is told that there is one now.
            #expect(bench.manager.renewalRequests.count > heard)
            #expect(
                await eventually {
                    bench.clock.pass(.seconds(10))
                    return bench.state() == "locked"
                }
            )
        }
    }

    @Test("a PIN of the sign-in is stored with the session")
    func withSession() async throws {
        let store = try SharedStore()
        let values = FullStore(store.sqlite)
        let bench = try await Bench(Self.section, store: store, values: values)
        bench.manager.state.withLock { $0.pin = "hash of 1234" }
        // The session is written down, and nothing after it.
        values.refuse(after: 1)
        try await bench.signIn(lifetime: .seconds(86_400))
        #expect(bench.service.authSnapshot.lock?.hasPIN == true)
        values.refuse(after: nil)
        // Neither is lost with the process.
        let next = try await Bench(Self.section, store: store, clock: bench.clock, server: bench.server)
        #expect(next.state() == "signedIn")
        bench.clock.pass(.seconds(86_000))
        _ = try? await next.service.token(TokenQuery(minimumLifetime: .seconds(1_000)))
        #expect(await lock(next, nil) == "locked")
        #expect(try await attempt(next, "1234") == "open")
    }

    @Test("the session locks when idle, whatever automatic requests are sent")
    func idle() async throws {
        let bench = try await locked()
        _ = try await attempt(bench, "1234")
        bench.clock.pass(.seconds(299))
        _ = try await bench.service.token(TokenQuery())
        guard case .token = bench.manager.read(for: .zero, countsAsUse: true) else {
            Issue.record("it is locked too early")
            return
        }
        bench.clock.pass(.seconds(299))
        _ = try await bench.service.token(TokenQuery())
        bench.clock.pass(.seconds(1))
        // At once, before anybody has written it down.
        await #expect { try await bench.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .locked
        }
        try await bench.running {
            #expect(await eventually { bench.state() == "locked" })
        }
    }

    @Test("the lock survives a restart, and idle time counts while stopped")
    func restart() async throws {
        let bench = try await locked()
        #expect(try await Bench(Self.section, store: bench.store, clock: bench.clock).state() == "locked")
        _ = try await attempt(bench, "1234")
        await bench.service.stop()
        bench.clock.pass(.seconds(299))
        let early = try await Bench(Self.section, store: bench.store, clock: bench.clock)
        _ = try await early.service.token(TokenQuery())
        bench.clock.pass(.seconds(1))
        let late = try await Bench(Self.section, store: bench.store, clock: bench.clock)
        await #expect { try await late.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .locked
        }
    }

    @Test("another process of the group locks and unlocks too")
    func group() async throws {
        let bench = try await locked()
        let other = try await Bench(Self.section, store: bench.store, clock: bench.clock)
        try await other.running {
            #expect(other.state() == "locked")
            _ = try await attempt(bench, "1234")
            #expect(await eventually { other.state() == "signedIn" })
        }
    }

    @Test(
        "the clocks of machines that share the session are not compared",
        arguments: [-3_600_000, -61_000, 0, 301_000, 3_600_000] as [Int64]
    )
    func clocks(ahead: Int64) async throws {
        let server = HandClock()
        let time = StoreClock(
            now: { server.clockwork.wall() },
            uptime: { server.clockwork.monotonic().inMicroseconds / 1_000 },
            boot: "server"
        )
        let shared = try Workbench(storeClock: time)
        let group = DataStore(values: shared.store, queue: shared.store)
        let first = try await Bench(Self.section, clock: HandClock(boot: "a"), group: group)
        try await first.signIn(lifetime: .seconds(86_400))
        try await first.manager.lock(pin: "1234", QuickHashing())
        #expect(try await attempt(first, "1234") == "open")
        func machine(_ boot: String) async throws -> Bench {
            let clock = HandClock(wall: first.clock.clockwork.wall() + ahead, boot: boot)
            return try await Bench(Self.section, clock: clock, server: first.server, group: group)
        }
        server.pass(.seconds(299))
        let second = try await machine("b")
        #expect(try await second.service.token(TokenQuery()).value.reveal() == "access-1")
        // Its idle time is that since the lock was stored.
        second.clock.pass(.seconds(1))
        await #expect { try await second.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .locked
        }
        // A change by another machine is a use at the time it is seen.
        try await first.manager.lock(pin: nil, QuickHashing())
        #expect(try await attempt(first, "1234") == "open")
        await second.manager.reload()
        #expect(try await second.service.token(TokenQuery()).value.reveal() == "access-1")
        server.pass(.seconds(300))
        let third = try await machine("c")
        await #expect { try await third.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .locked
        }
        await shared.store.close()
    }

    @Test("a runner starts with a locked session where the database takes no writes")
    func unwritable() async throws {
        let shared = try Workbench()
        let group = DataStore(values: shared.store, queue: shared.store)
        let first = try await Bench(Self.section, clock: HandClock(boot: "a"), group: group)
        try await first.signIn(lifetime: .seconds(86_400))
        try await first.manager.lock(pin: "1234", QuickHashing())
        let full = FullStore(shared.store)
        full.refuse(after: 0)
        let second = try await Bench(
            Self.section,
            clock: HandClock(boot: "b"),
            server: first.server,
            group: DataStore(values: full, queue: shared.store)
        )
        await #expect { try await second.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .locked
        }
        await shared.store.close()
    }

    @Test("each wrong attempt increases the delay, and the last one ends the session")
    func attempts() async throws {
        let bench = try await locked()
        #expect(try await attempt(bench, "0000") == "wrong, 2 left, 1 s")
        #expect(try await attempt(bench, "1234") == "wait 1 s")
        bench.clock.pass(.seconds(1))
        #expect(try await attempt(bench, "0000") == "wrong, 1 left, 2 s")
        bench.clock.pass(.seconds(2))
        #expect(try await attempt(bench, "nonsense") == "wiped")
        #expect(bench.state() == "signedOut")
        #expect(bench.server.state.withLock { $0.revoked } == ["access-1"])
        #expect(try await bench.manager.repository.lock() == nil)
    }

    @Test("a reboot neither shortens nor extends the delay")
    func rebooted() async throws {
        let bench = try await locked()
        bench.clock.pass(.seconds(100_000))
        #expect(try await attempt(bench, "0000") == "wrong, 2 left, 1 s")
        let clock = HandClock(wall: bench.clock.clockwork.wall())
        let other = try await Bench(Self.section, store: bench.store, clock: clock)
        #expect(try await attempt(other, "1234") == "wait 1 s")
        clock.pass(.seconds(1))
        #expect(try await attempt(other, "1234") == "open")
    }

    @Test("a session unlocked after a reboot stays unlocked, however long it was idle before")
    func rebootedOpen() async throws {
        let bench = try await locked()
        bench.clock.pass(.seconds(1_000))
        #expect(try await attempt(bench, "1234") == "open")
        try await bench.manager.lock(pin: nil, QuickHashing())
        // The use that was written down last is later than what this clock shows.
        let clock = HandClock(wall: bench.clock.clockwork.wall())
        let other = try await Bench(Self.section, store: bench.store, clock: clock)
        clock.pass(.seconds(300))
        #expect(try await attempt(other, "1234") == "open")
        #expect(try await other.service.token(TokenQuery()).value.reveal() == "access-1")
        clock.pass(.seconds(300))
        await #expect { try await other.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .locked
        }
    }

    @Test("an attempt counts before it is checked")
    func countsFirst() async throws {
        let bench = try await locked()
        do throws(LockFailure) {
            try await bench.manager.unlock(.pin(Secret("1234"), FailingHashing()))
            Issue.record("it must not open")
        } catch {
            #expect(try await bench.manager.repository.lock()?.record.failures == 1)
            #expect(bench.state() == "locked")
        }
    }

    /// What comes of locking with a PIN.
    private func lock(_ bench: Bench, _ pin: String?) async -> String {
        do throws(LockFailure) {
            try await bench.manager.lock(pin: pin, QuickHashing())
            return bench.state()
        } catch {
            return "\(error)"
        }
    }

    @Test("without a PIN the session does not lock, and a locked-out user cannot set one")
    func withoutPIN() async throws {
        let bench = try await Bench(Self.section)
        try await bench.signIn(lifetime: .seconds(86_400))
        #expect(await lock(bench, nil) == "noPIN")
        bench.clock.pass(.seconds(1_000))
        _ = try await bench.service.token(TokenQuery())
        #expect(await lock(bench, "12") == "badPIN")
        #expect(await lock(bench, "1234") == "locked")
        // The state is the same, so it is what was kept that tells whether this was refused.
        #expect(await lock(bench, "9999") == "locked")
        #expect(try await bench.manager.repository.lock()?.record.pin == "hash of 1234")
        #expect(try await attempt(bench, "1234") == "open")
    }

    @Test("a new session starts without the former lock")
    func another() async throws {
        let bench = try await locked()
        _ = try await bench.manager.signOut(.user)
        try await bench.signIn()
        #expect(bench.state() == "signedIn")
        #expect(await lock(bench, nil) == "noPIN")
    }

    @Test(
        "a PIN has exactly four to twelve digits",
        arguments: [
            ("1234", true), ("123456789012", true), ("0000", true), ("", false), ("123", false),
            ("1234567890123", false), ("12a4", false), ("12 4", false), ("-123", false), ("/123", false),
            ("12:4", false), ("１２３４", false),
        ]
    )
    func pins(text: String, isPIN: Bool) {
        #expect(LockRules.isPIN(text) == isPIN)
    }

    @Test("the delay starts after the check, however long it takes")
    func judging() async throws {
        let bench = try await locked()
        let hashing = PatientHashing(clock: bench.clock)
        for wait in [1, 2] {
            #expect(try await attempt(bench, "9999", hashing).hasSuffix(", \(wait) s"))
            #expect(try await attempt(bench, "1234") == "wait \(wait) s")
            bench.clock.pass(.seconds(wait))
        }
        #expect(try await attempt(bench, "1234") == "open")
    }

    @Test("the delay doubles with each wrong attempt, from one second to 15 minutes")
    func delays() {
        let delays = [0, 1, 2, 3, 9, 10, 11, 12, 1_000].map { LockRules.delay(after: $0) / .seconds(1) }
        #expect(delays == [0, 1, 2, 4, 256, 512, 900, 900, 900])
    }

    @Test("a use is recorded ten times per idle limit, between twice a second and twice a minute")
    func pulses() {
        let pulses = [1, 5, 60, 300, 3_000].map { (after: Int) in
            LockRules(after: .seconds(after), attempts: 3).usePulse / .milliseconds(1)
        }
        #expect(pulses == [500, 500, 6_000, 30_000, 30_000])
    }

    @Test("a session locks if both clocks went back")
    func noClock() {
        let clock = HandClock()
        clock.pass(.seconds(1_000))
        var record = LockRecord(session: "s", clock.clockwork)
        record.pin = "hash"
        let rules = LockRules(after: .seconds(300), attempts: 3)
        #expect(!rules.mustLock(record, clock.clockwork))
        let later = HandClock(wall: 0)
        #expect(rules.mustLock(record, later.clockwork))
    }
}

/// Fails where it is asked, as a process that ends there.
struct FailingHashing: SlowHashing {
    func slowHash(of text: [UInt8]) throws(Fault) -> String { throw Fault("gone") }
    func isSlowHash(_ hash: String, of text: [UInt8]) throws(Fault) -> Bool { throw Fault("gone") }
}

/// Takes ten seconds for each look at a PIN.
struct PatientHashing: SlowHashing {
    let clock: HandClock

    func slowHash(of text: [UInt8]) -> String { QuickHashing().slowHash(of: text) }
    func isSlowHash(_ hash: String, of text: [UInt8]) -> Bool {
        clock.pass(.seconds(10))
        return QuickHashing().isSlowHash(hash, of: text)
    }
}
