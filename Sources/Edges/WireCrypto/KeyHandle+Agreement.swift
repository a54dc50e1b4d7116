import COpenSSL
import WireBase
import WireSecrets

/// Key agreement on P-256 (ECDH; SP 800-56A).
extension KeyHandle {
    /// Reads a public key from an uncompressed point.
    init(point: [UInt8]) throws(Fault) {
        guard let key = PublicKey(point: point) else { throw Fault("found no uncompressed point of P-256") }
        try self.init(key)
    }

    /// Reads the key pair of a subscription.
    init(_ keys: WebPushKeys) throws(Fault) {
        var number = keys.privateKey.reveal()
        defer { number.wipe() }
        guard number.count == EllipticCurve.p256.size else { throw Fault("found no private key of P-256") }
        var parameters = Parameters()
        parameters.add(OSSL_PKEY_PARAM_GROUP_NAME, text: EllipticCurve.p256.rawValue)
        parameters.add(OSSL_PKEY_PARAM_PUB_KEY, bytes: keys.publicKey)
        parameters.add(OSSL_PKEY_PARAM_PRIV_KEY, number: number)
        try self.init("EC", of: parameters, evp_pkey_keypair)
    }

    /// Returns the uncompressed point.
    func point() throws(Fault) -> [UInt8] {
        guard let point = try publicKey(for: .es256).point else { throw Fault("the key is not one of P-256") }
        return point
    }

    /// Returns the private number.
    func privateNumber() throws(Fault) -> Secret<[UInt8]> {
        Secret(try number(OSSL_PKEY_PARAM_PRIV_KEY, size: EllipticCurve.p256.size))
    }

    /// Returns the x coordinate that the owners of both keys can compute.
    func sharedSecret(with other: borrowing KeyHandle) throws(Fault) -> Secret<[UInt8]> {
        let context = try KeyContext(self)
        var secret = [UInt8](repeating: 0, count: EllipticCurve.p256.size)
        defer { secret.wipe() }
        var size = secret.count
        guard unsafe EVP_PKEY_derive_init(context.handle) == 1,
            unsafe EVP_PKEY_derive_set_peer(context.handle, other.handle) == 1,
            unsafe EVP_PKEY_derive(context.handle, &secret, &size) == 1, size == secret.count
        else { throw Fault(OpenSSLErrors.message("the keys cannot be used with each other")) }
        return Secret(Array(secret))
    }
}
