import WireBase
package import WireConfig
import WireGraphQL
import WireHTTP
package import WireSyncContract

extension SyncService {
    /// Whether the service is stopping.
    package var isEnding: Bool { ending.hasFired }

    /// Watches a declared query for code in the same process.
    package func watching(_ name: String, _ variables: JSONValue?, policy: CachePolicy?) throws(SyncFailure)
        -> SyncFeed<WatchEvent>
    {
        guard self.policy(policy) != .noCache else { throw .watchWithoutCache }
        let prepared = try prepared(name, nil, expected: .query)
        let asked = try asked(prepared, variables?.members ?? [], tokens: .all)
        return feeds.open { tell in await self.watch(asked, policy: policy, tell) }
    }

    /// Subscribes to a declared subscription for code in the same process.
    package func subscribing(_ name: String, _ variables: JSONValue?) throws(SyncFailure) -> SyncFeed<SyncEvent> {
        let prepared = try prepared(name, nil, expected: .subscription)
        let asked = try asked(prepared, variables?.members ?? [], tokens: .all)
        return feeds.open { tell in await self.subscribe(asked, tell) }
    }
}
