import COpenSSL
import WireBase
import WireSecrets

/// A key of OpenSSL.
@safe struct KeyHandle: ~Copyable {
    @unsafe let handle: OpaquePointer

    /// Takes ownership of a key.
    @unsafe init(taking handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit { unsafe EVP_PKEY_free(handle) }

    /// Creates a public key from its numbers; throws where these are not a point of the curve.
    init(_ key: PublicKey) throws(Fault) {
        switch key {
        case .rsa(let modulus, let exponent):
            var parameters = Parameters()
            parameters.add(OSSL_PKEY_PARAM_RSA_N, number: modulus)
            parameters.add(OSSL_PKEY_PARAM_RSA_E, number: exponent)
            try self.init("RSA", of: parameters)
        case .ec(let curve, let x, let y):
            var parameters = Parameters()
            parameters.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.rawValue)
            parameters.add(OSSL_PKEY_PARAM_PUB_KEY, bytes: [4] + x + y)
            try self.init("EC", of: parameters)
        case .ed25519(let point):
            guard let made = unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, point, point.count) else {
                throw Fault(OpenSSLErrors.message("the key is not an Ed25519 key"))
            }
            unsafe self.init(taking: made)
        }
    }

    /// Creates a key from the parameters of a public key, or of a pair.
    init(
        _ kind: String,
        of parameters: borrowing Parameters,
        _ selection: Int32 = evp_pkey_public_key
    ) throws(Fault) {
        let context = try KeyContext(kind: kind)
        var made: OpaquePointer?
        let isMade = unsafe parameters.withList { list in
            unsafe EVP_PKEY_fromdata_init(context.handle) == 1
                && EVP_PKEY_fromdata(context.handle, &made, selection, list) == 1
        }
        guard isMade, let made = unsafe made else {
            throw Fault(OpenSSLErrors.message("the numbers are not a valid \(kind) key"))
        }
        unsafe self.init(taking: made)
    }

    /// Whether the key's kind and curve fit an algorithm.
    func isKind(of algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: unsafe EVP_PKEY_is_a(handle, "RSA") == 1
        case .eddsa: unsafe EVP_PKEY_is_a(handle, "ED25519") == 1
        case .es256, .es384, .es512: isOnCurve(of: algorithm)
        }
    }

    private func isOnCurve(of algorithm: SignatureAlgorithm) -> Bool {
        guard let curve = algorithm.curve, unsafe EVP_PKEY_is_a(handle, "EC") == 1 else { return false }
        var name = [CChar](repeating: 0, count: 64)
        guard unsafe EVP_PKEY_get_group_name(handle, &name, name.count, nil) == 1 else { return false }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return unsafe EC_curve_nist2nid(curve.rawValue) == OBJ_txt2nid(String(decoding: bytes, as: UTF8.self))
    }

    static func wrongKind(for algorithm: SignatureAlgorithm) -> Fault {
        Fault("the key cannot be used with \(algorithm.rawValue)")
    }
}

extension SignatureAlgorithm {
    var curve: EllipticCurve? {
        switch self {
        case .es256: .p256
        case .es384: .p384
        case .es512: .p521
        default: nil
        }
    }
}
