package import WireBase

/// How much may be held once a value is stored; what has expired does not count.
///
/// What does not make anything grow is let through even where a limit was lowered: it is the way back below it.
package struct StoreRoom: Sendable, Hashable {
    /// What one of the limits is about.
    package enum Limit: String, Sendable {
        /// The entries of the namespace, and how much they hold.
        case entries, size
        /// What several namespaces hold together.
        case together
        /// How many namespaces there are, of some and of all together.
        case namespaces, namespacesTogether
        /// A single value.
        case value
    }

    package var entries: Int?
    package var size: ByteCount?
    /// How much all namespaces whose names begin with a text may hold together.
    package var together: Together?
    /// How many namespaces there may be once this one has an entry; counted only where it has none.
    package var namespaces: Namespaces?
    /// Whether the entries of the namespace that were written longest ago are removed where a limit is reached.
    package var removesOldest: Bool

    package struct Together: Sendable, Hashable {
        package let prefix: String
        package let size: ByteCount

        package init(_ prefix: String, _ size: ByteCount) {
            self.prefix = prefix
            self.size = size
        }
    }

    /// How many of the namespaces whose names begin with a text may hold something, and how many of more of them.
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
