import WireBase
import WireHTTP
import WireStore
import WireSyncContract

/// The calls of the present user's cache.
extension SyncService {
    private static let mostTypes = 100

    func cacheStatus(_ tokens: TokenRights) async throws(SyncFailure) -> SyncCacheStatus {
        if let refusal = showRefusal(tokens) { throw refusal }
        let (cache, rules) = (await caches.present, settings.cache)
        return try SyncFailure.wrapping { () throws(StoreFailure) in
            var status = SyncCacheStatus(
                size: try cache.usage.size.bytes,
                maxSize: rules.maxSize.bytes,
                isEncrypted: rules.encrypted
            )
            let types = try cache.recordsByType()
            status.records = types.values.reduce(0, +)
            status.types = types.map(SyncCachedType.init).sorted { ($1.records, $0.type) < ($0.records, $1.type) }
                .prefix(Self.mostTypes).map(\.self)
            return status
        }
    }

    func clearCache(_ tokens: TokenRights) async throws(SyncFailure) -> Int {
        if let refusal = showRefusal(tokens) { throw refusal }
        let cache = await caches.present
        // The results of delta queries must be fetched again.
        defer { delta.wake() }
        return try await SyncFailure.rethrowing(try await cache.clear())
    }
}
