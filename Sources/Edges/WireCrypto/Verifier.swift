import COpenSSL
import WireBase
import WireSecrets

/// A public key prepared for verifying signatures of one algorithm.
///
/// Unchecked: a thread that takes one out of the pool is its only user, and the pool's lock separates one use from
/// the next.
final class Verifier: @unchecked Sendable {
    struct Use: Hashable {
        let key: PublicKey
        let algorithm: SignatureAlgorithm
    }

    let use: Use
    private let key: KeyHandle
    private let context: KeyContext
    private let digest: DigestHandle

    init(_ use: Use) throws(Fault) {
        try SignatureScheme.check(use.key, for: use.algorithm)
        self.use = use
        key = try KeyHandle(use.key)
        context = try KeyContext(key)
        digest = try DigestHandle(use.algorithm.digest)
        if use.algorithm != .eddsa {
            guard unsafe EVP_PKEY_verify_init(context.handle) == 1, SignatureScheme.apply(use.algorithm, to: context)
            else { throw Fault(OpenSSLErrors.message("the key cannot be used")) }
        }
    }

    func isValid(_ signature: [UInt8], of message: [UInt8]) throws(Fault) -> Bool {
        // The reason for a wrong signature is not reported.
        defer { OpenSSLErrors.clear() }
        switch use.key {
        case .rsa(let modulus, _):
            guard signature.count == modulus.count else { return false }
            return try isValid(signature, ofDigestOf: message)
        case .ec(let curve, _, _):
            guard let signature = ECDSASignature(raw: signature, curve)?.encoded else { return false }
            return try isValid(signature, ofDigestOf: message)
        case .ed25519:
            guard signature.count == 64 else { return false }
            return try MessageContext().isValid(signature, of: message, by: key)
        }
    }

    private func isValid(_ signature: [UInt8], ofDigestOf message: [UInt8]) throws(Fault) -> Bool {
        let digest = try digest.digest(message[...])
        return unsafe EVP_PKEY_verify(context.handle, signature, signature.count, digest, digest.count) == 1
    }
}

/// Signs or verifies a whole message, as Ed25519 requires.
@safe struct MessageContext: ~Copyable {
    private let handle: OpaquePointer

    init() throws(Fault) {
        guard let made = unsafe EVP_MD_CTX_new() else { throw Fault(OpenSSLErrors.message("not enough memory")) }
        unsafe handle = made
    }

    deinit { unsafe EVP_MD_CTX_free(handle) }

    consuming func isValid(
        _ signature: [UInt8],
        of message: [UInt8],
        by key: borrowing KeyHandle
    ) throws(Fault) -> Bool {
        guard unsafe EVP_DigestVerifyInit_ex(handle, nil, nil, nil, nil, key.handle, nil) == 1 else {
            throw Fault(OpenSSLErrors.message("the key cannot be used"))
        }
        return unsafe EVP_DigestVerify(handle, signature, signature.count, message, message.count) == 1
    }

    consuming func sign(_ message: [UInt8], with key: borrowing KeyHandle) throws(Fault) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 64)
        var size = signature.count
        guard unsafe EVP_DigestSignInit_ex(handle, nil, nil, nil, nil, key.handle, nil) == 1,
            unsafe EVP_DigestSign(handle, &signature, &size, message, message.count) == 1, size == signature.count
        else { throw Fault(OpenSSLErrors.message("signing failed")) }
        return signature
    }
}
