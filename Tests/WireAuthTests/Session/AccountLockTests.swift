import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

@testable import WireAuth

@Suite("A lock with the account password")
struct AccountLockTests {
    static let section = Bench.usual + "\nlock: { after: 5m, attempts: 3, method: pam }"

    private func signedIn(_ accounts: ScriptedAccounts = ScriptedAccounts()) async throws -> Bench {
        let bench = try await Bench(Self.section, accounts: accounts)
        try await bench.signIn(lifetime: .seconds(86_400))
        return bench
    }

    private func attempt(_ bench: Bench, _ password: String, _ accounts: ScriptedAccounts) async -> String {
        do throws(LockFailure) {
            try await bench.manager.unlock(.password(Secret(password), accounts))
            return "open"
        } catch {
            switch error {
            case .wrong(let method, let left, let wait): return "wrong \(method), \(left) left, \(wait.wholeSeconds) s"
            case .tooSoon(let wait): return "wait \(wait.wholeSeconds) s"
            case .unjudged(let reason, let wait): return "\(reason), \(wait.wholeSeconds) s"
            default: return "\(error)"
            }
        }
    }

    @Test("the session locks without a PIN, on request and when idle, and unlocks with the password")
    func locks() async throws {
        let accounts = ScriptedAccounts()
        let bench = try await signedIn(accounts)
        try await bench.manager.lock(pin: nil, nil)
        #expect(bench.state() == "locked")
        await #expect { try await bench.service.token(TokenQuery()) } throws: {
            ($0 as? TokenRefusal)?.reason == .locked
        }
        #expect(await attempt(bench, "right", accounts) == "open")
        _ = try await bench.service.token(TokenQuery())
        bench.clock.pass(.seconds(300))
        await #expect {
            try await bench.service.token(TokenQuery())
        } throws: {
            let refusal = $0 as? TokenRefusal
            return refusal?.reason == .locked && refusal?.guidance.contains("password") == true
        }
        #expect(await attempt(bench, "right", accounts) == "open")
    }

    @Test("the idle time of a session that was never locked counts across a restart")
    func restart() async throws {
        let bench = try await signedIn()
        bench.clock.pass(.seconds(200))
        _ = bench.manager.read(for: .zero, countsAsUse: true)
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

    @Test("wrong passwords cause delays like wrong PINs, and the last one ends the session")
    func attempts() async throws {
        let accounts = ScriptedAccounts()
        let bench = try await signedIn(accounts)
        try await bench.manager.lock(pin: nil, nil)
        #expect(await attempt(bench, "no", accounts) == "wrong pam, 2 left, 1 s")
        #expect(await attempt(bench, "right", accounts) == "wait 1 s")
        // Not even asked.
        #expect(accounts.state.withLock(\.asked) == 1)
        bench.clock.pass(.seconds(1))
        #expect(await attempt(bench, "no", accounts) == "wrong pam, 1 left, 2 s")
        bench.clock.pass(.seconds(2))
        #expect(await attempt(bench, "no", accounts) == "wiped(WireAuthContract.UnlockMethod.pam)")
        #expect(bench.state() == "signedOut")
        #expect(bench.server.state.withLock { $0.revoked } == ["access-1"])
    }

    @Test("an unavailable PAM ends no session, and delays attempts")
    func disorder() async throws {
        let accounts = ScriptedAccounts()
        let bench = try await signedIn(accounts)
        try await bench.manager.lock(pin: nil, nil)
        accounts.state.withLock { $0.disorder = "gone" }
        var waits: [String] = []
        for _ in 0..<10 {
            waits.append(await attempt(bench, "right", accounts))
            #expect(await attempt(bench, "right", accounts).hasPrefix("wait "))
            bench.clock.pass(.seconds(32))
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 32, 32, 32, 32].map { "gone, \($0) s" })
        #expect(bench.state() == "locked")
        accounts.state.withLock { $0.disorder = nil }
        #expect(await attempt(bench, "right", accounts) == "open")
        try await bench.manager.lock(pin: nil, nil)
        #expect(await attempt(bench, "no", accounts) == "wrong pam, 2 left, 1 s")
    }

    @Test("a PIN neither locks nor unlocks, and a password does not unlock a PIN lock")
    func otherMethod() async throws {
        let accounts = ScriptedAccounts()
        let bench = try await signedIn(accounts)
        await #expect(throws: LockFailure.self) { try await bench.manager.lock(pin: "1234", QuickHashing()) }
        #expect(bench.state() == "signedIn")
        try await bench.manager.lock(pin: nil, nil)
        await #expect(throws: LockFailure.self) {
            try await bench.manager.unlock(.pin(Secret("1234"), QuickHashing()))
        }
        #expect(bench.state() == "locked")
        let pin = try await Bench(LockTests.section)
        try await pin.signIn()
        try await pin.manager.lock(pin: "1234", QuickHashing())
        #expect(await attempt(pin, "right", accounts) == "otherMethod(WireAuthContract.UnlockMethod.pin)")
        #expect(accounts.state.withLock(\.asked) == 0)
    }

    @Test("a check for one session does not unlock another one")
    func anotherSession() async throws {
        let accounts = ScriptedAccounts()
        let bench = try await signedIn(accounts)
        try await bench.manager.lock(pin: nil, nil)
        let machine = OneShot()
        accounts.state.withLock { $0.machine = machine }
        async let slow = attempt(bench, "right", accounts)
        #expect(await eventually { accounts.state.withLock(\.asked) == 1 })
        _ = try await bench.manager.signOut(.user)
        try await bench.signIn(lifetime: .seconds(86_400))
        try await bench.manager.lock(pin: nil, nil)
        machine.fire()
        #expect(await slow == "signedOut")
        #expect(bench.state() == "locked")
    }

    @Test("too many wrong attempts end only their own session")
    func anotherSessionStays() async throws {
        let accounts = ScriptedAccounts()
        let bench = try await Bench(Bench.usual + "\nlock: { attempts: 1, method: pam }", accounts: accounts)
        try await bench.signIn()
        try await bench.manager.lock(pin: nil, nil)
        let machine = OneShot()
        accounts.state.withLock { $0.machine = machine }
        async let slow = attempt(bench, "no", accounts)
        #expect(await eventually { accounts.state.withLock(\.asked) == 1 })
        _ = try await bench.manager.signOut(.user)
        try await bench.signIn()
        machine.fire()
        _ = await slow
        #expect(bench.state() == "signedIn")
    }

    @Test("the app's own session is never locked")
    func app() async throws {
        let section = Self.section + "\nmode: appPlus\nclientSecret: secret"
        let bench = try await Bench(section)
        let app = try #require(bench.service.appManager)
        _ = try await app.token(for: .zero)
        try await bench.service.rebind(to: try Bench.read(section).settings, in: bench.host)
        bench.clock.pass(.seconds(299))
        _ = try await app.token(for: .zero)
        bench.clock.pass(.seconds(3_000))
        _ = try await app.token(for: .zero)
    }

    @Test("a lock removed from the file blocks nothing")
    func undeclared() async throws {
        let bench = try await signedIn()
        try await bench.manager.lock(pin: nil, nil)
        try await bench.service.rebind(to: try Bench.read(Bench.usual).settings, in: bench.host)
        #expect(bench.state() == "signedIn")
        try await bench.service.rebind(to: try Bench.read(Self.section).settings, in: bench.host)
        #expect(bench.state() == "locked")
    }

    @Test("the status shows the unlock method, and the password unlocks over the local API")
    func routes() async throws {
        let accounts = ScriptedAccounts()
        let counter = try Counter(try await signedIn(accounts))
        try await counter.serving {
            let open = try await counter.ask("GET", "/v1/auth").json["lock"]
            #expect(open?["method"]?.string == "pam")
            #expect(open?["obstacle"] == nil)
            let pin = try await counter.ask("POST", "/v1/auth/lock", #"{"pin": "1234"}"#)
            #expect(pin.status == 409)
            #expect(try await counter.ask("POST", "/v1/auth/lock").json["state"]?.string == "locked")
            #expect(try await counter.ask("POST", "/v1/auth/unlock", #"{}"#).status == 400)
            let both = #"{"pin": "1234", "password": "right"}"#
            #expect(try await counter.ask("POST", "/v1/auth/unlock", both).status == 400)
            #expect(try await counter.ask("POST", "/v1/auth/unlock", #"{"pin": "1234"}"#).status == 409)
            let wrong = try await counter.ask("POST", "/v1/auth/unlock", #"{"password": "secret words"}"#)
            #expect(wrong.status == 403)
            #expect(wrong.json["type"]?.string == "urn:corewire:problem:wrong-password")
            #expect(wrong.fields.contains("Retry-After: 1"))
            #expect(!wrong.text.contains("secret words"))
            counter.bench.clock.pass(.seconds(1))
            accounts.state.withLock { ($0.disorder, $0.obstacle) = ("gone", "no service") }
            let gone = try await counter.ask("POST", "/v1/auth/unlock", #"{"password": "right"}"#)
            #expect(gone.status == 503)
            #expect(gone.fields.contains("Retry-After: 2"))
            #expect(try await counter.ask("GET", "/v1/auth").json["lock"]?["obstacle"]?.string == "no service")
            accounts.state.withLock { ($0.disorder, $0.obstacle) = (nil, nil) }
            counter.bench.clock.pass(.seconds(2))
            let right = try await counter.ask("POST", "/v1/auth/unlock", #"{"password": "right"}"#)
            #expect(right.json["state"]?.string == "signedIn")
            #expect(try await counter.ask("POST", "/v1/auth/unlock", #"{"password": "right"}"#).status == 409)
        }
    }
}
