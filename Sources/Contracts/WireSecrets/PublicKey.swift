/// A public key, as big-endian numbers.
package enum PublicKey: Sendable, Hashable {
    /// Numbers without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// Coordinates with as many bytes as the curve's size.
    case ec(EllipticCurve, x: [UInt8], y: [UInt8])
    /// Ed25519 (RFC 8032).
    case ed25519([UInt8])
}

extension PublicKey {
    /// Whether the key can verify signatures of an algorithm.
    package func canCheck(_ algorithm: SignatureAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.rsa, .rs256), (.rsa, .rs384), (.rsa, .rs512), (.rsa, .ps256), (.rsa, .ps384), (.rsa, .ps512): true
        case (.ec(.p256, _, _), .es256), (.ec(.p384, _, _), .es384), (.ec(.p521, _, _), .es512): true
        case (.ed25519, .eddsa): true
        default: false
        }
    }
}

/// A NIST curve (RFC 7518, section 6.2.1.1).
package enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// The number of bytes of a coordinate, and of each half of a signature.
    package var size: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }
}
