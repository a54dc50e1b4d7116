import WireBase
import WireConfig
import WireCrypto
import WireJOSE
import WireSecrets

extension Property {
    /// Bytes as a message of Web Push, as the texts of its records (parted by the byte 0x1e), and as a header of VAPID.
    static func checkPush(_ bytes: [UInt8]) throws(BrokenProperty) {
        if let message = try? OpenSSLSecrecy().decrypt(bytes, with: exampleKeys), message.count > bytes.count - 103 {
            throw BrokenProperty("a message is longer than its body")
        }
        try checkRecords(bytes.split(separator: 0x1e, omittingEmptySubsequences: false).map(Array.init))
        let sender = try? VAPID(
            verifying: String(decoding: bytes, as: UTF8.self),
            for: Origin(isSecure: true, host: "push.example", port: nil),
            now: 0,
            with: signatures
        )
        if let sender, !OpenSSLSecrecy().isPoint(sender.publicKey) {
            throw BrokenProperty("a sender is taken whose key is no point")
        }
    }

    private static let signatures = OpenSSLSignatures()

    /// The keys of RFC 8291, appendix A, so that its message can be a seed.
    private static let exampleKeys = WebPushKeys(
        privateKey: Secret(Base64URL.bytes(of: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94") ?? []),
        publicKey: Base64URL.bytes(
            of: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        ) ?? [],
        auth: Secret(Base64URL.bytes(of: "BTBZMqHH6r4Tts7J_aSIgg") ?? [])
    )

    /// Records are decrypted exactly if each has its delimiter, and all but the last one size.
    private static func checkRecords(_ texts: [[UInt8]]) throws(BrokenProperty) {
        guard let cipher = try? RecordCipher(Secret([1]), salt: [2]), let first = texts.first,
            let records = try? texts.enumerated().flatMap({ try cipher.seal($0.element, number: UInt64($0.offset)) })
        else { throw BrokenProperty("records cannot be encrypted") }
        var message: [UInt8]? = []
        for (index, text) in texts.enumerated() {
            let isLast = index == texts.count - 1
            var rest = text[...]
            while rest.last == 0 { rest.removeLast() }
            let isWhole = isLast ? text.count <= first.count : text.count == first.count
            guard rest.popLast() == (isLast ? 2 : 1), isWhole else {
                message = nil
                break
            }
            message? += rest
        }
        guard (try? cipher.open(records[...], of: first.count + 16)) == message else {
            throw BrokenProperty("records are decrypted to another message, or should be refused")
        }
    }
}
