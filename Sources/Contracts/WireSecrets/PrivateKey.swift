package import WireBase

/// A key pair for signing.
package struct PrivateKey: Sendable {
    package let algorithm: SignatureAlgorithm
    package let publicKey: PublicKey
    /// PKCS #8 in DER; sealed where it is stored.
    package let encoded: Secret<[UInt8]>

    package init(algorithm: SignatureAlgorithm, publicKey: PublicKey, encoded: Secret<[UInt8]>) {
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.encoded = encoded
    }
}
