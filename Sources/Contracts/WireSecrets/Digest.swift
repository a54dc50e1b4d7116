import WireBase

/// A SHA-256 digest (FIPS 180-4), compared in a time that tells nothing about where two of them differ.
package struct Digest: Sendable, Hashable {
    package static let size = 32

    /// The 32 bytes of it.
    package let bytes: [UInt8]

    /// Takes a digest somebody else has made; nil where it does not have the size of one.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// The digest in lower-case hexadecimal digits.
    package var hexadecimal: String { Hexadecimal.text(of: bytes) }

    package static func == (left: Self, right: Self) -> Bool {
        isEqual(left.bytes, right.bytes)
    }
}

/// Whether bytes are equal, in a time that depends on their counts alone.
///
/// For whatever somebody outside may try values of: tokens, signatures, codes.
package func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { isEqual(left.span, right.span) }

/// Whether they are the same, found out in a time that tells their lengths alone.
package func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}
