import WireBase
import WireHTTP

extension AutopushMessage {
    /// The largest body: what every push service accepts (RFC 8030, section 7.2).
    ///
    /// Mozilla's accepts 5630 bytes.
    static let largestBody = 4_096
    /// 30 days; a longer time to live is shortened.
    static let longestLifetime = 30 * 86_400

    /// Reads a message that a sender posts to a channel.
    init(_ request: Request, to channel: ChannelID) throws(EmbeddedError) {
        self.channel = channel.text
        lifetime = try Self.lifetime(request.fields["TTL"])
        topic = try request.fields["Topic"].map { topic throws(EmbeddedError) in try Self.checked(topic) }
        guard request.body.count <= Self.largestBody else {
            throw .autopush(.contentTooLarge, 104, "the body has more than \(Self.largestBody) bytes")
        }
        guard !request.body.isEmpty else { return }
        data = Base64URL.text(of: request.body)
        encoding = request.fields["Content-Encoding"]
        switch encoding {
        case "aes128gcm": break
        case "aesgcm":
            encryption = try Self.field("Encryption", containing: "salt=", of: request)
            cryptoKey = try Self.field("Crypto-Key", containing: "dh=", of: request)
        default: throw .autopush(.badRequest, 110, "unknown Content-Encoding, expected aes128gcm")
        }
    }

    /// Makes a message from an encrypted body.
    init(_ body: [UInt8], to channel: ChannelID, lifetime: Int) {
        self.channel = channel.text
        self.lifetime = min(max(0, lifetime), Self.longestLifetime)
        (data, encoding) = (Base64URL.text(of: body), "aes128gcm")
    }

    private static func lifetime(_ field: String?) throws(EmbeddedError) -> Int {
        guard let field, !field.isEmpty else { throw .autopush(.badRequest, 111, "missing TTL") }
        guard field.utf8.allSatisfy(\.isDigit) else {
            throw .autopush(.badRequest, 112, "invalid TTL, expected seconds")
        }
        // A number that does not fit is a long time as well.
        return min(Int(field) ?? longestLifetime, longestLifetime)
    }

    private static func checked(_ topic: String) throws(EmbeddedError) -> String {
        let isTopic = topic.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_".utf8.contains($0) }
        guard isTopic, (1...32).contains(topic.utf8.count) else {
            throw .autopush(.badRequest, 113, "invalid Topic, expected up to 32 characters of base64url")
        }
        return topic
    }

    private static func field(_ name: String, containing part: String, of request: Request) throws(EmbeddedError)
        -> String
    {
        guard let value = request.fields[name], value.utf8.count <= 1_024, value.hasBytes(of: part) else {
            throw .autopush(.badRequest, 110, "invalid \(name)")
        }
        return value
    }
}
