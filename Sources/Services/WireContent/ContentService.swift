import Synchronization
package import WireBase
import WireConfig
import WireContentContract
package import WireHTTP
import WireNetworkContract
import WireSecrets
package import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// The service of content: modules and their instances at a server, with local copies.
///
/// The same functions answer the local API and code in the same process.
package final class ContentService: Service {
    package typealias Settings = ContentSection

    let host: ContentHost
    let rules: ContentRules
    let requests: any ServerClient
    let server: ContentServer
    let scope: CopyScope
    let copyCache: CopyCache
    let store: CopyStore
    let moduleSyncs: [ModuleSync]
    let names = ModuleNames()
    let searches: MetricFamily<Counter>
    let ending = OneShot()
    let barrier = WorkBarrier()
    private let health: ContentHealth
    private let schedules: (any Schedules)?
    private let gauges: [MetricReader]
    /// The number of recoveries of tokens.
    private let recoveries = Atomic(0)

    private init(
        _ settings: ContentSection,
        _ host: ContentHost,
        _ requests: any ServerClient,
        _ secrecy: any CryptoProvider
    ) throws(Fault) {
        (self.host, self.requests) = (host, requests)
        rules = ContentRules(settings)
        server = ContentServer(requests, settings, host)
        scope = try CopyScope(settings, host, secrecy)
        store = CopyStore(host.stores.device.values, secrecy)
        copyCache = CopyCache(store, limit: settings.maxMemory)
        schedules = host.uses.schedules
        health = ContentHealth(host)
        let parts = ModuleSync.Parts(
            host: host,
            requests: requests,
            server: server,
            store: store,
            copyCache: copyCache,
            scope: scope,
            health: health,
            limit: settings.maxModuleSize,
            limitOrigin: host.places.origin(of: settings.$maxModuleSize, "content.maxModuleSize"),
            outcomes: host.metrics.counters(
                "corewire_content_syncs",
                "Syncs of modules, by result.",
                by: ["module", "outcome"]
            ),
            barrier: barrier
        )
        let moduleSyncs = rules.kept.map { ModuleSync($0, parts) }
        self.moduleSyncs = moduleSyncs
        searches = host.metrics.counters(
            "corewire_content_searches",
            "Searches, by source of the result.",
            by: ["source"]
        )
        let copyCache = copyCache
        gauges = [
            host.metrics.gauge("corewire_content_memory_bytes", "Approximate memory of the copies of modules.") {
                [MetricReading(Double(copyCache.cost.bytes))]
            }
        ]
    }

    package static func prepare(_ settings: ContentSection, in host: ContentHost) async throws -> ContentService {
        guard let requests = host.uses.requests else {
            throw MissingCapability("this program has no network service")
        }
        guard let secrecy = host.find(.secrecy) else { throw MissingCapability("this program cannot compute digests") }
        return try ContentService(settings, host, requests, secrecy)
    }

    package static var traits: ServiceTraits {
        var traits = ServiceTraits()
        traits.rebindable = ["syncEvery"]
        return traits
    }

    package func rebind(to settings: ContentSection, in host: ContentHost) async throws {
        for module in ContentRules(settings).kept {
            if let moduleSync = moduleSyncs.first(where: { $0.module.name == module.name }) {
                schedule(moduleSync, every: module.syncEvery)
            }
        }
    }

    package static let operations = ContentRoutes.operations
    package var routes: [Route] { ContentRoutes(service: self).routes }

    // MARK: Life

    package func start() async throws {
        for moduleSync in moduleSyncs { schedule(moduleSync, every: moduleSync.module.syncEvery) }
    }

    private func schedule(_ moduleSync: ModuleSync, every: Duration) {
        guard let schedules else { return }
        var task = ScheduledTask(Self.taskName(moduleSync.module), every: every)
        task.flex = every / 10
        task.constraints = host.uses.presence?.allowsAnonymous == false ? [.network, .user] : .network
        task.group = ContentSection.name
        task.runsAtStart = true
        schedules.keep(task, in: host.registrations) { [weak self, ending] in
            guard let self, !moduleSync.isHeldHere, !ending.hasFired else { return }
            try await Fault.wrapping { () async throws(ContentFailure) in try await self.sync(moduleSync) }
        }
    }

    /// Syncs a module; after a failure without a token, retries where a token has come meanwhile.
    private func sync(_ moduleSync: ModuleSync) async throws(ContentFailure) {
        let seen = recoveries.load(ordering: .relaxed)
        do throws(ContentFailure) {
            _ = try await moduleSync.sync()
        } catch {
            guard error.kind == .tokenUnavailable, recoveries.load(ordering: .relaxed) != seen else { throw error }
            _ = try await moduleSync.sync()
        }
    }

    /// The approximate memory of the copies of modules.
    package var memory: ByteCount { copyCache.cost }

    private static func taskName(_ module: StoredModule) -> String { "\(ContentSection.name).\(module.name)" }

    package func run() async throws {
        host.find(.clearings)?.join(ContentSection.name, ContentClearing(service: self), in: host.registrations)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.tidy() }
            if !moduleSyncs.isEmpty {
                group.addTask { await self.followNetwork() }
            }
            group.addTask { await self.followUser() }
            group.addTask { await self.followTokens() }
            group.addTask { await untilCancelled() }
        }
    }

    package func drain() async { ending.fire() }
    package func stop() async { ending.fire() }

    /// Syncs all modules at the start, and whenever the network returns.
    private func followNetwork() async {
        guard let connectivity = host.uses.connectivity else {
            await syncSoon()
            return
        }
        var wasOnline = false
        for await isOnline in connectivity.changes() {
            if isOnline, !wasOnline { await syncSoon() }
            wasOnline = isOnline
        }
    }

    /// Syncs modules that failed without a token, as soon as there is one again.
    private func followTokens() async {
        guard let tokens = host.uses.tokens else { return }
        for await _ in tokens.recoveries() {
            recoveries.add(1, ordering: .relaxed)
            await syncSoon { $0.present.failure?.kind == .tokenUnavailable }
        }
    }

    /// Another user has copies of their own.
    private func followUser() async {
        guard let presence = host.uses.presence else { return }
        var known = presence.user?.subject
        for await user in presence.changes() {
            health.noteUser(missing: presence.missing())
            guard user?.subject != known else { continue }
            known = user?.subject
            if known != nil { await syncSoon() }
        }
    }

    /// Requests a sync from the schedules, or syncs here where there are none.
    func syncSoon(_ wanted: (ModuleSync) async -> Bool = { _ in true }) async {
        for moduleSync in moduleSyncs where await wanted(moduleSync) {
            guard let schedules else {
                _ = try? await moduleSync.sync()
                continue
            }
            _ = schedules.runNow(Self.taskName(moduleSync.module))
        }
    }

    /// Removes copies of undeclared modules, and of users who have been away for longer than the cache's maximum age.
    private func tidy() async {
        let declared = Set(rules.kept.map(\.name))
        do {
            let account = try scope.account
            let oldest = host.clock.wall() - rules.settings.cache.maxAge.inMicroseconds / 1_000
            for name in try await host.stores.device.values.namespaces() where name.hasPrefix(scope.root) {
                let parts = name.dropFirst(scope.root.count).split(separator: "/", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { continue }
                let isOthers = parts[0] != account
                let modified = isOthers ? try await host.stores.device.values.summary("head", in: name)?.modified : nil
                let isOld = isOthers && modified.map { $0 < oldest } ?? true
                guard !declared.contains(parts[1]) || isOld else { continue }
                copyCache.forget(name)
                _ = try await host.stores.device.values.clear(name)
                host.log.info("removed the copy of an undeclared module", ["module": .text(parts[1])])
            }
        } catch {
            host.log.debug("unused copies could not be removed")
        }
    }
}
