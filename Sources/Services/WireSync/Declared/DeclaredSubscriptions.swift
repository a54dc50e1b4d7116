import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireNotificationContract
import WireService
import WireSyncContract
import WireTelemetry

extension SyncService {
    /// Runs the subscriptions of the file until cancelled.
    func runDeclared() async {
        await withDiscardingTaskGroup { group in
            for item in settings.subscriptions.items {
                group.addTask { await RunningSubscription(item, self).run() }
            }
        }
    }

    /// The value of a name in variables of the file: `user.sub` and other claims.
    func claim(_ name: String) -> JSONValue? {
        guard name.hasPrefix("user."), let user = caches.accounts.presence?.user else { return nil }
        let path = String(name.dropFirst("user.".count))
        return path == "sub" ? .string(user.subject) : user.claims.value(at: path)
    }
}

/// A subscription of the file, which is restarted whenever it has ended.
private struct RunningSubscription: Sendable {
    let name: String
    let rules: DeclaredSubscription
    let place: Place
    let service: SyncService

    init(_ item: Named<DeclaredSubscription>.Item, _ service: SyncService) {
        (name, rules, place, self.service) = (item.name, item.value, item.namePlace, service)
    }

    private var operation: String { rules.operation?.text ?? name }
    private var clock: TimeSource { service.host.clock }
    /// The time without a failure after which it counts as stable.
    private static let settling = Duration.seconds(10)

    func run() async {
        let number = service.registry.add(operation, declared: name)
        defer { service.registry.remove(number) }
        var (failures, mayMiss) = (0, false)
        while !Task.isCancelled, !service.ending.hasFired {
            // Subscribed before the attempt, so that no change is missed.
            let (users, recoveries) = (service.users.listen(), service.recoveries.listen())
            let attempt = Attempt()
            await tried(number, attempt, mayMiss: failures > 0 || mayMiss)
            service.registry.connect(number, nil)
            guard !Task.isCancelled, !service.ending.hasFired else { return }
            let end = attempt.end
            note(end)
            // Another user signed in: that user's subscription starts at once.
            mayMiss = end?.kind == .ending
            if mayMiss { continue }
            failures = attempt.wasGood ? 1 : min(failures + 1, 32)
            await wait(failures, users, recoveries)
        }
    }

    private func tried(_ number: Int, _ attempt: Attempt, mayMiss: Bool) async {
        // A request for a user is not made for the next one.
        let (asked, region): (AskedOperation, String)
        do throws(SyncFailure) {
            region = service.caches.accounts.region
            let variables = rules.variables.map { VariableTemplates(JSONValue($0.literal)) }
            if let refusal = service.showRefusal(.all) { throw refusal }
            let namesUser = variables?.names.contains { $0.hasPrefix("user.") } ?? false
            guard !namesUser || service.caches.accounts.presence?.user != nil else {
                throw SyncFailure(.signedOut, "no user is signed in")
            }
            let prepared = try service.prepared(operation, nil, expected: .subscription)
            asked = try service.asked(prepared, try service.filled(variables) { service.claim($0) }, tokens: .all)
        } catch {
            service.registry.fail(error.reason, of: number)
            return attempt.fail(error)
        }
        await firstOf([
            {
                await service.subscribe(asked, as: number, in: region) { event in
                    attempt.note(event)
                    take(event, region)
                    return true
                }
            },
            {
                try? await clock.sleep(Self.settling)
                if !Task.isCancelled {
                    service.health.report(part, nil)
                    if mayMiss { refetch(.object([]), region) }
                }
                await untilCancelled()
            },
        ])
    }

    private var part: String { "subscription \(name)" }

    // MARK: Events

    private func take(_ event: SyncEvent, _ region: String) {
        switch event {
        case .next(let answer):
            service.health.report(part, nil)
            guard let data = answer.data, data.members != nil else { return }
            refetch(data, region)
            guard let path = rules.notification?.text, let payload = data.value(at: path), payload.members != nil else {
                return
            }
            service.outlet.put(SubscriptionMessage(name, payload), of: region)
        // Missed changes are fetched by queries that need no message.
        case .gap: refetch(.object([]), region)
        case .refused, .failure: break
        }
    }

    private func refetch(_ data: JSONValue, _ region: String) {
        for query in rules.refetch?.queries ?? [] {
            do throws(SyncFailure) {
                let variables = query.variables.map { VariableTemplates(JSONValue($0.literal)) }
                let values = try service.filled(variables) { service.claim($0) ?? data.value(at: $0) }
                let prepared = try service.prepared(query.name, nil, expected: .query)
                service.refetches.post(try service.asked(prepared, values, tokens: .all), of: region)
            } catch {
                service.host.log.debug(
                    "a query could not be run again after a message",
                    ["subscription": .text(name), "query": .text(query.name), "reason": .text(error.reason)]
                )
            }
        }
    }

    // MARK: Trying again

    private func note(_ end: SyncFailure?) {
        guard let end, !end.kind.passesByItself else { return }
        let reason = "the subscription \(name.quoted) is not running: \(end.reason)"
        let fault = service.host.fault(reason, at: place, "sync.subscriptions.\(name)", help: end.help)
        service.health.report(part, fault)
        service.host.log.notice("a subscription has ended", ["subscription": .text(name), "reason": .text(end.reason)])
    }

    private func wait(_ failures: Int, _ users: AsyncStream<Void>, _ recoveries: AsyncStream<Void>) async {
        let rules = service.settings.reconnect
        let full = min(rules.min * (1 << min(failures - 1, 20)), rules.max)
        let pause = full * Double.random(in: 0.5...1)
        await firstOf([
            { try? await clock.sleep(pause) },
            { for await _ in users { return } },
            { for await _ in recoveries { return } },
            { await service.ending.wait() },
        ])
    }
}

/// The result of one attempt to subscribe.
private final class Attempt: Sendable {
    private let state = Mutex<(end: SyncFailure?, wasGood: Bool)>((nil, false))

    var end: SyncFailure? { state.withLock { $0.end } }
    var wasGood: Bool { state.withLock { $0.wasGood } }

    func fail(_ failure: SyncFailure) { state.withLock { $0.end = failure } }

    func note(_ event: SyncEvent) {
        state.withLock { state in
            switch event {
            case .next: state.wasGood = true
            case .gap: break
            case .refused(let errors): state.end = SyncFailure(.refused, errors.refusal)
            case .failure(let failure): state.end = failure
            }
        }
    }
}

extension SyncService {
    /// Variables of the file with their values filled in.
    func filled(_ variables: VariableTemplates?, _ find: @escaping @Sendable (String) -> JSONValue?)
        throws(SyncFailure) -> [(key: String, value: JSONValue)]
    {
        guard let variables else { return [] }
        do throws(TemplateFilling.Failure) {
            return try variables.filled(find)
        } catch {
            throw SyncFailure(.invalid, error.description)
        }
    }
}

extension SyncFailureKind {
    /// Whether the problem is temporary: a missing network, user or server.
    var passesByItself: Bool {
        switch self {
        case .signedOut, .locked, .blocked, .distrusted, .tokenUnavailable, .offline, .ending, .cancelled: true
        default: false
        }
    }
}
