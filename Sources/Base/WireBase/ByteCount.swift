/// An amount of memory or storage, never a bare number.
package struct ByteCount: Hashable, Comparable, Sendable {
    /// The amount in bytes.
    package let bytes: Int

    /// An amount of so many bytes.
    package static func bytes(_ count: Int) -> Self { Self(bytes: count) }

    /// An amount of so many kibibytes (1,024 bytes).
    package static func kibibytes(_ count: Int) -> Self { Self(bytes: count << 10) }

    /// An amount of so many mebibytes (1,024 kibibytes).
    package static func mebibytes(_ count: Int) -> Self { Self(bytes: count << 20) }

    /// Orders by size.
    package static func < (left: Self, right: Self) -> Bool { left.bytes < right.bytes }
}

extension ByteCount: CustomStringConvertible {
    /// The largest unit that loses nothing, as it is written in a services file: `64MiB`.
    package var description: String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] where bytes != 0 && bytes % (1 << shift) == 0 {
            return "\(bytes >> shift)\(unit)"
        }
        return "\(bytes)B"
    }
}
