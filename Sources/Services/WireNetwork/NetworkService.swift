import Synchronization
import WireBase
package import WireConfig
package import WireHTTP
package import WireNetworkContract
package import WireService
import WireTelemetry

/// The HTTP client of all services and apps for the servers of the file.
package final class NetworkService: Service, ServerClient {
    package typealias Settings = NetworkSection

    /// The present settings, replaced as a whole so that no request sees a partial change.
    final class Present: Sendable {
        let settings: NetworkSection
        let host: NetworkHost
        let addresses: ServerAddresses
        /// Further servers that may receive tokens, besides that of the base URL.
        let tokenOrigins: Set<Origin>
        let ground: PipelineRequest.Ground
        let presence: (any UserPresence)?
        let begin: NextStage

        init(
            _ settings: NetworkSection,
            _ host: NetworkHost,
            _ addresses: ServerAddresses,
            _ begin: @escaping NextStage
        ) {
            (self.settings, self.host, self.addresses, self.begin) = (settings, host, addresses, begin)
            tokenOrigins = settings.tokenOrigins
            ground = PipelineRequest.Ground(settings: settings, environment: host.environmentScope)
            presence = host.uses.presence
        }
    }

    private let state: Mutex<Present>
    let hosts: HostCircuits
    let turns: ConcurrencyLimiter
    let reachability: ReachabilityMonitor
    let metrics: NetworkMetrics
    private let waits: Waits
    private let client: any HTTPClient
    let responseCache: ResponseCache?
    private let readMetrics: [MetricReader]

    private init(_ settings: NetworkSection, _ host: NetworkHost, _ client: any HTTPClient) {
        let (waits, hosts, turns) = (Waits(clock: host.clock, ending: OneShot()), HostCircuits(), ConcurrencyLimiter())
        let metrics = NetworkMetrics(host.metrics)
        let late = DeferredContext(settings, host)
        let reachability = ReachabilityMonitor(host.find(.networkLinks), client, waits, hosts) { late.present }
        (self.waits, self.hosts, self.turns) = (waits, hosts, turns)
        (self.metrics, self.reachability, self.client) = (metrics, reachability, client)
        context = late
        let responseCache = host.find(.secrecy).map {
            ResponseCache(host.stores.cache, secrecy: $0, log: host.log, evictions: metrics.evictions)
        }
        self.responseCache = responseCache
        readMetrics =
            [NetworkMetrics.resting(host.metrics, hosts)]
            + (responseCache.map { NetworkMetrics.stored(host.metrics, $0, by: host.clock) } ?? [])
        let parts = Parts(
            client: client,
            hosts: hosts,
            turns: turns,
            reachability: reachability,
            metrics: metrics,
            waits: waits,
            responseCache: responseCache
        )
        state = Mutex(parts.present(settings, host))
    }

    private let context: DeferredContext

    package static func prepare(_ settings: NetworkSection, in host: NetworkHost) async throws -> NetworkService {
        guard let client = host.find(.httpClient) else {
            throw MissingCapability("this program has no network transport")
        }
        return NetworkService(settings, host, client)
    }

    /// Each request reads the present settings.
    package static func effect(of new: NetworkSection, after old: NetworkSection) -> SettingsEffect { .rebound }

    package var abilities: [OfferedAbility] {
        [ServiceAbility.serverRequests.offered(by: self), ServiceAbility.connectivity.offered(by: reachability)]
    }

    package static let operations = NetworkRoutes.operations
    package var routes: [Route] { NetworkRoutes(self).routes }

    package func run() async throws {
        let host = present.host
        host.find(.clearings)?.join(NetworkSection.name, NetworkClearing(service: self), in: host.registrations)
        await reachability.run()
    }

    package func rebind(to settings: NetworkSection, in host: NetworkHost) async throws {
        let parts = Parts(
            client: client,
            hosts: hosts,
            turns: turns,
            reachability: reachability,
            metrics: metrics,
            waits: waits,
            responseCache: responseCache
        )
        let next = parts.present(settings, host)
        state.withLock { $0 = next }
        context.become(settings, host)
        let resting = hosts.resting
        hosts.forget()
        for name in resting { reachability.hostChanged(name) }
    }

    package func stop() async {
        waits.ending.fire()
        reachability.stop()
    }

    var present: Present { state.withLock { $0 } }

    // MARK: Requests

    package var offlinePolicy: OfflinePolicy { present.settings.offlinePolicy }

    package func url(of address: Address) -> WebURL? { address.resolved(against: present.addresses.base()) }

    package func target(of call: ServerCall) throws(CallFailure) -> CallTarget { try present.target(of: call) }

    package func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        let present = present
        guard !waits.ending.hasFired else { throw .ended }
        do throws(CallFailure) {
            let target = try present.target(of: call)
            try present.checkSize(of: call)
            var call = call
            call.authorization = target.authorization
            return try await present.begin(pipelineRequest(call, target.url, present))
        } catch {
            var failure = error
            if failure.origin == nil {
                failure.origin = call.place ?? (failure.kind.isOfServer ? present.addresses.origin : nil)
            }
            throw failure
        }
    }

    private func pipelineRequest(_ call: ServerCall, _ url: WebURL, _ present: Present) -> PipelineRequest {
        let settings = present.settings
        let now = waits.now
        let timeout = call.timeout ?? settings.timeout
        let retries = call.retries ?? settings.retries
        // The maximum time of all attempts and waits.
        let most = timeout * (retries + 2) + max(settings.backoff.max, settings.retryAfterMax) * retries
        let deadline = now + (call.deadline ?? most)
        return PipelineRequest(
            call: call,
            url: url,
            on: present.ground,
            user: present.presence?.user,
            deadline: deadline,
            patience: min(now + timeout, deadline)
        )
    }
}

extension NetworkService.Present {
    /// The target of a call and whether the call carries a token: the one rule for all outgoing requests.
    fileprivate func target(of call: ServerCall) throws(CallFailure) -> CallTarget {
        let base = addresses.base()
        do throws(CallFailure) {
            return try CallTarget(of: call, base: base, tokenOrigins: tokenOrigins)
        } catch {
            var failure = error
            if base == nil, case .noAddress = failure.kind { failure.origin = addresses.origin }
            throw failure
        }
    }

    /// Rejects a body above the limit before a part of it is sent.
    fileprivate func checkSize(of call: ServerCall) throws(CallFailure) {
        let limit = call.largestBody ?? settings.limits.maxBodySize
        let size: Int
        switch call.body {
        case .none, .stream(nil, _), .upgrade, .connection: return
        case .bytes(let bytes): size = bytes.count
        case .stream(let length?, _): size = length
        }
        guard size > limit.bytes, !call.isLong else { return }
        throw CallFailure(
            .forbidden,
            "the body has \(size) bytes, expected \(limit) at most",
            wasNotSent: true,
            origin: call.largestBody == nil
                ? host.places.origin(of: settings.limits.$maxBodySize, "network.limits.maxBodySize") : call.place
        )
    }
}

/// The parts of the pipeline.
private struct Parts {
    let client: any HTTPClient
    let hosts: HostCircuits
    let turns: ConcurrencyLimiter
    let reachability: ReachabilityMonitor
    let metrics: NetworkMetrics
    let waits: Waits
    let responseCache: ResponseCache?

    func present(_ settings: NetworkSection, _ host: NetworkHost) -> NetworkService.Present {
        let addresses = ServerAddresses(host)
        var declared = Fields()
        for field in settings.headers.fields { declared.add(field.name.text, field.value) }
        let way = RequestPipeline(
            watch: TelemetryStage(metrics: metrics, waits: waits, host: host),
            cache: responseCache.map {
                CacheStage(
                    responseCache: $0,
                    tokens: host.uses.tokens,
                    clock: host.clock,
                    places: host.places,
                    metrics: metrics,
                    isCutOff: { [reachability] in reachability.isCutOff(from: $0) }
                )
            },
            turn: ConcurrencyLimitStage(turns: turns, waits: waits, host: host),
            token: TokenStage(tokens: host.uses.tokens, waits: waits),
            attempts: AttemptStage(
                sender: Sender(client: client, addresses: addresses, declared: declared),
                hosts: hosts,
                reachability: reachability,
                waits: waits,
                metrics: metrics,
                host: host,
                chance: { Double.random(in: 0...1) }
            )
        )
        return NetworkService.Present(settings, host, addresses, way.begin)
    }
}

/// The settings of the reachability monitor, which change with the file.
private final class DeferredContext: Sendable {
    private let state: Mutex<ReachabilityMonitor.Context>

    init(_ settings: NetworkSection, _ host: NetworkHost) {
        state = Mutex(Self.context(settings, host))
    }

    func become(_ settings: NetworkSection, _ host: NetworkHost) {
        let next = Self.context(settings, host)
        state.withLock { $0 = next }
    }

    var present: ReachabilityMonitor.Context { state.withLock { $0 } }

    private static func context(_ settings: NetworkSection, _ host: NetworkHost)
        -> ReachabilityMonitor.Context
    {
        ReachabilityMonitor.Context(
            host: host,
            addresses: ServerAddresses(host),
            circuit: host.places.origin(of: settings.$circuit, "network.circuit")
        )
    }
}

extension NetworkService {
    /// Whether servers can be reached, as far as that can be observed.
    package var connectivity: any Connectivity { reachability }
}

extension CallFailure.Kind {
    /// Whether another address in the file could help; false for problems of tokens and callers.
    fileprivate var isOfServer: Bool {
        switch self {
        case .noToken, .forbidden: false
        default: true
        }
    }
}
