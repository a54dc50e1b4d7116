package import WireBase

/// Encrypts and decrypts messages of Web Push (RFC 8291).
package protocol WebPushCrypto: Sendable {
    /// Makes the keys of a new subscription.
    func newKeys() throws(Fault) -> WebPushKeys

    /// Decrypts a body in the content coding `aes128gcm` (RFC 8188); throws why it cannot be read.
    func decrypt(_ body: [UInt8], with keys: WebPushKeys) throws(Fault) -> [UInt8]

    /// Encrypts a message for the public key and the auth secret of a subscription, as an app server does.
    func encrypt(_ message: [UInt8], for publicKey: [UInt8], auth: [UInt8]) throws(Fault) -> [UInt8]

    /// Whether bytes are an uncompressed point of P-256.
    func isPoint(_ bytes: [UInt8]) -> Bool
}

/// The keys of one subscription of Web Push (RFC 8291).
package struct WebPushKeys: Sendable {
    /// The private number of P-256, 32 bytes.
    package let privateKey: Secret<[UInt8]>
    /// The uncompressed point, 65 bytes.
    package let publicKey: [UInt8]
    /// 16 random bytes that the app server gets too.
    package let auth: Secret<[UInt8]>

    /// The number of bytes of an auth secret.
    package static let authSize = 16
    /// The maximum size of an encrypted body.
    package static let bodyLimit = ByteCount.kibibytes(64)

    package init(privateKey: Secret<[UInt8]>, publicKey: [UInt8], auth: Secret<[UInt8]>) {
        (self.privateKey, self.publicKey, self.auth) = (privateKey, publicKey, auth)
    }
}

extension WebPushKeys: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.publicKey == right.publicKey && isEqual(left.privateKey.reveal(), right.privateKey.reveal())
            && isEqual(left.auth.reveal(), right.auth.reveal())
    }
}
