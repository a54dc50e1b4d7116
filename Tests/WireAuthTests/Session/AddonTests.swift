import Support
import Synchronization
import Testing
import WireAddonContract
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService

@testable import WireAuth

@Suite("Sign-ins that add-ons carry out", .timeLimit(.minutes(3)))
struct AddonTests {
    private static let addon = Bench.usual + "\nflow: addon"

    /// An add-on that says something to each sign-in.
    private static func bench(
        _ section: String = AddonTests.addon,
        _ say: @escaping @Sendable (AddonSignIn) async -> AddonSignInEnd
    ) async throws -> (Bench, ScriptedRoll) {
        let roll = ScriptedRoll(say)
        let hooks = AddonHooks()
        hooks.setDirectory(AddonPoints([.signIn]), by: roll)
        return (try await Bench(section, addons: hooks), roll)
    }

    private static func ada(_ password: String = "right") -> AddonSignInEnd {
        .answered(.credentials(.password(name: "ada", Secret(password))), by: "mine", origin: nil)
    }

    private func outcome(_ task: SignInTask) async throws -> SignInVerdict.Outcome {
        try #require(await task.verdict.outcome())
    }

    private func failure(_ task: SignInTask) async throws -> SignInFailure {
        guard case .failed(let failure, _) = try await outcome(task) else { throw Bench.Unread() }
        return failure
    }

    /// Lets time pass until something has become so, and none while a server is being asked: its patience is by the same clock.
    private func passing(_ step: Duration, _ bench: Bench, until isSo: () -> Bool) async -> Bool {
        await eventually {
            if isSo() { return true }
            if !bench.manager.state.withLock(\.isRenewing) { bench.clock.pass(step) }
            return false
        }
    }

    @Test(
        "with flow 'addon' a user signs in automatically, and again after the session has ended"
    )
    func byItself() async throws {
        let (bench, roll) = try await Self.bench { _ in Self.ada() }
        bench.server.state.withLock { $0.lifetime = .seconds(100) }
        try await bench.running {
            #expect(await eventually { bench.state() == "signedIn" })
            #expect(roll.asked.map(\.patience) == [nil])
            // The server ends the session; whoever needs no person for another one has another one.
            bench.server.script(.fail(SignInFailure(.invalidGrant, "over")))
            #expect(await passing(.seconds(10), bench) { bench.server.state.withLock { $0.signIns } == 2 })
            #expect(await eventually { bench.state() == "signedIn" })
            #expect(!bench.eventNames.contains("auth.signedOut"))
        }
    }

    @Test(
        "an interactive add-on waits for a request; until then no user is signed in, and the service is healthy"
    )
    func attended() async throws {
        let (bench, roll) = try await Self.bench { requestedLifetime in
            requestedLifetime.patience == nil ? .nothing : Self.ada()
        }
        try await bench.running {
            #expect(await eventually { roll.asked.count == 1 })
            #expect(await eventually { !bench.manager.state.withLock { $0.signsInByItself } })
            #expect(bench.state() == "signedOut")
            #expect(bench.told.last != "degraded file.yaml:6:9")
            let refusal = await #expect(throws: AuthFailure.self) { _ = try await bench.service.token(nil, for: .zero) }
            #expect(refusal?.kind == .session(.signedOut))
            let task = try await bench.service.signIn(SignInRequest())
            #expect(task.flow == .addon)
            guard case .signedIn(let user) = try await outcome(task) else { throw Bench.Unread() }
            #expect(user.subject == "ada")
            #expect(roll.asked.map(\.patience) == [nil, .seconds(600)])
        }
    }

    @Test("a missing add-on is retried, and the status points at the flow")
    func absent() async throws {
        let isThere = Mutex(false)
        let (bench, _) = try await Self.bench { _ in isThere.withLock { $0 } ? Self.ada() : .nobody }
        try await bench.running {
            #expect(await eventually { bench.told.last == "degraded file.yaml:6:9" })
            isThere.withLock { $0 = true }
            #expect(await passing(.seconds(1), bench) { bench.state() == "signedIn" })
            #expect(await eventually { bench.told.last == "well" })
        }
    }

    @Test("the reply of an add-on determines the result of the sign-in")
    func answers() async throws {
        let answer = Mutex(Self.ada("wrong"))
        let (bench, _) = try await Self.bench { requestedLifetime in
            requestedLifetime.patience == nil ? .nothing : answer.withLock { $0 }
        }
        try await bench.running {
            let wrong = try await failure(bench.service.signIn(SignInRequest()))
            #expect(wrong.kind == .invalidCredentials)
            answer.withLock { $0 = .answered(.refusal("not on Sundays"), by: "mine", origin: nil) }
            let refused = try await failure(bench.service.signIn(SignInRequest()))
            #expect(refused.kind == .accessDenied)
            #expect(refused.detail == "the add-on 'mine' rejected the sign-in: not on Sundays")
            answer.withLock {
                $0 = .answered(.credentials(.network("google", token: Secret("t"))), by: "mine", origin: nil)
            }
            let network = try await failure(bench.service.signIn(SignInRequest()))
            #expect(network.kind == .unsupported)
            answer.withLock { $0 = .nothing }
            let nothing = try await failure(bench.service.signIn(SignInRequest()))
            #expect(nothing.detail == "no add-on handles 'auth.signIn'")
            #expect(bench.state() == "signedOut")
        }
    }

    @Test(
        "a browser sign-in is completed by the redirect URL of an add-on; another URL changes nothing"
    )
    func browser() async throws {
        let callbacks = Mutex(["com.example:/back?state=other", "com.example:/back?state=state-1&code=c"])
        let (bench, roll) = try await Self.bench(Bench.usual + "\nredirectUri: com.example:/back") { _ in
            let next = callbacks.withLock { $0.removeFirst() }
            return .answered(.callback(next), by: "mine", origin: nil)
        }
        try await bench.running {
            let first = try await bench.service.signIn(SignInRequest())
            #expect(await eventually { roll.asked.count == 1 })
            guard case .open(let url, "com.example:/back")? = roll.asked.first?.way else { throw Bench.Unread() }
            #expect(url.hasPrefix("https://sso.example.com/auth"))
            #expect(bench.state() == "signingIn")
            try bench.service.cancelSignIn()
            guard case .cancelled = try await outcome(first) else { throw Bench.Unread() }
            let second = try await bench.service.signIn(SignInRequest())
            guard case .signedIn = try await outcome(second) else { throw Bench.Unread() }
            #expect(bench.server.state.withLock { $0.finished } == ["com.example:/back?state=state-1&code=c"])
        }
    }

    @Test("a cancelled sign-in cancels the add-on, and a late reply is ignored")
    func givenUp() async throws {
        let isAsked = OneShot()
        let isOver = OneShot()
        let (bench, _) = try await Self.bench { requestedLifetime in
            guard requestedLifetime.patience != nil else { return .nothing }
            isAsked.fire()
            await untilCancelled()
            isOver.fire()
            return Self.ada()
        }
        try await bench.running {
            let task = try await bench.service.signIn(SignInRequest())
            await isAsked.wait()
            try bench.service.cancelSignIn()
            await isOver.wait()
            guard case .cancelled = try await outcome(task) else { throw Bench.Unread() }
            #expect(bench.state() == "signedOut")
            #expect(bench.server.state.withLock { $0.signIns } == 0)
        }
    }

    @Test("flow 'addon' requires the setting; password sign-in needs no add-on")
    func undeclared() async throws {
        let (plain, _) = try await Self.bench(Bench.usual) { _ in .nobody }
        await #expect(throws: AuthFailure.self) { _ = try await plain.service.signIn(SignInRequest(.addon)) }
        let (bench, _) = try await Self.bench { _ in .nothing }
        await #expect(throws: AuthFailure.self) { _ = try await bench.service.signIn(SignInRequest(.password)) }
        var typed = SignInRequest(.password)
        (typed.userName, typed.password) = ("ada", SecretText(Secret("right")))
        _ = try await bench.service.signIn(typed)
        #expect(bench.state() == "signedIn")
    }
}

/// Add-ons that say what a test says, and what they were asked.
final class ScriptedRoll: AddonDirectory {
    private let say: @Sendable (AddonSignIn) async -> AddonSignInEnd
    private let state = Mutex<[AddonSignIn]>([])

    init(_ say: @escaping @Sendable (AddonSignIn) async -> AddonSignInEnd) { self.say = say }

    var asked: [AddonSignIn] { state.withLock { $0 } }
    func notify(_ moment: AddonMoment) {}
    func refusal(of request: AddonRequest) async -> AddonRefusal? { nil }
    func verdict(on notification: HandedNotification) async -> (verdict: AddonVerdict, by: String?) {
        (AddonVerdict(), nil)
    }
    func signIn(_ requestedLifetime: AddonSignIn) async -> AddonSignInEnd {
        state.withLock { $0.append(requestedLifetime) }
        return await say(requestedLifetime)
    }
}
