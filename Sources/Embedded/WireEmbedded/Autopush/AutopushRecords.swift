import WireConfig
import WireHTTP

/// The records of an autopush server.
enum AutopushTables: String, RecordTable {
    /// The key of tokens and message ids.
    case account
    /// The receivers, by the digest of their uaid.
    case users
    /// The messages that are not acknowledged, by user and place in the queue.
    case messages

    var path: String { "autopush/\(rawValue)" }

    var limit: Int {
        switch self {
        case .account: 1
        case .users, .messages: 10_000
        }
    }

    /// Senders are asked to wait rather than that messages of others are lost.
    var forgets: Bool { self == .users }
}

/// A receiver with at least one channel, as stored.
struct AutopushUser: Sendable {
    var channels: [String] = []

    /// The largest number of channels.
    static let limit = 100
    /// How long a receiver that does not connect is known.
    static let lifetime = Duration.seconds(60 * 86_400)
}

extension AutopushUser: JSONRecord {
    static let form = JSONForm<Self>("AutopushUser", "A receiver of Web Push.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        channels = try members.required("channels", \.channels, "The ids of its channels.")
    }
}

/// A push message, as sent to the receiver and stored.
struct AutopushMessage: Sendable {
    let channel: String
    /// The time to live in seconds.
    var lifetime: Int
    /// Replaces an earlier message of the channel with the same topic.
    var topic: String?
    /// The encrypted content, base64url; nil for a message without a body.
    var data: String?
    /// The content encoding: `aes128gcm`, or the obsolete `aesgcm`.
    var encoding: String?
    /// The fields of `aesgcm`.
    var encryption, cryptoKey: String?

    /// The message as a receiver gets it.
    func notification(version: String) -> JSONValue {
        let headers = JSONValue.members([
            "encoding": encoding.map(JSONValue.string), "encryption": encryption.map(JSONValue.string),
            "crypto_key": cryptoKey.map(JSONValue.string),
        ])
        return .members([
            "messageType": .string("notification"), "channelID": .string(channel), "version": .string(version),
            "data": data.map(JSONValue.string), "headers": data == nil ? nil : headers,
        ])
    }
}

extension AutopushMessage: JSONRecord {
    static let form = JSONForm<Self>("AutopushMessage", "A message of Web Push that is not acknowledged.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        channel = try members.required("channel", \.channel, "The id of the channel.")
        lifetime = try members.required("lifetime", \.lifetime, "The time to live in seconds.")
        topic = try members.optional("topic", \.topic, "The topic.")
        data = try members.optional("data", \.data, "The encrypted content, base64url.")
        encoding = try members.optional("encoding", \.encoding, "The content encoding.")
        encryption = try members.optional("encryption", \.encryption, "The field 'Encryption' of 'aesgcm'.")
        cryptoKey = try members.optional("cryptoKey", \.cryptoKey, "The field 'Crypto-Key' of 'aesgcm'.")
    }
}
