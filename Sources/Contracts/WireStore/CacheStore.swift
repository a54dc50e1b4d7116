package import WireBase

/// What may be lost: answers of servers, kept for speed and for want of a network.
package protocol CacheStore: Sendable {
    func cached(_ key: String, in region: String) throws(StoreFailure) -> CachedValue?
    /// Stores a value, and forgets what was used least lately where the region holds more than its bound; how many others
    /// those are.
    @discardableResult
    func cache(_ value: CachedValue, under key: String, in region: String, bound: ByteCount)
        async throws(StoreFailure) -> Int
    func forget(_ key: String?, in region: String) async throws(StoreFailure)
    /// Forgets what lies under keys that begin so, all where that is empty; how many those were.
    func forget(beginning prefix: String, in region: String) async throws(StoreFailure) -> Int
    /// How much a region holds, keys and notes included.
    func cacheUsage(of region: String) throws(StoreFailure) -> StoreUsage
}

/// A value of the cache, with what its owner wants to know about it.
package struct CachedValue: Sendable {
    package var bytes: [UInt8]
    package var notes: [UInt8]
    /// Milliseconds since 1970.
    package var stored: Int64

    package init(bytes: [UInt8], notes: [UInt8], stored: Int64) {
        self.bytes = bytes
        self.notes = notes
        self.stored = stored
    }
}
