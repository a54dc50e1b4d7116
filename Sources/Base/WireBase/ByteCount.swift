/// An amount of memory or storage.
package struct ByteCount: Hashable, Comparable, Sendable {
    /// The amount in bytes.
    package let bytes: Int

    /// Returns an amount of bytes.
    package static func bytes(_ count: Int) -> Self { Self(bytes: count) }

    /// Returns an amount of kibibytes (1,024 bytes).
    package static func kibibytes(_ count: Int) -> Self { Self(bytes: count << 10) }

    /// Returns an amount of mebibytes (1,024 kibibytes).
    package static func mebibytes(_ count: Int) -> Self { Self(bytes: count << 20) }

    /// Orders by size.
    package static func < (left: Self, right: Self) -> Bool { left.bytes < right.bytes }
}

extension ByteCount: CustomStringConvertible {
    /// The amount in the largest unit that is exact, as in a services file: `64MiB`.
    package var description: String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] where bytes != 0 && bytes % (1 << shift) == 0 {
            return "\(bytes >> shift)\(unit)"
        }
        return "\(bytes)B"
    }
}
