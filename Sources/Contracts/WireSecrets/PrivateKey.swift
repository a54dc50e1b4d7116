package import WireBase

/// A key pair that can sign.
package struct PrivateKey: Sendable {
    package let algorithm: SignatureAlgorithm
    package let publicKey: PublicKey
    /// PKCS #8, DER; what is kept of it is sealed.
    package let encoded: Secret<[UInt8]>

    package init(algorithm: SignatureAlgorithm, publicKey: PublicKey, encoded: Secret<[UInt8]>) {
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.encoded = encoded
    }
}
