package import WireBase

/// The location and size of a cache.
package struct CacheSettings: Sendable {
    /// The region of the user in the environment.
    package let region: String
    /// The maximum size on the disk, and of records and answers in memory.
    package var size: ByteCount
    package var memory: ByteCount
    /// Whether records are encrypted, including their keys.
    package var isSealed: Bool
    /// A digest as text, the same on all machines that share the file.
    package var digest: @Sendable ([UInt8]) -> String
    /// The time in milliseconds since 1970.
    package var now: @Sendable () -> Int64

    package init(
        region: String,
        size: ByteCount = .mebibytes(64),
        memory: ByteCount = .mebibytes(16),
        isSealed: Bool = false,
        digest: @escaping @Sendable ([UInt8]) -> String,
        now: @escaping @Sendable () -> Int64
    ) {
        self.region = region
        self.size = size
        self.memory = memory
        self.isSealed = isSealed
        self.digest = digest
        self.now = now
    }

    /// The name of a record in the store: its key, or a digest where the key is too long or confidential.
    func name(of key: RecordKey) -> String {
        if !isSealed, key.text.utf8.count <= Self.longest { return key.text }
        return Self.digested + digest(Array(key.text.utf8))
    }

    /// The prefix of names that are digests.
    static let digested = "#"
    private static let longest = 512
}
