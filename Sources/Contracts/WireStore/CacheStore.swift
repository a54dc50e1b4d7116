package import WireBase

/// A store for data that may be lost, such as cached responses.
package protocol CacheStore: Sendable {
    func cached(_ key: String, in region: String) throws(StoreFailure) -> CachedValue?
    /// Stores a value and evicts the least recently used ones where the region exceeds its limit; returns the number
    /// evicted.
    @discardableResult
    func cache(_ value: CachedValue, under key: String, in region: String, bound: ByteCount)
        async throws(StoreFailure) -> Int
    func forget(_ key: String?, in region: String) async throws(StoreFailure)
    /// Removes all values whose keys have a prefix, or all values; returns their number.
    func forget(beginning prefix: String, in region: String) async throws(StoreFailure) -> Int
    /// The number of values that ``forget(beginning:in:)`` would remove.
    func cachedCount(beginning prefix: String, in region: String) throws(StoreFailure) -> Int
    /// The size of a region, including keys and notes.
    func cacheUsage(of region: String) throws(StoreFailure) -> StoreUsage
}

/// A cached value with the notes of its owner.
package struct CachedValue: Sendable {
    package var bytes: [UInt8]
    package var notes: [UInt8]
    /// The storage time in milliseconds since 1970.
    package var stored: Int64

    package init(bytes: [UInt8], notes: [UInt8], stored: Int64) {
        self.bytes = bytes
        self.notes = notes
        self.stored = stored
    }
}
