import WireBase
import WireConfig
import WireHTTP
import WireMQTT

/// A message in the broker: what is passed on, and when it expires.
struct BrokerMessage: Sendable {
    /// The message; its expiry is ``expires``.
    var content: Publish
    /// In milliseconds since 1970; nil for a message that does not expire.
    var expires: Int64?

    /// Takes what a publisher has sent.
    init(_ packet: Publish, now: Int64) {
        content = Publish(packet.topic, packet.payload, packet.qos, isRetained: packet.isRetained)
        content.properties = packet.properties.ofMessage
        expires = packet.properties[number: .messageExpiry].map { now + Int64($0) * 1_000 }
    }

    /// Makes the message of a will.
    init(_ will: Connect.Will, now: Int64) {
        self.init(will.message, now: now)
    }

    var topic: TopicName? { content.topic }
    /// The bytes it takes in a packet, apart from the id, which it has in a queue only.
    var size: Int {
        var packet = content
        (packet.qos, packet.id) = (.atMostOnce, 0)
        return (try? Packet.publish(packet).encoded(in: .v5))?.count ?? 0
    }

    func isExpired(at now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

    /// The time for which it is stored.
    func lifetime(at now: Int64) -> Duration? { expires.map { .milliseconds(max(0, $0 - now)) } }

    /// The message for a subscriber.
    func delivered(_ qos: QualityOfService, id: UInt16, isRetained: Bool, _ subscriptions: [UInt32]) -> Self {
        var copy = self
        (copy.content.qos, copy.content.id) = (qos, qos == .atMostOnce ? 0 : id)
        copy.content.isRetained = isRetained
        for subscription in subscriptions { copy.content.properties.add(subscription, as: .subscriptionID) }
        return copy
    }

    /// The packet that is sent, with what is left of the expiry.
    func packet(isDuplicate: Bool, at now: Int64) -> Packet {
        var packet = content
        packet.isDuplicate = isDuplicate
        if let expires {
            packet.properties[number: .messageExpiry] = UInt32(clamping: (max(0, expires - now) + 999) / 1_000)
        }
        return .publish(packet)
    }
}

extension Connect.Will {
    /// The will as the message that is published.
    var message: Publish {
        var packet = Publish(topic, payload, qos, id: qos == .atMostOnce ? 0 : 1, isRetained: isRetained)
        packet.properties = properties.ofMessage
        packet.properties[number: .messageExpiry] = properties[number: .messageExpiry]
        return packet
    }
}

extension BrokerMessage: JSONRecord {
    static let form = JSONForm<Self>("BrokerMessage", "A message of MQTT.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let encoded = try members.required("packet", \.encoded, "The PUBLISH of MQTT 5, in Base64.")
        expires = try members.optional("expires", \.expires, "When it expires, in milliseconds since 1970.")
        // Another text than the program writes has no topic, and is skipped.
        content = StoredPacket.publish(encoded) ?? Publish(nil, [])
    }

    private var encoded: String { StoredPacket.text(of: .publish(content)) }
}

/// Packets of MQTT 5 as they are stored.
enum StoredPacket {
    static func text(of packet: Packet) -> String {
        let bytes = try? packet.encoded(in: .v5)
        return Base64.text(of: bytes ?? [])
    }

    static func publish(_ text: String) -> Publish? {
        if case .publish(let packet)? = packet(text) { packet } else { nil }
    }

    static func subscription(_ text: String) -> Subscribe? {
        if case .subscribe(let packet)? = packet(text) { packet } else { nil }
    }

    private static func packet(_ text: String) -> Packet? {
        // Subscription ids and the like add a little to what was received.
        var reader = PacketReader(.v5, limit: .bytes(BrokerLimits.packet.bytes * 2))
        reader.add(Base64.bytes(of: text) ?? [])
        return try? reader.next()
    }
}
