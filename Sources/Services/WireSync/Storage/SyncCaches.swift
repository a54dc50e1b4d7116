import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireSyncContract

/// The cache of the signed-in user; each user has their own.
final class SyncCaches: Sendable {
    let accounts: SyncAccounts
    private let host: SyncHost
    private let settings: CacheRules
    private let rules: RecordRules
    /// Completes a cache before its first use.
    private let filling: @Sendable (SyncCache, _ region: String) async -> Void
    private let known = Mutex<(region: String, cache: SyncCache)?>(nil)

    init(
        _ settings: SyncSection,
        _ rules: RecordRules,
        _ accounts: SyncAccounts,
        _ host: SyncHost,
        filling: @escaping @Sendable (SyncCache, _ region: String) async -> Void
    ) {
        (self.settings, self.rules, self.accounts, self.host) = (settings.cache, rules, accounts, host)
        self.filling = filling
    }

    /// The cache of the present user.
    var present: SyncCache {
        get async { await cache(of: accounts.region) }
    }

    /// The cache of the present user, where it was used before; nothing is read to fill it.
    var ready: SyncCache? { ready(accounts.region) }

    private func ready(_ region: String) -> SyncCache? { known.withLock { $0?.region == region ? $0?.cache : nil } }

    private func cache(of region: String) async -> SyncCache {
        if let cache = ready(region) { return cache }
        let cache = make(region)
        await filling(cache, region)
        return known.withLock { known in
            if let known, known.region == region { return known.cache }
            known = (region, cache)
            return cache
        }
    }

    /// The cache of a region, where it is the one of the present user.
    func present(in region: String) async -> SyncCache? {
        accounts.region == region ? await cache(of: region) : nil
    }

    private func make(_ region: String) -> SyncCache {
        let (accounts, clock) = (accounts, host.clock)
        var settings = CacheSettings(region: region, digest: { accounts.digest($0) }, now: { clock.wall() })
        settings.size = self.settings.maxSize
        settings.isSealed = self.settings.encrypted
        return SyncCache(host.stores.cache, settings, rules)
    }

    /// Clears the memory, after the store was cleared.
    func forget() { known.withLock { $0 = nil } }
}
