import WireBase
import WireConfig
import WireHTTP
import WireMQTT

/// The session of a client: its subscriptions and its messages; changed by the broker only.
final class ClientSession {
    let clientID: String
    /// The key of its records.
    let key: String
    var subscriptions: [BrokerSubscription] = []
    var queue: SessionQueue
    /// In seconds; with 0 the session ends with its connection and is not stored.
    var expiry: UInt32
    /// When the connection has ended, in milliseconds since 1970; nil while there is one.
    var left: Int64?
    var connection: BrokerConnection?
    /// Whether it has a record on the store.
    var hasRecord = false
    /// Whether the log tells that the queue is full.
    var isFullTold = false
    /// When it last got a message of a shared subscription, in messages.
    var lastTurn = 0

    init(_ clientID: String, key: String, expiry: UInt32, _ queue: SessionQueue) {
        (self.clientID, self.key, self.expiry, self.queue) = (clientID, key, expiry, queue)
    }

    var isStored: Bool { expiry > 0 }

    func isOver(at now: Int64) -> Bool { end.map { $0 <= now } ?? false }

    /// When it ends without another connection, in milliseconds since 1970; nil while there is one.
    var end: Int64? { left.map { $0 + Int64(expiry) * 1_000 } }

    func hasSubscription(for topic: TopicName.Levels) -> Bool { subscriptions.contains { $0.filter.matches(topic) } }

    /// The key of a message on the store.
    func key(of number: Int) -> String { "\(key)/\(NumberedKey.text(of: number))" }

    var stored: StoredSession {
        StoredSession(
            clientID: clientID,
            expiry: Int(expiry),
            left: left,
            subscriptions: subscriptions.map(\.stored),
            will: (connection?.will?.message).map { StoredPacket.text(of: .publish($0)) }
        )
    }
}

/// A subscription with its options.
struct BrokerSubscription: Sendable {
    let options: Subscribe.Subscription
    /// The number that a client of MQTT 5 has given it.
    let id: UInt32?

    var filter: TopicFilter { options.filter }

    init(_ options: Subscribe.Subscription, id: UInt32?) { (self.options, self.id) = (options, id) }

    init?(stored text: String) {
        guard let packet = StoredPacket.subscription(text), let options = packet.subscriptions.first else { return nil }
        self.init(options, id: packet.properties.numbers(of: .subscriptionID).first)
    }

    var stored: String {
        var packet = Subscribe(1, [options])
        if let id { packet.properties.add(id, as: .subscriptionID) }
        return StoredPacket.text(of: .subscribe(packet))
    }
}

/// A session as stored.
struct StoredSession: Sendable {
    let clientID: String
    let expiry: Int
    let left: Int64?
    let subscriptions: [String]
    /// The will of its connection, to publish after a crash.
    let will: String?
}

extension StoredSession: JSONRecord {
    static let form = JSONForm<Self>("BrokerSession", "A session of MQTT.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        clientID = try members.required("clientId", \.clientID, "The id of the client.")
        expiry = try members.required("expiry", \.expiry, "How long it is kept without a connection, in seconds.")
        left = try members.optional("left", \.left, "When its last connection ended, in milliseconds since 1970.")
        subscriptions = try members.required("subscriptions", \.subscriptions, "SUBSCRIBE packets, in Base64.")
        will = try members.optional("will", \.will, "The will of its connection, as a PUBLISH in Base64.")
    }
}
