import WireBase

/// A SHA-256 digest (FIPS 180-4), compared in constant time.
package struct Digest: Sendable, Hashable {
    package static let size = 32

    /// The 32 bytes.
    package let bytes: [UInt8]

    /// Makes a digest from existing bytes; nil where their number is wrong.
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

/// Whether bytes are equal, in a time that depends only on their lengths.
///
/// For values that an attacker may guess: tokens, signatures, codes.
package func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { isEqual(left.span, right.span) }

/// Whether bytes are equal, in a time that depends only on their lengths.
package func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}
