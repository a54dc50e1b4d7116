import WireConfig
import WireHTTP

/// A message from a receiver.
package enum AutopushClientMessage: Sendable {
    case hello(uaid: String?)
    case register(ChannelID, key: String?)
    case unregister(ChannelID)
    case ack([(channel: ChannelID, version: String)])
    /// Counted by the real server only.
    case nack
    /// Answered only where a broadcast has news; there are none.
    case broadcastSubscribe
    case ping

    /// Reads a message; an invalid one ends the connection.
    package init(parsing text: String) throws(AutopushStop) {
        guard let json = try? JSONValue(parsing: Array(text.utf8), named: "message"), let members = json.members else {
            throw .json
        }
        guard !members.isEmpty else {
            self = .ping
            return
        }
        switch json["messageType"]?.string {
        case "hello":
            guard json["use_webpush"]?.boolean == true else { throw .state }
            self = .hello(uaid: try Self.text("uaid", of: json))
        case "register": self = .register(try Self.channel(of: json), key: try Self.text("key", of: json))
        case "unregister":
            try Self.checkCode(of: json)
            self = .unregister(try Self.channel(of: json))
        case "ack":
            guard let updates = json["updates"]?.array else { throw .json }
            var acknowledged: [(channel: ChannelID, version: String)] = []
            for update in updates {
                try Self.checkCode(of: update)
                guard let version = update["version"]?.string else { throw .json }
                acknowledged.append((try Self.channel(of: update), version))
            }
            self = .ack(acknowledged)
        case "nack":
            try Self.checkCode(of: json)
            self = .nack
        case "broadcast_subscribe":
            guard json["broadcasts"]?.members != nil else { throw .json }
            self = .broadcastSubscribe
        default: throw .json
        }
    }

    private static func text(_ name: String, of json: JSONValue) throws(AutopushStop) -> String? {
        switch json[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .json
        }
    }

    private static func channel(of json: JSONValue) throws(AutopushStop) -> ChannelID {
        guard let text = json["channelID"]?.string else { throw .json }
        guard let channel = ChannelID(text) else { throw .state }
        return channel
    }

    private static func checkCode(of json: JSONValue) throws(AutopushStop) {
        switch json["code"] {
        case nil, .null?, .integer?: return
        default: throw .json
        }
    }
}

/// Why the server ends a connection, by a close code with a word of the real server.
package struct AutopushStop: Error, Sendable {
    let close: WebSocketClose

    init(_ code: Int, _ reason: String) { close = WebSocketClose(code, reason) }

    /// The text is not a known message.
    static let json = Self(1_011, "Json")
    /// A message that is not allowed now, or a value that is not allowed at all.
    static let state = Self(1_011, "SM")
    static let helloTimeout = Self(1_011, "HelloTimeout")
    static let pongTimeout = Self(1_011, "PongTimeout")
    static let excessivePing = Self(1_011, "ExcessivePing")
    /// The same receiver has connected again.
    static let ghost = Self(1_011, "GHOST")
    /// Too many messages were waiting.
    static let dropped = Self(1_000, "UAID dropped")
    static let failed = Self(1_011, "Internal")
}
