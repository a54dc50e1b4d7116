import COpenSSL
import WireBase
import WireSecrets

/// Key pairs: creating them, and PKCS #8.
extension KeyHandle {
    /// Creates a new key pair.
    init(newFor algorithm: SignatureAlgorithm, modulusBits: Int) throws(Fault) {
        let kind = algorithm.curve != nil ? "EC" : algorithm == .eddsa ? "ED25519" : "RSA"
        let context = try KeyContext(kind: kind)
        var isReady = unsafe EVP_PKEY_keygen_init(context.handle) == 1
        if let curve = algorithm.curve {
            isReady = unsafe isReady && EVP_PKEY_CTX_set_group_name(context.handle, curve.rawValue) == 1
        } else if algorithm != .eddsa {
            isReady = unsafe isReady && EVP_PKEY_CTX_set_rsa_keygen_bits(context.handle, Int32(modulusBits)) == 1
        }
        var made: OpaquePointer?
        guard isReady, unsafe EVP_PKEY_generate(context.handle, &made) == 1, let made = unsafe made else {
            throw Fault(OpenSSLErrors.message("no key could be created"))
        }
        unsafe self.init(taking: made)
    }

    /// Reads a key pair in PKCS #8.
    init(encoded: Secret<[UInt8]>) throws(Fault) {
        let bytes = encoded.reveal()
        let made: OpaquePointer? = unsafe bytes.withUnsafeBufferPointer { bytes in
            var place = bytes.baseAddress
            guard bytes.count <= 16_384,
                let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &place, bytes.count)
            else { return nil }
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            guard unsafe place == bytes.baseAddress?.advanced(by: bytes.count) else { return nil }
            return unsafe EVP_PKCS82PKEY(info)
        }
        guard let made = unsafe made else {
            throw Fault(OpenSSLErrors.message("the text is not a private key in PKCS #8"))
        }
        unsafe self.init(taking: made)
    }

    /// Returns the key pair in PKCS #8.
    func encoded() throws(Fault) -> Secret<[UInt8]> {
        guard let info = unsafe EVP_PKEY2PKCS8(handle) else {
            throw Fault(OpenSSLErrors.message("the key cannot be written"))
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let size = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil)
        guard size > 0 else { throw Fault(OpenSSLErrors.message("the key cannot be written")) }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        defer { bytes.wipe() }
        let written = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var place = bytes.baseAddress
            return unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &place)
        }
        guard written == size else { throw Fault(OpenSSLErrors.message("the key cannot be written")) }
        return Secret(Array(bytes))
    }

    /// Whether the two halves belong together.
    var isPair: Bool {
        get throws(Fault) {
            let context = try KeyContext(self)
            defer { OpenSSLErrors.clear() }
            return unsafe EVP_PKEY_pairwise_check(context.handle) == 1
        }
    }

    /// Returns the public key.
    func publicKey(for algorithm: SignatureAlgorithm) throws(Fault) -> PublicKey {
        if let curve = algorithm.curve {
            return .ec(
                curve,
                x: try number(OSSL_PKEY_PARAM_EC_PUB_X, size: curve.size),
                y: try number(OSSL_PKEY_PARAM_EC_PUB_Y, size: curve.size)
            )
        }
        guard algorithm == .eddsa else {
            return .rsa(
                modulus: try number(OSSL_PKEY_PARAM_RSA_N),
                exponent: try number(OSSL_PKEY_PARAM_RSA_E)
            )
        }
        var point = [UInt8](repeating: 0, count: 32)
        var size = point.count
        guard unsafe EVP_PKEY_get_raw_public_key(handle, &point, &size) == 1, size == 32 else {
            throw Fault(OpenSSLErrors.message("the public key is missing"))
        }
        return .ed25519(point)
    }

    /// Returns a number of the key, padded to a size if one is given.
    func number(_ name: String, size: Int? = nil) throws(Fault) -> [UInt8] {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(handle, name, &number) == 1, let number = unsafe number else {
            throw Fault(OpenSSLErrors.message("a number of the key is missing"))
        }
        defer { unsafe BN_clear_free(number) }
        let size = unsafe size ?? (Int(BN_num_bits(number)) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: size)
        guard unsafe BN_bn2binpad(number, &bytes, Int32(size)) == Int32(size) else {
            throw Fault(OpenSSLErrors.message("a number of the key is missing"))
        }
        return bytes
    }
}
