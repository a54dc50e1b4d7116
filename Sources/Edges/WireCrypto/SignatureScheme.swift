import COpenSSL
import WireBase
import WireSecrets

/// The parameters of an algorithm in OpenSSL.
enum SignatureScheme {
    /// Throws for a key that does not fit the algorithm, or is too weak.
    static func check(_ key: PublicKey, for algorithm: SignatureAlgorithm) throws(Fault) {
        guard key.canCheck(algorithm) else { throw KeyHandle.wrongKind(for: algorithm) }
        if let weakness = key.weakness { throw Fault("the key is too weak: \(weakness)") }
    }

    /// Sets the padding and the digest of an algorithm.
    static func apply(_ algorithm: SignatureAlgorithm, to context: borrowing KeyContext) -> Bool {
        let digest = unsafe nativeDigest(algorithm.digest)
        switch algorithm {
        case .eddsa: return true
        case .es256, .es384, .es512:
            return unsafe EVP_PKEY_CTX_set_signature_md(context.handle, digest) == 1
        case .rs256, .rs384, .rs512:
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context.handle, RSA_PKCS1_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context.handle, digest) == 1
        case .ps256, .ps384, .ps512:
            // The salt is as long as the digest (RFC 7518, section 3.5); other lengths are refused.
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context.handle, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context.handle, digest) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context.handle, digest) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context.handle, RSA_PSS_SALTLEN_DIGEST) == 1
        }
    }

    @unsafe private static func nativeDigest(_ algorithm: DigestAlgorithm) -> OpaquePointer? {
        switch algorithm {
        case .sha256: unsafe EVP_sha256()
        case .sha384: unsafe EVP_sha384()
        case .sha512: unsafe EVP_sha512()
        }
    }
}

/// A digest, fetched once.
@safe struct DigestHandle: ~Copyable {
    private let handle: OpaquePointer
    private let size: Int

    init(_ algorithm: DigestAlgorithm) throws(Fault) {
        guard let found = unsafe EVP_MD_fetch(nil, "SHA2-\(algorithm.rawValue)", nil) else {
            throw Fault(OpenSSLErrors.message("SHA-\(algorithm.rawValue) is not available"))
        }
        unsafe handle = found
        size = algorithm.size
    }

    deinit { unsafe EVP_MD_free(handle) }

    func digest(_ bytes: ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: size)
        let code = unsafe bytes.withUnsafeBytes {
            unsafe EVP_Digest($0.baseAddress, $0.count, &result, nil, handle, nil)
        }
        guard code == 1 else { throw Fault(OpenSSLErrors.message("digest failed")) }
        return result
    }
}

/// OpenSSL's context of an operation with a key.
@safe struct KeyContext: ~Copyable {
    @unsafe let handle: OpaquePointer

    init(_ key: borrowing KeyHandle) throws(Fault) {
        guard let made = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.handle, nil) else {
            throw Fault(OpenSSLErrors.message("the key cannot be used"))
        }
        unsafe handle = made
    }

    /// A context for creating keys of a kind.
    init(kind: String) throws(Fault) {
        guard let made = unsafe EVP_PKEY_CTX_new_from_name(nil, kind, nil) else {
            throw Fault(OpenSSLErrors.message("this kind of key is not supported"))
        }
        unsafe handle = made
    }

    deinit { unsafe EVP_PKEY_CTX_free(handle) }
}
