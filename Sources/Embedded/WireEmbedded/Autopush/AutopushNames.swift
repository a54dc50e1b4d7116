import WireBase
import WireSecrets

/// A receiver of an autopush server, by the digest of its uaid: senders must not learn the uaid.
struct AutopushUserID: Sendable, Hashable {
    /// The 16 bytes.
    let bytes: [UInt8]

    /// The name of its records.
    var text: String { Hexadecimal.text(of: bytes) }

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(uaid: String, _ secrecy: any CryptoProvider) throws(Fault) {
        bytes = Array(try secrecy.digest(Array(uaid.utf8)).bytes.prefix(16))
    }

    /// Whether a text has the form of a uaid: 32 hexadecimal digits in lower case.
    static func isUAID(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }
}

/// The endpoint of a channel, to which senders post.
struct AutopushEndpoint: Sendable, Equatable {
    let user: AutopushUserID
    let channel: ChannelID
    /// The digest of the only key whose owner may send, 16 bytes; nil where every sender may.
    var keyDigest: [UInt8]?

    /// The version of the endpoint in its path.
    var version: String { keyDigest == nil ? "v1" : "v2" }
}

/// The name of a message, which sorts by its place in the queue of its user.
struct AutopushMessageID: Sendable, Hashable {
    let user: AutopushUserID
    /// Messages with a topic come before others.
    let hasTopic: Bool
    let number: Int
    /// Makes the name unique, since numbers are used again.
    let nonce: [UInt8]

    static let nonceSize = 8

    /// The key of its record.
    var key: String { "\(user.text)/\(hasTopic ? 0 : 1)\(NumberedKey.text(of: number))-\(Hexadecimal.text(of: nonce))" }

    init(user: AutopushUserID, hasTopic: Bool, number: Int, nonce: [UInt8]) {
        (self.user, self.hasTopic, self.number, self.nonce) = (user, hasTopic, number, nonce)
    }

    /// Reads the key of a record of a user.
    init?(key: String, of user: AutopushUserID) {
        let parts = key.dropFirst(user.text.count + 1).split(separator: "-")
        guard parts.count == 2, let number = Int(parts[0].dropFirst()),
            let nonce = Hexadecimal.bytes(of: String(parts[1]))
        else { return nil }
        self.init(user: user, hasTopic: parts[0].hasPrefix("0"), number: number, nonce: nonce)
    }
}

/// Makes and reads the tokens of endpoints and the ids of messages, which senders see.
///
/// Both contain what they name, with an authentication code: unknown ones are recognized without a record of each.
struct AutopushNames: Sendable {
    private let key: Secret<[UInt8]>
    private let secrecy: any CryptoProvider

    static let keySize = 32
    private static let codeSize = 16

    private enum Kind: UInt8 {
        case endpoint = 1
        case message = 2
    }

    init(key: Secret<[UInt8]>, _ secrecy: any CryptoProvider) { (self.key, self.secrecy) = (key, secrecy) }

    // MARK: Endpoints

    func token(of endpoint: AutopushEndpoint) throws(Fault) -> String {
        try text(endpoint.user.bytes + endpoint.channel.bytes + (endpoint.keyDigest ?? []), .endpoint)
    }

    /// The endpoint of a token; nil for a token that the server has not given.
    func endpoint(of token: String, version: String) throws(Fault) -> AutopushEndpoint? {
        guard let bytes = try content(of: token, .endpoint), bytes.count == 32 || bytes.count == 48,
            let channel = ChannelID(bytes: Array(bytes[16..<32]))
        else { return nil }
        var endpoint = AutopushEndpoint(user: AutopushUserID(bytes: Array(bytes[..<16])), channel: channel)
        if bytes.count == 48 { endpoint.keyDigest = Array(bytes[32...]) }
        return endpoint.version == version ? endpoint : nil
    }

    func digest(ofKey key: [UInt8]) throws(Fault) -> [UInt8] {
        Array(try secrecy.digest(key).bytes.prefix(16))
    }

    // MARK: Messages

    func version(of message: AutopushMessageID) throws(Fault) -> String {
        let number = (0..<8).map { UInt8(truncatingIfNeeded: message.number >> (56 - 8 * $0)) }
        return try text(message.user.bytes + [message.hasTopic ? 0 : 1] + number + message.nonce, .message)
    }

    /// The message of a version; nil for one that the server has not given.
    func message(of version: String) throws(Fault) -> AutopushMessageID? {
        guard let bytes = try content(of: version, .message), bytes.count == 25 + AutopushMessageID.nonceSize else {
            return nil
        }
        return AutopushMessageID(
            user: AutopushUserID(bytes: Array(bytes[..<16])),
            hasTopic: bytes[16] == 0,
            number: Int(truncatingIfNeeded: bytes[17..<25].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }),
            nonce: Array(bytes[25...])
        )
    }

    // MARK: Codes

    private func text(_ content: [UInt8], _ kind: Kind) throws(Fault) -> String {
        Base64URL.text(of: content + (try code(content, kind)))
    }

    private func content(of text: String, _ kind: Kind) throws(Fault) -> [UInt8]? {
        guard text.utf8.count <= 128, let bytes = Base64URL.bytes(of: text), bytes.count > Self.codeSize else {
            return nil
        }
        let content = Array(bytes.dropLast(Self.codeSize))
        return isEqual(Array(bytes.suffix(Self.codeSize)), try code(content, kind)) ? content : nil
    }

    private func code(_ content: [UInt8], _ kind: Kind) throws(Fault) -> [UInt8] {
        Array(try secrecy.code(of: [kind.rawValue] + content, key: key.reveal()).prefix(Self.codeSize))
    }
}
