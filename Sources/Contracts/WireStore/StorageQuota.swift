package import WireBase

/// The limits that apply after a value is stored; expired entries do not count.
///
/// A write that does not increase the size is always allowed, so that a store above a lowered limit can shrink.
package struct StorageQuota: Sendable, Hashable {
    /// The kinds of limits.
    package enum Limit: String, Sendable {
        /// The number or the size of the namespace's entries.
        case entries, size
        /// The total size of several namespaces.
        case together
        /// The number of namespaces with a prefix, and with a wider prefix.
        case namespaces, namespacesTogether
        /// A single value.
        case value
    }

    package var entries: Int?
    package var size: ByteCount?
    /// The maximum total size of all namespaces with a prefix.
    package var together: Together?
    /// The maximum number of namespaces; checked only when the namespace gets its first entry.
    package var namespaces: Namespaces?
    /// Whether the oldest entries of the namespace are removed where a limit is reached.
    package var removesOldest: Bool

    package struct Together: Sendable, Hashable {
        package let prefix: String
        package let size: ByteCount

        package init(_ prefix: String, _ size: ByteCount) {
            self.prefix = prefix
            self.size = size
        }
    }

    /// The maximum number of non-empty namespaces with a prefix, and with a wider prefix.
    package struct Namespaces: Sendable, Hashable {
        package let prefix: String
        package let count: Int
        package let widerPrefix: String
        package let widerCount: Int

        package init(_ prefix: String, _ count: Int, within widerPrefix: String, _ widerCount: Int) {
            self.prefix = prefix
            self.count = count
            self.widerPrefix = widerPrefix
            self.widerCount = widerCount
        }
    }

    package init(
        entries: Int? = nil,
        size: ByteCount? = nil,
        together: Together? = nil,
        namespaces: Namespaces? = nil,
        removesOldest: Bool = false
    ) {
        self.entries = entries
        self.size = size
        self.together = together
        self.namespaces = namespaces
        self.removesOldest = removesOldest
    }
}
