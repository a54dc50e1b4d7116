import COpenSSL
import WireBase
import WireSecrets

/// Creates signatures in the form of JWS.
enum Signer {
    static func sign(
        _ message: [UInt8],
        with key: borrowing KeyHandle,
        _ algorithm: SignatureAlgorithm
    ) throws(Fault) -> [UInt8] {
        if algorithm == .eddsa { return try MessageContext().sign(message, with: key) }
        let digest = try DigestHandle(algorithm.digest).digest(message[...])
        let context = try KeyContext(key)
        var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key.handle)))
        var size = signature.count
        guard unsafe EVP_PKEY_sign_init(context.handle) == 1, SignatureScheme.apply(algorithm, to: context),
            unsafe EVP_PKEY_sign(context.handle, &signature, &size, digest, digest.count) == 1
        else { throw Fault(OpenSSLErrors.message("signing failed")) }
        signature.removeLast(signature.count - size)
        guard let curve = algorithm.curve else { return signature }
        guard let raw = ECDSASignature(encoded: signature, curve)?.raw else {
            throw Fault("signing failed: OpenSSL returned an invalid signature")
        }
        return raw
    }
}
