package import WireBase
package import WireSecrets

extension OpenSSLSecrecy: WebPushCrypto {
    package func newKeys() throws(Fault) -> WebPushKeys {
        let pair = try KeyHandle(newFor: .es256, modulusBits: 0)
        return WebPushKeys(
            privateKey: try pair.privateNumber(),
            publicKey: try pair.point(),
            auth: Secret(try random(WebPushKeys.authSize))
        )
    }

    package func decrypt(_ body: [UInt8], with keys: WebPushKeys) throws(Fault) -> [UInt8] {
        let body = try EncryptedBody(parsing: body)
        guard isPoint(body.sender) else { throw Fault("the key of the sender is not a point of P-256") }
        let secret = try KeyHandle(keys).sharedSecret(with: try KeyHandle(point: body.sender))
        let material = try material(secret, keys.auth, receiver: keys.publicKey, sender: body.sender)
        return try RecordCipher(material, salt: body.salt).open(body.records, of: body.recordSize)
    }

    package func encrypt(_ message: [UInt8], for publicKey: [UInt8], auth: [UInt8]) throws(Fault) -> [UInt8] {
        guard message.count <= EncryptedBody.messageLimit else {
            throw Fault("found a message of \(message.count) bytes, expected \(EncryptedBody.messageLimit) at most")
        }
        guard isPoint(publicKey) else { throw Fault("the key of the subscription is not a point of P-256") }
        let pair = try KeyHandle(newFor: .es256, modulusBits: 0)
        let sender = try pair.point()
        let secret = try pair.sharedSecret(with: try KeyHandle(point: publicKey))
        let material = try material(secret, Secret(auth), receiver: publicKey, sender: sender)
        let salt = try random(EncryptedBody.saltSize)
        let record = try RecordCipher(material, salt: salt).seal(
            message + [RecordCipher.delimiter(isLast: true)],
            number: 0
        )
        return EncryptedBody.bytes(salt: salt, sender: sender, record: record)
    }

    package func isPoint(_ bytes: [UInt8]) -> Bool {
        do throws(Fault) {
            _ = try KeyHandle(point: bytes)
            return true
        } catch {
            return false
        }
    }

    /// Combines the shared secret with the auth secret (RFC 8291, section 3.4).
    private func material(
        _ shared: Secret<[UInt8]>,
        _ auth: Secret<[UInt8]>,
        receiver: [UInt8],
        sender: [UInt8]
    ) throws(Fault) -> Secret<[UInt8]> {
        guard auth.reveal().count == WebPushKeys.authSize else {
            throw Fault("found an auth secret of \(auth.reveal().count) bytes, expected \(WebPushKeys.authSize)")
        }
        var root = try code(of: shared.reveal(), key: auth.reveal())
        defer { root.wipe() }
        return Secret(try code(of: Array("WebPush: info".utf8) + [0] + receiver + sender + [1], key: root))
    }
}
