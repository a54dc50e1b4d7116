package import WireBase
import WireConfig
import WireHTTP

/// A message to a service with Mozilla's protocol.
package enum AutopushMessage: Sendable {
    /// What became of a received message.
    package enum Result: Sendable, Equatable {
        case stored, unreadable, dropped, unknownChannel

        fileprivate var code: Int {
            switch self {
            case .stored: 100
            case .unreadable: 101
            case .dropped, .unknownChannel: 102
            }
        }
    }

    case hello(_ name: String?)
    case register(_ channel: String, sender: String?)
    case unregister(_ channel: String)
    case acknowledge(AutopushAnswer.Message, Result)

    package var text: String { String(decoding: json.bytes(), as: UTF8.self) }

    private var json: JSONValue {
        switch self {
        case .hello(let name):
            .members([
                "messageType": .string("hello"), "use_webpush": .boolean(true), "uaid": name.map(JSONValue.string),
            ])
        case .register(let channel, let sender):
            .members([
                "messageType": .string("register"), "channelID": .string(channel),
                "key": sender.map(JSONValue.string),
            ])
        case .unregister(let channel):
            .members([
                "messageType": .string("unregister"), "channelID": .string(channel), "code": .integer(200),
            ])
        case .acknowledge(let message, let result):
            .members([
                "messageType": .string("ack"),
                "updates": .array([
                    .members([
                        "channelID": .string(message.channel), "version": .string(message.version),
                        "code": .integer(result.code),
                    ])
                ]),
            ])
        }
    }
}

/// A message of a service with Mozilla's protocol.
package enum AutopushAnswer: Sendable {
    package struct Message: Sendable {
        package let channel: String
        /// The id of the message, the same in a repetition.
        package let version: String
        /// The encrypted body; nil for a message without one.
        let data: [UInt8]?
        let encoding: String?
    }

    case hello(_ name: String)
    case registered(_ channel: String, endpoint: String)
    case rejected(_ channel: String, status: Int)
    case unregistered(_ channel: String)
    case notification(Message)
    /// A message that needs no reaction.
    case other

    private static let longestName = 128
    private static let longestVersion = 1_024

    /// Reads a message; throws what is wrong with it.
    ///
    /// Endpoints are given to other servers, so only a service on this machine may have one without TLS.
    package init(_ bytes: [UInt8], isLocal: Bool) throws(Fault) {
        guard let json = try? JSONValue(parsing: bytes, named: "message", limits: .notification), json.members != nil
        else { throw Fault("the service sent something else than JSON objects") }
        let channel = json["channelID"]?.string ?? ""
        let status = json["status"]?.integer ?? 0
        switch json["messageType"]?.string {
        case "hello":
            guard status == 200, let name = json["uaid"]?.string, Self.isVisible(name, upTo: Self.longestName) else {
                throw Fault("the service rejected the greeting with status \(status)")
            }
            self = .hello(name)
        case "register":
            guard status == 200 else {
                self = .rejected(channel, status: status)
                return
            }
            guard let endpoint = json["pushEndpoint"]?.string, PushEndpoint.isValid(endpoint, fromHere: isLocal) else {
                throw Fault("the service sent an invalid endpoint: expected an https URL")
            }
            self = .registered(channel, endpoint: endpoint)
        case "unregister": self = status == 200 ? .unregistered(channel) : .other
        case "notification":
            guard let version = json["version"]?.string, Self.isVisible(version, upTo: Self.longestVersion) else {
                throw Fault("the service sent a message without a version")
            }
            // Data that is not Base64URL cannot be decrypted either.
            let data = json["data"]?.string.map { Base64URL.bytes(of: $0.withoutPadding) ?? [0] }
            self = .notification(
                Message(
                    channel: channel,
                    version: version,
                    data: data,
                    encoding: json["headers"]?["encoding"]?.string
                )
            )
        default: self = .other
        }
    }

    private static func isVisible(_ text: String, upTo limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}

extension String {
    fileprivate var withoutPadding: String { String(reversed().drop { $0 == "=" }.reversed()) }
}
