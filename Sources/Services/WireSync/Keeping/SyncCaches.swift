import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// The cache of the user who is signed in; another user has another one.
final class SyncCaches: Sendable {
    let accounts: SyncAccounts
    private let host: ServiceHost
    private let settings: CacheRules
    private let rules: RecordRules
    private let known = Mutex<(region: String, cache: SyncCache)?>(nil)

    init(_ settings: SyncSection, _ rules: RecordRules, _ accounts: SyncAccounts, _ host: ServiceHost) {
        (self.settings, self.rules, self.accounts, self.host) = (settings.cache, rules, accounts, host)
    }

    /// The cache of the present user.
    var present: SyncCache {
        let region = accounts.region
        return known.withLock { known in
            if let known, known.region == region { return known.cache }
            let cache = make(region)
            known = (region, cache)
            return cache
        }
    }

    private func make(_ region: String) -> SyncCache {
        let (accounts, clock) = (accounts, host.clock)
        var settings = CacheSettings(region: region, digest: { accounts.digest($0) }, now: { clock.wall() })
        settings.size = self.settings.maxSize
        settings.isSealed = self.settings.encrypted
        return SyncCache(host.stores.cache, settings, rules)
    }

    /// Removes what the memory holds, after the store was cleared beneath it.
    func forget() { known.withLock { $0 = nil } }
}

extension SyncFailure {
    init(_ failure: StoreFailure) { self.init(.storeUnavailable, failure.reason, help: failure.help) }
}
