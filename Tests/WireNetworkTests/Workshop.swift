import CorewireCatalogue
import Foundation
import Support
import Synchronization
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireNetwork
import WireNetworkContract
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireTransfer

/// The service over real connections, with a clock moved by hand, links and tokens of the test's.
final class Workshop: Sendable {
    struct Unread: Error {}

    let clock = HandClock()
    let events: EventHub
    let metrics = Metrics()
    let links = HandLinks()
    let tokens: HandTokens?
    let service: NetworkService
    private let traffic: ClientPool
    private let folder: TemporaryFolder
    private let life = Mutex<Task<Void, any Error>?>(nil)

    /// A base URL, and what the section says below its name.
    init(
        _ base: String?,
        _ section: String = "{}",
        tokens: HandTokens? = nil,
        client: (any HTTPClient)? = nil,
        rules change: (inout TrafficRules) -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder()
        self.tokens = tokens
        let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
        let sqlite = try SQLiteStore.open(folder: folder.url.path, sealer: KeySealer(key, former: []))
        let (settings, facts, document) = try Self.read(base, section)
        var rules = settings.trafficRules(in: "")
        if let host = facts.baseURL?.host { rules.declaredHosts.insert(host) }
        change(&rules)
        let (traffic, kept) = (ClientPool(clock: clock.clockwork), rules)
        self.traffic = traffic
        events = EventHub(keeping: 1_000, clock: clock.clockwork)
        var offered: [OfferedAbility] = [
            Ability.httpClient.offered(by: client ?? traffic.client { kept }), Ability.networkLinks.offered(by: links),
        ]
        if let tokens { offered.append(ServiceAbility.accessTokens.offered(by: tokens)) }
        let told = Told()
        self.told = told
        service = try await NetworkService.prepare(
            settings,
            in: UsingHost(
                service: "network",
                generation: 1,
                facts: facts,
                configuration: Configuration(facts: facts),
                app: nil,
                log: Log("network", to: Silence()),
                events: events,
                metrics: metrics,
                stores: Stores(sqlite),
                clock: clock.clockwork,
                places: Places(document),
                folder: folder.url.path,
                offered: Abilities(offered),
                report: { told.add($0) }
            )
        )
        let service = service
        life.withLock { $0 = Task { try await service.run() } }
    }

    let told: Told

    deinit { life.withLock { $0?.cancel() } }

    private static func read(_ base: String?, _ section: String) throws -> (NetworkSection, EnvironmentFacts, Document)
    {
        let url = base.map { "baseUrl: \"\($0)\"\n" } ?? ""
        let text = "version: 1\napp: { id: com.example.tasks }\n\(url)network: \(section)\n"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        guard let configuration = validation.environment(nil)?.configuration,
            let settings = configuration[NetworkSection.self], let document = validation.file?.document
        else { throw Unread() }
        return (settings, configuration.facts, document)
    }

    /// The names of what happened, but for the requests themselves.
    var eventNames: [String] {
        events.kept().all.compactMap { watched in
            guard case .event(let event) = watched, event.name != "network.request" else { return nil }
            return event.name
        }
    }

    // MARK: Asking

    /// The status and the text of an answer.
    func ask(_ call: ServerCall) async throws -> (status: Int, text: String, answer: ServerAnswer) {
        let answer = try await service.send(call)
        let bytes = try await answer.body.collect(upTo: .mebibytes(16))
        return (answer.status.code, String(decoding: bytes, as: UTF8.self), answer)
    }

    func get(_ path: String, _ change: (inout ServerCall) -> Void = { _ in }) async throws -> (
        status: Int, text: String, answer: ServerAnswer
    ) {
        try await ask(Self.call(.get, path, change))
    }

    static func call(_ method: WireHTTP.Method, _ path: String, _ change: (inout ServerCall) -> Void = { _ in })
        -> ServerCall
    {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        var call = ServerCall(
            method,
            .path(parts.first ?? "", query: parts.count > 1 ? parts[1] : nil),
            from: "test"
        )
        change(&call)
        return call
    }

    func failure(of call: ServerCall) async throws -> CallFailure {
        do throws(CallFailure) {
            let answer = try await service.send(call)
            throw CallFailure(.cancelled, "unexpectedly answered \(answer.status.code)", wasNotSent: false)
        } catch { return error }
    }

    /// What a route answers to a request, as the local API would be told.
    func route(
        _ method: WireHTTP.Method,
        _ target: String,
        _ fields: Fields = [:],
        body: [UInt8]? = nil,
        rights: Rights = .everything("test")
    ) async throws -> Response {
        var fields = fields
        if let body { fields.add("Content-Length", "\(body.count)") }
        guard let target = Target(parsing: target) else { throw Unread() }
        var request = Request(method: method, target: target, fields: fields, caller: .address("127.0.0.1"))
        request.rights = rights
        let router = Router(service.routes)
        switch router.exchange(for: request).plan {
        case .answer(let response): return response
        case .stream(_, let answer): return await answer(request, Whole(body ?? []))
        case .collect(_, let answer):
            request.body = body ?? []
            switch answer(request) {
            case .now(let response): return response
            case .later(let work): return await work()
            }
        }
    }

    private struct Silence: LogSink {
        func write(_ record: LogRecord) {}
    }
}

/// A body that is there already.
final class Whole: BodyReader {
    private let rest: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) { rest = Mutex(bytes.isEmpty ? nil : bytes) }

    func read() async throws -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest
        }
    }
}

/// What a service says of itself, in its order.
final class Told: Sendable {
    private let reports = Mutex<[String]>([])

    func add(_ report: ServiceReport) {
        let text =
            switch report {
            case .well: "well"
            case .degraded(let fault): "degraded: \(fault.reason) \(fault.origin?.path ?? "")"
            case .failed(let fault): "failed: \(fault.reason)"
            case .inert(let reason): "inert: \(reason)"
            case .waiting(let reason): "waiting: \(reason)"
            }
        reports.withLock { $0.append(text) }
    }

    var all: [String] { reports.withLock { $0 } }
}

/// Links that come and go as a test says.
final class HandLinks: NetworkLinks {
    private let state = Mutex<(have: Bool?, listeners: [AsyncStream<Bool?>.Continuation])>((true, []))

    var haveAddress: Bool? { state.withLock { $0.have } }

    func changes() -> AsyncStream<Bool?> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool?.self)
        state.withLock { state in
            state.listeners.append(continuation)
            continuation.yield(state.have)
        }
        return stream
    }

    func become(_ have: Bool?) {
        let listeners = state.withLock { state in
            state.have = have
            return state.listeners
        }
        for listener in listeners { listener.yield(have) }
    }
}

/// Tokens that a test hands out: `token-1` until it is refused, then `token-2`.
final class HandTokens: AccessTokens {
    struct State {
        var number = 1
        var refusal: TokenRefusal?
        var refused: [String] = []
        var wishes: [TokenMode?] = []
        var mode = TokenMode.user
        var renews = true
        var scopes: [String] = []
        /// The users of the next tokens; the last one of all later ones.
        var users: [String] = []

        mutating func nextUser() -> String? { users.count > 1 ? users.removeFirst() : users.first }
    }

    let state = Mutex(State())

    func token(_ requestToken: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        let result: Result<AccessToken, TokenRefusal> = state.withLock { state in
            state.wishes.append(requestToken.mode)
            if let refusal = state.refusal { return .failure(refusal) }
            return .success(
                AccessToken(
                    value: Secret("token-\(state.number)"),
                    type: "Bearer",
                    expires: nil,
                    mode: requestToken.mode ?? state.mode,
                    scopes: state.scopes,
                    subject: state.nextUser()
                )
            )
        }
        return try result.get()
    }

    func refused(_ token: AccessToken) async {
        state.withLock { state in
            state.refused.append(token.value.reveal())
            if state.renews { state.number += 1 }
        }
    }
}
