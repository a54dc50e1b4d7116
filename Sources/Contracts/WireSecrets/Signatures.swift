package import WireBase

/// What a machine must be able to do so that statements can be signed and checked.
package protocol Signatures: Sendable {
    /// Whether a signature, in the form of JWS (RFC 7518, section 3), is that of a message by the owner of a key.
    ///
    /// A key that cannot be used with the algorithm, or is too weak to be believed, is a failure and not a wrong signature.
    func isValid(
        _ signature: [UInt8],
        of message: [UInt8],
        by key: PublicKey,
        _ algorithm: SignatureAlgorithm
    ) throws(Fault) -> Bool

    /// A signature in the form of JWS.
    func sign(_ message: [UInt8], with key: PrivateKey) throws(Fault) -> [UInt8]

    /// A new key pair.
    func makeKey(for algorithm: SignatureAlgorithm) throws(Fault) -> PrivateKey

    /// The key pair of a PKCS #8 text (DER); a key that cannot be used with the algorithm, or is weak, is a failure.
    func key(of encoded: Secret<[UInt8]>, for algorithm: SignatureAlgorithm) throws(Fault) -> PrivateKey

    /// A digest of any of the kinds signatures use.
    func digest(_ bytes: [UInt8], _ algorithm: DigestAlgorithm) throws(Fault) -> [UInt8]
}

/// Turns what people remember into something that is hard to guess from.
package protocol SlowHashing: Sendable {
    /// A memory-hard hash (scrypt, RFC 7914), with its parameters and a new salt, as text to be kept.
    func slowHash(of text: [UInt8]) throws(Fault) -> String
    /// Whether a text is the one a hash was made of; a hash that cannot be read, or would take too much, is a failure.
    func isSlowHash(_ hash: String, of text: [UInt8]) throws(Fault) -> Bool
}
