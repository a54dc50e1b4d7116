/// The half of a key pair that everybody may know, as numbers.
package enum PublicKey: Sendable, Hashable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case ec(EllipticCurve, x: [UInt8], y: [UInt8])
    /// Ed25519 (RFC 8032).
    case ed25519([UInt8])
}

/// A curve of NIST's (RFC 7518, section 6.2.1.1).
package enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// How many bytes a coordinate has, and each half of a signature.
    package var size: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }
}

/// A key pair that can sign.
package struct PrivateKey: Sendable {
    package let algorithm: SignatureAlgorithm
    package let publicKey: PublicKey
    /// PKCS #8, DER; what is kept of it is sealed.
    package let encoded: [UInt8]

    package init(algorithm: SignatureAlgorithm, publicKey: PublicKey, encoded: [UInt8]) {
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.encoded = encoded
    }
}
