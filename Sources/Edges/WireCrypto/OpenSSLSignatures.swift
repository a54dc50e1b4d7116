import COpenSSL
package import WireBase
package import WireSecrets

/// Signatures by OpenSSL's EVP: RSA (PKCS #1 v1.5 and PSS), ECDSA on NIST's curves, Ed25519.
package final class OpenSSLSignatures: Signatures {
    private let verifiers = VerifierPool(capacity: 32)

    package init() {}

    package func isValid(
        _ signature: [UInt8],
        of message: [UInt8],
        by key: PublicKey,
        _ algorithm: SignatureAlgorithm
    ) throws(Fault) -> Bool {
        let use = Verifier.Use(key: key, algorithm: algorithm)
        let verifier = if let ready = verifiers.checkOut(use) { ready } else { try Verifier(use) }
        defer { verifiers.giveBack(verifier) }
        return try verifier.isValid(signature, of: message)
    }

    package func sign(_ message: [UInt8], with key: PrivateKey) throws(Fault) -> [UInt8] {
        try SignatureScheme.check(key.publicKey, for: key.algorithm)
        let pair = try KeyHandle(encoded: key.encoded)
        guard pair.isKind(of: key.algorithm) else { throw KeyHandle.wrongKind(for: key.algorithm) }
        return try Signer.sign(message, with: pair, key.algorithm)
    }

    package func makeKey(for algorithm: SignatureAlgorithm) throws(Fault) -> PrivateKey {
        try makeKey(for: algorithm, modulusBits: 2_048)
    }

    /// Creates a new key pair; the size applies to RSA.
    package func makeKey(for algorithm: SignatureAlgorithm, modulusBits: Int) throws(Fault) -> PrivateKey {
        precondition(PublicKey.modulusBits.contains(modulusBits), "a plausible size")
        let pair = try KeyHandle(newFor: algorithm, modulusBits: modulusBits)
        return try PrivateKey(
            algorithm: algorithm,
            publicKey: pair.publicKey(for: algorithm),
            encoded: pair.encoded()
        )
    }

    package func key(
        of encoded: Secret<[UInt8]>,
        for algorithm: SignatureAlgorithm
    ) throws(Fault) -> PrivateKey {
        let pair = try KeyHandle(encoded: encoded)
        guard pair.isKind(of: algorithm) else { throw KeyHandle.wrongKind(for: algorithm) }
        let publicKey = try pair.publicKey(for: algorithm)
        try SignatureScheme.check(publicKey, for: algorithm)
        guard try pair.isPair else { throw Fault("the public and the private key do not match") }
        return PrivateKey(algorithm: algorithm, publicKey: publicKey, encoded: encoded)
    }

    package func digest(_ bytes: [UInt8], _ algorithm: DigestAlgorithm) throws(Fault) -> [UInt8] {
        try DigestHandle(algorithm).digest(bytes[...])
    }
}
