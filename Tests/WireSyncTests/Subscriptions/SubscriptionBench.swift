import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireFraming
import WireGraphQL
import WireHTTP
import WireNetworkContract
import WireService
import WireSync
import WireTransfer

/// The servers of `servers.py`, as long as the test has them.
final class SubscriptionServers: Sendable {
    static let isThere = ScriptedServer.hasModules("ariadne, websockets.asyncio.server")

    private let server: ScriptedServer

    /// Another script is one that has a port on its first line too.
    init(_ other: URL? = nil) async throws {
        let own = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("servers.py")
        server = try await ScriptedServer(other ?? own)
    }

    var all: [String] { server.all }

    func count(_ beginning: String) -> Int { server.count(beginning) }

    @discardableResult
    func saw(_ beginning: String, times: Int = 1, _ location: SourceLocation = #_sourceLocation) async throws -> String
    {
        try await server.saw(beginning, times: times, location)
    }

    private func port(_ index: Int) -> String { server.readyWords[index] }

    var scripted: String { "http://127.0.0.1:\(port(0))" }
    var ariadne: String { "http://127.0.0.1:\(port(1))" }
    var streams: String { "http://127.0.0.1:\(port(2))" }
}

/// Subscriptions of a server, over the real way out.
final class SubscriptionBench: Sendable {
    let clock = HandClock()
    let link = HandLink()
    let hub: SubscriptionHub
    private let traffic: ClientPool
    private let told = Delivered()
    private let running: Task<Void, Never>

    init(
        _ url: String,
        base: String? = nil,
        tokens: (any AccessTokens)? = nil,
        policy: OfflinePolicy = .none,
        isOnline: Bool = true,
        _ change: (inout SubscriptionSettings) -> Void = { _ in }
    ) throws {
        traffic = ClientPool(clock: clock.clockwork)
        let client = traffic.client {
            var rules = TrafficRules()
            rules.declaredHosts = ["127.0.0.1"]
            return rules
        }
        let requests = PlainRequests(client, base: try WebURL(parsing: base ?? url), tokens, policy)
        var settings = SubscriptionSettings(Address(try WebURL(parsing: url)))
        change(&settings)
        var means = SubscriptionMeans(requests, clock: clock.clockwork) { (0..<16).map { _ in .random(in: 0...255) } }
        (means.framing, means.tokens, means.connectivity, means.chance) = (WslayFraming(), tokens, link, { 1 })
        link.become(isOnline)
        hub = SubscriptionHub(settings, means) { [told] in told.add($0) }
        running = Task { [hub] in await hub.run() }
    }

    var log: [ConnectionReport] { told.all }

    /// Lets time pass until something has become so; no faster than servers can answer within what they have for it.
    func passing(_ wait: Duration = .seconds(1), until isSo: () -> Bool) async -> Bool {
        for _ in 0..<100 {
            for _ in 0..<50 {
                if isSo() { return true }
                await breath()
            }
            clock.pass(wait)
        }
        return false
    }

    func end() async {
        hub.drain()
        let isOver = Mutex(false)
        let watch = Task { [running] in
            await running.value
            isOver.withLock { $0 = true }
        }
        #expect(await passing(.seconds(3)) { isOver.withLock { $0 } })
        await watch.value
        await traffic.stop()
    }
}

final class Delivered: Sendable {
    private let reports = Mutex<[ConnectionReport]>([])
    var all: [ConnectionReport] { reports.withLock { $0 } }
    func add(_ report: ConnectionReport) { reports.withLock { $0.append(report) } }
}

/// Requests without a pipeline, over the client that others go over as well.
struct PlainRequests: ServerClient {
    let client: any HTTPClient
    let base: WebURL
    let tokens: (any AccessTokens)?
    let offlinePolicy: OfflinePolicy

    init(_ client: any HTTPClient, base: WebURL, _ tokens: (any AccessTokens)?, _ policy: OfflinePolicy) {
        (self.client, self.base, self.tokens, offlinePolicy) = (client, base, tokens, policy)
    }

    func url(of address: Address) -> WebURL? { address.absolute ?? base }

    func target(of call: ServerCall) throws(CallFailure) -> CallTarget {
        try CallTarget(of: call, base: base, tokenOrigins: [])
    }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        let target = try target(of: call)
        var request = OutgoingRequest(call.method, target.url.description)
        request.fields = call.fields
        request.body = call.body
        request.idleTimeout = .seconds(86_400)
        if case .usual = target.authorization, let token = try? await tokens?.token(TokenQuery()) {
            request.fields["Authorization"] = token.authorization.reveal()
        }
        do throws(TransferFailure) {
            let answer = try await client.send(request)
            return ServerAnswer(status: answer.status, fields: answer.fields, body: answer.body)
        } catch {
            throw CallFailure(.transfer(error.kind), error.reason, wasNotSent: error.wasNotSent)
        }
    }
}

/// A network that comes and goes as a test says.
final class HandLink: Connectivity {
    private struct State {
        var isOnline = true
        var listeners: [AsyncStream<Bool>.Continuation] = []
    }

    private let state = Mutex(State())

    var isOnline: Bool { state.withLock { $0.isOnline } }
    var obstacle: String? { isOnline ? nil : "no network" }

    func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        state.withLock { state in
            state.listeners.append(continuation)
            continuation.yield(state.isOnline)
        }
        return stream
    }

    func become(_ isOnline: Bool) {
        let listeners = state.withLock { state in
            state.isOnline = isOnline
            return state.listeners
        }
        for listener in listeners { listener.yield(isOnline) }
    }
}

/// A token that is another once it was refused, and is good for a while.
final class TwoTokens: AccessTokens {
    private let number = Mutex(1)
    private let expires: Mutex<Int64?> = Mutex(nil)

    func token(_ options: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        AccessToken(
            value: Secret("token-\(number.withLock { $0 })"),
            type: "Bearer",
            expires: expires.withLock { $0 },
            mode: options.mode ?? .user,
            scopes: []
        )
    }

    func refused(_ token: AccessToken) async {
        number.withLock { if token.value.reveal() == "token-\($0)" { $0 += 1 } }
    }

    func renew(until end: Int64?) {
        number.withLock { $0 += 1 }
        expires.withLock { $0 = end }
    }

    func expire(at end: Int64) { expires.withLock { $0 = end } }
}

extension SubscriptionEvent {
    /// The event in a few words.
    var words: String {
        switch self {
        case .next(let result): result["data"]?["n"]?.integer.map { "\($0)" } ?? result.text()
        case .gap(.reconnected): "gap"
        case .gap(.dropped(let count)): "dropped \(count)"
        case .error(let errors): "error \(errors.first?["message"]?.string ?? "")"
        case .failed(let reason): "failed \(reason)"
        case .complete: "complete"
        }
    }
}

/// Takes the events of a subscription as they come, and keeps their words.
final class Taker: Sendable {
    private let words = Mutex<[String]>([])
    private let isOver = Mutex(false)
    private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

    init(_ subscription: sending ServerSubscription) {
        let subscription = subscription
        task.withLock {
            $0 = Task { [self] in
                for await event in subscription { words.withLock { $0.append(event.words) } }
                isOver.withLock { $0 = true }
            }
        }
    }

    var all: [String] { words.withLock { $0 } }
    var hasEnded: Bool { isOver.withLock { $0 } }
    func stop() { task.withLock { $0 }?.cancel() }
}
