import WireBase
import WireConfig
import WireGraphQL
package import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireSecrets
package import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Data by GraphQL: declared operations and callers' documents, answered from a cache and by the server of the
/// section.
package final class SyncService: Service {
    package typealias Settings = SyncSection

    let host: SyncHost
    let settings: SyncSection
    let requests: any ServerClient
    let preparation: Preparation
    let server: GraphQLServer
    let persisted: PersistedDocuments
    let caches: SyncCaches
    let subscriptions: LiveSubscriptions
    /// The mutation queue; nil where the file does not queue mutations.
    let queue: MutationQueue?
    let fetches = SharedFetches()
    let renewals = Renewals()
    let meters: SyncMeters
    /// The running subscriptions.
    let registry: SubscriptionRegistry
    let health: SyncHealth
    let delta: DeltaStatus
    let outlet: SubscriptionOutlet
    let refetches = PendingRefetches()
    let feeds = SyncFeeds()
    /// Yields when another user is signed in, or the data are cleared.
    let users = Subscribers<Void>()
    /// Yields when access tokens are available again after a failure.
    let recoveries = Subscribers<Void>()
    let barrier = WorkBarrier()
    let ending = OneShot()

    private init(
        _ settings: SyncSection,
        _ host: SyncHost,
        _ requests: any ServerClient,
        _ documents: SyncDocuments,
        _ accounts: SyncAccounts
    ) {
        (self.host, self.settings, self.requests) = (host, settings, requests)
        preparation = Preparation(documents, only: settings.only)
        let meters = SyncMeters(host.metrics)
        (self.meters, server) = (meters, GraphQLServer(requests, settings, host, meters))
        (registry, health, delta) = (SubscriptionRegistry(host.clock), SyncHealth(host), DeltaStatus(settings.delta))
        outlet = SubscriptionOutlet(host.log) { accounts.region }
        persisted = PersistedDocuments(host.find(.secrecy))
        let live = SubscriptionSettings(settings, in: host)
        let means = SubscriptionMeans(requests, in: host)
        subscriptions = LiveSubscriptions(accounts.region, until: ending) { SubscriptionHub(live, means) }
        let (store, isQueueing) = (host.stores.device.values, settings.queueMutations)
        caches = SyncCaches(settings, RecordRules(settings.cache, documents.schema), accounts, host) { cache, region in
            guard isQueueing else { return }
            let tell = { (failure: StoreFailure) in
                host.log.warning("queued mutations cannot be applied to the cache", ["reason": .text(failure.reason)])
            }
            do throws(StoreFailure) {
                try await MutationRepository(store: store, region: region).show(in: cache, unreadable: tell)
            } catch {
                tell(error)
            }
        }
        queue = (isQueueing ? host.uses.outbox : nil).map { [preparation, caches, barrier, fetches] outbox in
            MutationQueue(settings, host, preparation, caches, outbox, barrier, meters, fetches)
        }
    }

    package static func prepare(_ settings: SyncSection, in host: SyncHost) async throws -> SyncService {
        guard let requests = host.uses.requests else {
            throw MissingCapability("no service sends requests")
        }
        guard let secrecy = host.find(.secrecy) else {
            throw MissingCapability("no cryptographic library is available")
        }
        let documents = SyncDocuments(settings) { Files.path($0, below: host.folder) }
        if let finding = documents.findings.first(where: { documents.code(of: $0).severity == .error }) {
            throw host.fault(
                finding.line,
                at: settings.$operations,
                "sync.operations",
                help: "run 'corewire validate-config --local' to see every problem"
            )
        }
        if let use = documents.uses(in: settings).first {
            throw host.fault(use.message, at: use.place, use.path, help: use.help)
        }
        let accounts = try SyncAccounts(settings, host, secrecy)
        let service = SyncService(settings, host, requests, documents, accounts)
        service.meters.read(service)
        return service
    }

    package var abilities: [OfferedAbility] {
        [ServiceAbility.refetching.offered(by: self), ServiceAbility.subscriptionMessages.offered(by: outlet)]
    }
    package static let operations = SyncRoutes.operations
    package var routes: [Route] { SyncRoutes(self).routes }

    // MARK: Life cycle

    package func start() async throws { await adoptSchema() }

    /// Removes records that do not fit the schema any more.
    private func adoptSchema() async {
        guard let schema = preparation.documents.schema else { return }
        do throws(StoreFailure) {
            _ = try await caches.present.adopt(schema)
        } catch {
            host.log.warning("cached records of another schema may remain", ["reason": .text(error.reason)])
        }
    }

    package func run() async throws {
        if let queue { queue.outbox.register(SyncSection.name, queue, in: host.registrations) }
        host.find(.clearings)?.join(SyncSection.name, SyncClearing(service: self), in: host.registrations)
        // The first value is no recovery. It is taken before anything can miss a token: a recovery that comes before it is
        // taken replaces it.
        let tokens = host.uses.tokens?.recoveries()
        if let tokens { for await _ in tokens { break } }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followUser() }
            group.addTask { await self.followOthers() }
            if let tokens { group.addTask { await self.followTokens(tokens) } }
            group.addTask { await self.subscriptions.run() }
            if let queue = self.queue { group.addTask { await self.perUser { await queue.run() } } }
            group.addTask { await self.fetches.run() }
            group.addTask { await self.renewals.run(until: self.ending) { asked in _ = try? await self.fetch(asked) } }
            group.addTask { await self.refetches.run(until: self.ending) { await self.refetch($0, of: $1) } }
            group.addTask { await self.runDeclared() }
            group.addTask { await self.feeds.run() }
            group.addTask { await self.perUser { await self.runDelta() } }
            group.addTask { await untilCancelled() }
        }
    }

    package func drain() async { ending.fire() }
    package func stop() async {
        ending.fire()
        outlet.end()
    }

    /// Informs watchers when the user changes.
    private func followUser() async {
        guard let presence = caches.accounts.presence else { return }
        var former = caches.accounts.region
        for await _ in presence.changes() {
            let region = caches.accounts.region
            if region != former {
                registry.reset()
                delta.reset()
            }
            former = region
            subscriptions.follow(region)
            await adoptSchema()
            users.notify(())
        }
    }

    /// Retries what has failed for a missing token.
    private func followTokens(_ tokens: AsyncStream<Void>) async {
        for await _ in tokens {
            recoveries.notify(())
            delta.wake()
        }
    }

    /// Follows the writes of other processes of the group.
    private func followOthers() async {
        await perUser {
            do throws(StoreFailure) {
                try await self.caches.present.run()
            } catch {
                self.host.log.debug(
                    "changes of other processes to the cache are not followed",
                    ["reason": .text(error.reason)]
                )
            }
        }
    }

    /// Runs work for as long as the same user is signed in, and restarts it for the next.
    private func perUser(_ work: @escaping @Sendable () async -> Void) async {
        while !Task.isCancelled {
            let changeListeners = users.listen()
            await firstOf([
                {
                    await work()
                    await untilCancelled()
                },
                { for await _ in changeListeners { return } },
            ])
        }
    }
}

extension Finding {
    /// The problem on one line, with its place.
    fileprivate var line: String {
        guard let place else { return message }
        return "\(place.file.name):\(place.start.line):\(place.start.column): \(message)"
    }
}
