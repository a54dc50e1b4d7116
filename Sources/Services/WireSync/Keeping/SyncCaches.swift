import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore

/// The cache of the user who is signed in; another user has another one.
final class SyncCaches: Sendable {
    let scope: SyncScope
    private let host: ServiceHost
    private let settings: CacheRules
    private let rules: RecordRules
    private let known = Mutex<(account: String, cache: SyncCache)?>(nil)

    init(_ settings: SyncSection, _ rules: RecordRules, _ scope: SyncScope, _ host: ServiceHost) {
        (self.settings, self.rules, self.scope, self.host) = (settings.cache, rules, scope, host)
    }

    /// The cache of the present user.
    var present: SyncCache {
        get throws(SyncFailure) {
            do throws(SecrecyFailure) {
                let account = try scope.account
                return known.withLock { known in
                    if let known, known.account == account { return known.cache }
                    let cache = make(account)
                    known = (account, cache)
                    return cache
                }
            } catch {
                throw SyncFailure(.storeUnavailable, error.reason)
            }
        }
    }

    private func make(_ account: String) -> SyncCache {
        let (scope, clock) = (scope, host.clock)
        var settings = CacheSettings(
            region: scope.region(of: account),
            digest: { scope.digest($0) },
            now: { clock.wall() }
        )
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
