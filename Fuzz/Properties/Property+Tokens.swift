import WireBase
import WireConfig
import WireJOSE
import WireSecrets

extension Property {
    /// Bytes as a token, as header and payload of one (parted by the byte 0x1e), and as a key set.
    static func checkTokens(_ bytes: [UInt8]) throws(BrokenProperty) {
        if let message = try? SignedMessage(parsing: bytes) { try checkText(of: message, bytes) }
        if let end = bytes.firstIndex(of: 0x1e) {
            try checkParts(header: Array(bytes[..<end]), payload: Array(bytes[(end + 1)...]))
        }
        if let keys = try? JSONWebKeySet(parsing: bytes) { try checkKeys(keys) }
    }

    /// There is one way to write a token that is taken.
    private static func checkText(of message: SignedMessage, _ bytes: [UInt8]) throws(BrokenProperty) {
        let written = message.signedBytes + [UInt8(ascii: ".")] + Array(Base64URL.text(of: message.signature).utf8)
        guard written == bytes else { throw BrokenProperty("a token is written in another way than it came") }
        guard !message.signature.isEmpty else { throw BrokenProperty("a token without a signature is taken") }
    }

    /// A token of these parts has the claims it was made of, written again as well.
    private static func checkParts(header: [UInt8], payload: [UInt8]) throws(BrokenProperty) {
        let text = [header, payload, [1]].map(Base64URL.text(of:)).joined(separator: ".")
        guard let token = try? SignedToken(parsing: text) else { return }
        guard case .object = token.claims else { throw BrokenProperty("claims are no object") }
        let again = [header, Array(token.claims.text().utf8), [1]].map(Base64URL.text(of:)).joined(separator: ".")
        // A number past what a machine has is read as infinite, which JSON cannot write.
        guard token.claims.text().contains("inf") || text.utf8.count > 4_096 || isSame(again, as: token) else {
            throw BrokenProperty("claims written again are others")
        }
        if let date = token.claims["exp"]?.numericDate, date < 0 { throw BrokenProperty("a moment before 1970") }
    }

    private static func isSame(_ text: String, as token: SignedToken) -> Bool {
        guard let again = try? SignedToken(parsing: text) else { return false }
        return again.claims.text() == token.claims.text() && again.header == token.header
    }

    /// Keys that are taken are strong, and the same when they are published again.
    private static func checkKeys(_ keys: JSONWebKeySet) throws(BrokenProperty) {
        guard keys.keys.allSatisfy({ $0.key.weakness == nil }) else { throw BrokenProperty("a weak key is taken") }
        guard let again = try? JSONWebKeySet(parsing: Array(keys.json.text().utf8)), again.keys == keys.keys,
            again.passedOver.isEmpty
        else { throw BrokenProperty("keys published again are others") }
    }
}
