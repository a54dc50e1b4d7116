package import WireBase

/// Creates and verifies signatures.
package protocol Signatures: Sendable {
    /// Whether a signature in JWS form (RFC 7518, section 3) is valid for a message and a key.
    ///
    /// A key that does not fit the algorithm or is too weak is a failure, not an invalid signature.
    func isValid(
        _ signature: [UInt8],
        of message: [UInt8],
        by key: PublicKey,
        _ algorithm: SignatureAlgorithm
    ) throws(Fault) -> Bool

    /// Signs a message in JWS form.
    func sign(_ message: [UInt8], with key: PrivateKey) throws(Fault) -> [UInt8]

    /// Makes a new key pair.
    func makeKey(for algorithm: SignatureAlgorithm) throws(Fault) -> PrivateKey

    /// Reads a key pair from PKCS #8 (DER); one that does not fit the algorithm or is weak is a failure.
    func key(of encoded: Secret<[UInt8]>, for algorithm: SignatureAlgorithm) throws(Fault) -> PrivateKey

    /// A digest of the given kind.
    func digest(_ bytes: [UInt8], _ algorithm: DigestAlgorithm) throws(Fault) -> [UInt8]
}

/// Hashes passwords and PINs.
package protocol SlowHashing: Sendable {
    /// A memory-hard hash (scrypt, RFC 7914) with its parameters and a new salt, as text for storage.
    func slowHash(of text: [UInt8]) throws(Fault) -> String
    /// Whether a text matches a hash; a hash that is invalid or too expensive is a failure.
    func isSlowHash(_ hash: String, of text: [UInt8]) throws(Fault) -> Bool
}
