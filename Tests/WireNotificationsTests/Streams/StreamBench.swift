import Foundation
import Support
import Synchronization
import WireBase
import WireConfig
import WireCrypto
import WireFraming
import WireHTTP
import WireNetwork
import WireNetworkContract
import WireService
import WireSQLite
import WireTransfer
import Workbench

/// The service of notifications, over the real way to other machines.
final class StreamBench: Sendable {
    let notifications: NotificationBench
    let network: NetworkService
    let clock = HandClock()
    private let traffic: ClientPool
    private let bench: Workbench

    init(
        _ section: String,
        handlers: String = IntakeTests.note,
        in folder: TemporaryFolder? = nil,
        network text: String = "retries: 0",
        tokenHosts: String = "",
        authorities: String? = nil,
        tokens: (any AccessTokens)? = nil,
        users: HandUsers? = nil
    ) async throws {
        var options = TransferOptions()
        options.authorities = authorities
        traffic = ClientPool(options, clock: clock.clockwork)
        bench = try Workbench(clock: clock)
        let file = try SectionInFile<NetworkSection>("\(text)\ntokenHosts: [\(tokenHosts)]")
        var rules = file.settings.trafficRules(in: "")
        rules.declaredHosts = ["127.0.0.1", "localhost"]
        let kept = rules
        var offered = [Ability.httpClient.offered(by: traffic.client { kept })]
        if let tokens { offered.append(ServiceAbility.accessTokens.offered(by: tokens)) }
        network = try await NetworkService.prepare(file.settings, in: bench.host(for: file, offering: offered))
        var more: [OfferedAbility] = [
            ServiceAbility.serverRequests.offered(by: network), Ability.webSocketFraming.offered(by: WslayFraming()),
        ]
        if let users { more.append(ServiceAbility.userPresence.offered(by: users)) }
        notifications = try await NotificationBench(
            "\(section)\n\(handlers)",
            in: folder,
            clock: clock,
            offering: more
        )
    }

    /// Lets a wait pass whenever somebody waits, until something has become so.
    func passing(_ wait: Duration = .seconds(400), until isSo: () -> Bool) async -> Bool {
        for _ in 0..<200 {
            // The servers are other processes: the clock must not run ahead of what they are about to say.
            for _ in 0..<150 {
                if isSo() { return true }
                await breath()
            }
            clock.pass(wait)
        }
        return await eventually { isSo() }
    }

    /// Lets an interval pass, and returns whether something is sent at its end, and not before.
    func sends(after interval: Duration, count: () -> Int) async -> Bool {
        // Time for the client to read what the server has sent.
        for _ in 0..<200 { await breath() }
        let before = count()
        clock.pass(interval - .seconds(1))
        for _ in 0..<50 { await breath() }
        guard count() == before else { return false }
        clock.pass(.seconds(1))
        return await eventually { count() == before + 1 }
    }

    /// Ends the pause of a stream, and returns when something has become so.
    func afterPause(until isSo: () -> Bool) async -> Bool {
        for _ in 0..<20 {
            clock.pass(.seconds(3_600))
            // Long enough for a connection: it would count the next hour as its own.
            for _ in 0..<5_000 {
                if isSo() { return true }
                await breath()
            }
        }
        return false
    }

    var log: [String] { notifications.bench.told.log }

    func end() async {
        await notifications.end()
        await network.stop()
        await traffic.stop()
        await bench.store.close()
    }
}

/// Returns when something has become so, or does not for so long.
func eventually(_ isSo: () -> Bool, tries: Int) async -> Bool {
    for _ in 0..<tries {
        if isSo() { return true }
        await Task.yield()
    }
    return isSo()
}

/// Users who sign in and out as a test says.
final class HandUsers: UserPresence {
    private struct State {
        var user: SignedInUser?
        var listeners: [AsyncStream<SignedInUser?>.Continuation] = []
    }

    private let state = Mutex(State())
    let allowsAnonymous = false
    var user: SignedInUser? { state.withLock { $0.user } }

    func changes() -> AsyncStream<SignedInUser?> {
        let (stream, continuation) = AsyncStream.makeStream(of: SignedInUser?.self)
        state.withLock { state in
            state.listeners.append(continuation)
            continuation.yield(state.user)
        }
        return stream
    }

    func become(_ name: String?) {
        let user = name.map {
            SignedInUser(subject: $0, issuer: "https://sso.example.com", claims: .object([]), session: "s-\($0)")
        }
        let listeners = state.withLock { state in
            state.user = user
            return state.listeners
        }
        for listener in listeners { listener.yield(user) }
    }
}

/// A token that is another once it was refused.
final class TwoTokens: AccessTokens {
    private let number = Mutex(1)

    func token(_ streamRequest: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        AccessToken(
            value: Secret("token-\(number.withLock { $0 })"),
            type: "Bearer",
            expires: nil,
            mode: streamRequest.mode ?? .user,
            scopes: []
        )
    }

    func refused(_ token: AccessToken) async { number.withLock { $0 += 1 } }
}
