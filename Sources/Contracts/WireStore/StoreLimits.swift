package import WireBase

/// The limits and timeouts of a store.
package struct StoreLimits: Sendable {
    /// The maximum size of a value, a payload or a cached response.
    package var valueSize: ByteCount = .mebibytes(64)
    /// The maximum length of keys, ids and lanes, and of the names of namespaces, queues and regions.
    package var keySize: ByteCount = .bytes(1_024)
    package var nameSize: ByteCount = .bytes(255)
    /// The maximum total size of the items of a queue.
    package var queueSize: ByteCount = .mebibytes(256)
    /// The size of the memory cache for recently read entries, and of that for cached responses; zero disables them.
    package var recentSize: ByteCount = .mebibytes(16)
    /// The minimum number of changes in the history.
    package var history = 10_000
    /// How long ids of finished work are remembered, to reject duplicates.
    package var doneKept: Duration = .seconds(24 * 3_600)
    /// How long a write waits for another process.
    package var patience: Duration = .seconds(10)

    package init() {}
}
