package import WireBase

/// What a store keeps, and for how long it waits.
package struct StoreLimits: Sendable {
    /// How large one value, payload or cached answer may be.
    package var valueSize: ByteCount = .mebibytes(64)
    /// How long a key, an id or a lane may be, and the name of a namespace, queue or region.
    package var keySize: ByteCount = .bytes(1_024)
    package var nameSize: ByteCount = .bytes(255)
    /// How much the items of one queue may hold together.
    package var queueSize: ByteCount = .mebibytes(256)
    /// How much of what was read lately is kept in memory, of entries and of cached answers each; nothing where it is none.
    package var recentSize: ByteCount = .mebibytes(16)
    /// How many changes the history holds at least.
    package var history = 10_000
    /// How long the ids of work done are remembered, to know it when it is added again.
    package var doneKept: Duration = .seconds(24 * 3_600)
    /// How long a write waits for another process.
    package var patience: Duration = .seconds(10)

    package init() {}
}
