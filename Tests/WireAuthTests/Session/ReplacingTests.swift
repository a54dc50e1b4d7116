import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireHTTP
import WireListener
import WireService

@testable import WireAuth

@Suite("Replaced sign-ins", .timeLimit(.minutes(2)))
struct ReplacingTests {
    private static let app = Bench.usual + "\nredirectUri: com.example.tasks://restore"
    private static let callback = "com.example.tasks://restore?state=state-1&code=x"

    private func kind(_ work: () async throws(SignInFailure) -> Void) async -> SignInFailure.Kind? {
        do throws(SignInFailure) {
            try await work()
            return nil
        } catch {
            return error.kind
        }
    }

    /// Somebody has come back, and the server is being asked.
    private func finishing(_ coordinator: SignInCoordinator, _ server: ScriptedServer, _ callback: String) async
        -> Task<SignInFailure.Kind?, Never>
    {
        let before = server.state.withLock { $0.finished.count }
        let finish = Task {
            await kind { () async throws(SignInFailure) in try await coordinator.finish(callback: callback) { _ in } }
        }
        #expect(await eventually { server.state.withLock { $0.finished.count } > before })
        return finish
    }

    @Test("a device poll cancelled by a newer sign-in does not end that one")
    func brokenOff() async throws {
        let server = ScriptedServer()
        // However much time passes until somebody asks, the code is good.
        server.state.withLock { ($0.pollGate, $0.codeLifetime) = (OneShot(), .seconds(1_000_000_000)) }
        let bench = try await Bench(Self.app, server: server)
        let coordinator = try #require(bench.service.coordinator)
        try await bench.running {
            let former = try await coordinator.begin(SignInOptions(flow: .device))
            #expect(
                await eventually {
                    bench.clock.pass(.seconds(5))
                    return server.state.withLock { $0.polled } == 1
                }
            )
            _ = try await coordinator.begin(SignInOptions(flow: .browser))
            guard case .replaced = await former.verdict.outcome() else { throw Bench.Unread() }
            #expect(await eventually { server.state.withLock { $0.brokenOff } == 1 })
            // What it would do has been done once nobody serves it any more.
            #expect(await eventually { coordinator.servedCount == 1 })
            try await coordinator.finish(callback: Self.callback) { _ in }
            #expect(bench.state() == "signedIn")
            #expect(!bench.eventNames.contains("auth.failed"))
        }
    }

    @Test("a late failure of a sign-in does not end a newer one")
    func lateFailure() async throws {
        let (server, machine) = (ScriptedServer(), OneShot())
        server.state.withLock { $0.finishGate = machine }
        let bench = try await Bench(Self.app, server: server)
        let coordinator = try #require(bench.service.coordinator)
        let former = try await coordinator.begin(SignInOptions(flow: .browser))
        let finish = await finishing(coordinator, server, Self.callback + "&error=unauthorized")
        _ = try await coordinator.begin(SignInOptions(flow: .device))
        machine.fire()
        #expect(await finish.value == .blocked)
        guard case .failed = await former.verdict.outcome() else { throw Bench.Unread() }
        #expect(bench.state() == "signingIn")
        #expect(coordinator.cancel())
        #expect(bench.state() == "signedOut")
    }

    @Test("a sign-in that expires during the token request continues, and signs in")
    func lateAnswer() async throws {
        let (server, machine) = (ScriptedServer(), OneShot())
        server.state.withLock { $0.finishGate = machine }
        let bench = try await Bench(Self.app, server: server)
        let coordinator = try #require(bench.service.coordinator)
        try await bench.running {
            let task = try await coordinator.begin(SignInOptions(flow: .browser))
            let finish = await finishing(coordinator, server, Self.callback)
            #expect(
                await eventually {
                    bench.clock.pass(.seconds(600))
                    return coordinator.servedCount == 0
                }
            )
            #expect(bench.state() == "signingIn")
            machine.fire()
            #expect(await finish.value == nil)
            guard case .signedIn = await task.verdict.outcome() else { throw Bench.Unread() }
            #expect(!bench.eventNames.contains("auth.failed"))
        }
    }

    @Test("a caller of a replaced sign-in is told so, and its tokens are revoked")
    func overtaken() async throws {
        let (server, machine) = (ScriptedServer(), OneShot())
        server.state.withLock { $0.finishGate = machine }
        let bench = try await Bench(Self.app, server: server)
        let coordinator = try #require(bench.service.coordinator)
        let former = try await coordinator.begin(SignInOptions(flow: .browser))
        let finish = await finishing(coordinator, server, Self.callback)
        server.state.withLock { $0.finishGate = nil }
        _ = try await coordinator.begin(SignInOptions(flow: .browser))
        try await coordinator.finish(callback: Self.callback) { _ in }
        #expect(bench.state() == "signedIn")
        machine.fire()
        #expect(await finish.value == .cancelled)
        guard case .replaced = await former.verdict.outcome() else { throw Bench.Unread() }
        #expect(server.state.withLock { $0.revoked } == ["access-2"])
        #expect(try await bench.service.token(TokenQuery()).value.reveal() == "access-1")
    }

    @Test("concurrent callers with the same flow share one sign-in")
    func together() async throws {
        let (server, machine) = (ScriptedServer(), OneShot())
        server.state.withLock { $0.beginGate = machine }
        let bench = try await Bench(Self.app, server: server)
        let coordinator = try #require(bench.service.coordinator)
        let both = (0..<2).map { _ in Task { try await coordinator.begin(SignInOptions(flow: .browser)).number } }
        #expect(await eventually { server.state.withLock { $0.redirects.count } == 1 })
        machine.fire()
        #expect(try await both[0].value == both[1].value)
        #expect(server.state.withLock { $0.redirects.count } == 1)
    }

    @Test("the redirect port is released when a sign-in is cancelled, in any state")
    func givenUp() async throws {
        let (server, machine) = (ScriptedServer(), OneShot())
        server.state.withLock { $0.finishGate = machine }
        let port = try await FreePort.any()
        let bench = try await Bench(Bench.usual + "\nredirectUri: http://127.0.0.1:\(port)/callback", server: server)
        let coordinator = try #require(bench.service.coordinator)
        try await bench.running {
            _ = try await coordinator.begin(SignInOptions(flow: .browser))
            let callback = "http://127.0.0.1:\(port)/callback?state=state-1&code=x"
            let browser = Task { try await Counter.ask("GET", callback) }
            #expect(await eventually { server.state.withLock { $0.finished.count } == 1 })
            #expect(coordinator.cancel())
            let next = try await coordinator.begin(SignInOptions(flow: .browser))
            #expect(next.number == 2)
            _ = try? await browser.value
            machine.fire()
        }
    }

    @Test("without IPv4 or IPv6 the other family is used, with the same port")
    func oneFamily() async throws {
        let port = try await FreePort.any()
        let redirect = "\nredirectUri: http://localhost:\(port)/callback"
        let bench = try await Bench(Bench.usual + redirect, listenerFactory: OneFamilyDoors())
        let coordinator = try #require(bench.service.coordinator)
        _ = try await coordinator.begin(SignInOptions(flow: .browser))
        #expect(bench.server.state.withLock { $0.redirects } == ["http://localhost:\(port)/callback"])
        #expect(coordinator.cancel())
    }
}

/// A port that nothing listened at a moment ago.
private enum FreePort {
    static func any() async throws -> Int {
        let listener = try TestDoors().open(.tcp(host: "127.0.0.1", port: 0), limits: ListenerLimits(), for: Nobody())
        try listener.start()
        guard case .tcp(_, let port) = listener.endpoint else { throw Bench.Unread() }
        await listener.stop(within: .zero)
        return port
    }

    private struct Nobody: Responder {
        func exchange(for head: Request) -> Exchange { Exchange(.answer(Response(.notFound))) }
    }
}

/// A machine that knows no addresses of the other family.
private struct OneFamilyDoors: ListenerFactory {
    func open(_ endpoint: Endpoint, limits: ListenerLimits, for responder: any Responder) throws -> any Listener {
        if case .tcp(let host, _) = endpoint, host.contains(":") { throw Bench.Unread() }
        return try TestDoors().open(endpoint, limits: limits, for: responder)
    }
    var inherited: [InheritedSocket] { [] }
}
