import WireBase
import WireConfig
import WireMQTT

/// The client's side of a conversation with an MQTT broker: what to send, and what received packets mean.
struct BrokerSession: Sendable {
    /// A consequence of a packet.
    enum Step: Sendable, Equatable {
        case send(Packet)
        /// The broker has accepted the client, and wants to hear from it this often.
        case accepted(keepAlive: Duration?)
        /// A message, to be acknowledged when it is stored.
        case message(Publish)
        /// Messages of some topics come with a lower quality of service.
        case lowered
        /// Remember the subscriptions for the next connection, before what follows is sent.
        case remember(String)
        /// All topics are subscribed.
        case ready
        case end(StreamEnd)
    }

    struct Settings: Sendable {
        let version: ProtocolVersion
        let identity: MQTTIdentity
        var username: String?
        var password: Secret<String>?
        var qos: QualityOfService
        /// In seconds.
        var expiry: UInt32
        var keepAlive: Duration
        var largestPacket: ByteCount
        var retained: RetainedRule
        var online: String
        var offline: String
    }

    private enum Phase {
        case connecting
        /// Waits for the responses to packets with these ids.
        case subscribing(Set<UInt16>)
        case ready
    }

    /// The ids of the packets that are sent once for each connection.
    private enum ID {
        static let online: UInt16 = 1
        static let offline: UInt16 = 2
        static let unsubscribe: UInt16 = 3
        /// That of the first SUBSCRIBE; the next ones follow.
        static let subscribe: UInt16 = 4
    }

    private let settings: Settings
    /// The subscriptions of the last connection, which a kept session still has.
    private let remembered: [String]
    private var phase = Phase.connecting
    /// The limits of the broker.
    private var limits = Properties()

    init(_ settings: Settings, remembering subscriptions: String?) {
        self.settings = settings
        remembered = subscriptions.map { $0.split(separator: "\n").map(String.init) } ?? []
    }

    /// The maximum number of messages that the broker sends before the first is acknowledged.
    private static let receiveMaximum: UInt32 = 32

    // MARK: Beginning and end

    /// The first packet; a clean one drops the session of the client.
    func connect(isClean: Bool = false) -> Packet {
        let seconds = UInt16(clamping: settings.keepAlive.inMicroseconds.dividedUp(by: 1_000_000))
        var connect = Connect(
            settings.version,
            clientID: settings.identity.clientID,
            isClean: isClean,
            keepAlive: seconds
        )
        connect.username = settings.username
        connect.password = settings.password.map { Array($0.reveal().utf8) }
        if settings.version == .v5 {
            connect.properties[number: .sessionExpiry] = isClean ? 0 : settings.expiry
            connect.properties[number: .receiveMaximum] = Self.receiveMaximum
            connect.properties[number: .maximumPacketSize] = UInt32(clamping: settings.largestPacket.bytes)
        }
        if !isClean, let topic = settings.identity.statusTopic {
            connect.will = Connect.Will(topic, Array(settings.offline.utf8), .atLeastOnce, isRetained: true)
        }
        return .connect(connect)
    }

    /// The last packets; the broker drops the session at once where the client does not come back.
    func farewell(isFinal: Bool) -> [Packet] {
        var disconnect = Disconnect()
        if isFinal, settings.version == .v5 { disconnect.properties[number: .sessionExpiry] = 0 }
        guard case .ready = phase, let offline = status(settings.offline, ID.offline) else {
            return [.disconnect(disconnect)]
        }
        return [offline, .disconnect(disconnect)]
    }

    private func status(_ text: String, _ id: UInt16) -> Packet? {
        guard let topic = settings.identity.statusTopic else { return nil }
        let qos: QualityOfService = limits[number: .maximumQoS] == 0 ? .atMostOnce : .atLeastOnce
        return .publish(
            Publish(
                topic,
                Array(text.utf8),
                qos,
                id: qos == .atMostOnce ? 0 : id,
                isRetained: limits[number: .retainAvailable] != 0
            )
        )
    }

    // MARK: Packets

    mutating func receive(_ packet: Packet) -> [Step] {
        switch (phase, packet) {
        case (.connecting, .connectAck(let ack)): accept(ack)
        case (.subscribing, .subscribeAck(let ack)): subscribed(ack)
        case (.subscribing, .unsubscribeAck(let ack)) where ack.id == ID.unsubscribe: answered(ack.id)
        case (.subscribing, .publish(let message)), (.ready, .publish(let message)): take(message)
        case (.ready, .acknowledge(let ack)) where ack.kind == .publishAck: []
        case (.subscribing, .pong), (.ready, .pong): []
        case (_, .disconnect(let disconnect)) where settings.version == .v5: [.end(StreamEnd(disconnect))]
        default: refuse(PacketError(.protocolError, "\(packet.kind.name) was not expected"))
        }
    }

    /// The steps for data that is refused.
    func refuse(_ error: PacketError) -> [Step] {
        let end = Step.end(StreamEnd(.refused, "the broker's data was rejected: \(error.reason)"))
        return settings.version == .v5 ? [.send(.disconnect(Disconnect(error.code))), end] : [end]
    }

    /// The packets that end a connection whose message cannot be stored now; with 3.1.1 the broker sends no will then.
    var busy: [Packet] {
        settings.version == .v5 ? [.disconnect(Disconnect(.implementationSpecific))] : farewell(isFinal: false)
    }

    private mutating func accept(_ ack: ConnectAck) -> [Step] {
        guard !ack.code.isFailure else { return [.end(StreamEnd(ack))] }
        limits = ack.properties
        // Even a broker with the session may have lost subscriptions.
        let wanted = subscriptions
        let known = ack.isSessionPresent ? remembered : []
        let stale = known.compactMap(Self.filter).filter { !settings.identity.filters.contains($0) }
        let unknown = wanted.filter { !known.contains(Self.record(of: $0)) }
        var steps: [Step] = [
            .accepted(keepAlive: ack.properties[number: .serverKeepAlive].map { .seconds(Int64($0)) })
        ]
        // The broker may get the packet and the connection end before its response.
        let perhaps = known + unknown.map { Self.unconfirmed + Self.record(of: $0) }
        if !unknown.isEmpty { steps.append(.remember(perhaps.joined(separator: "\n"))) }
        var awaited: Set<UInt16> = []
        if !stale.isEmpty {
            steps.append(.send(.unsubscribe(Unsubscribe(ID.unsubscribe, stale))))
            awaited.insert(ID.unsubscribe)
        }
        requested = [:]
        for (number, start) in stride(from: 0, to: wanted.count, by: Self.mostInPacket).enumerated() {
            let part = Array(wanted[start..<min(start + Self.mostInPacket, wanted.count)])
            let id = ID.subscribe + UInt16(clamping: number)
            steps.append(.send(.subscribe(Subscribe(id, part))))
            awaited.insert(id)
            requested[id] = part.map(\.qos)
        }
        phase = .subscribing(awaited)
        return steps + (awaited.isEmpty ? ready() : [])
    }

    /// The number of filters in one SUBSCRIBE, which all brokers accept.
    private static let mostInPacket = 8
    /// The requested qualities of service, by SUBSCRIBE and in its order.
    private var requested: [UInt16: [QualityOfService]] = [:]

    private mutating func subscribed(_ ack: SubscribeAck) -> [Step] {
        guard let requested = requested[ack.id], ack.codes.count == requested.count else {
            return refuse(PacketError(.protocolError, "SUBACK has another number of codes"))
        }
        let refused = ack.codes.filter(\.isFailure)
        if let code = refused.first {
            let count = refused.count == ack.codes.count ? "the topics" : "\(refused.count) of the topics"
            return [
                .send(.disconnect(Disconnect())), .end(StreamEnd(.refused, "the broker rejected \(count): \(code)")),
            ]
        }
        let isLowered = zip(ack.codes, requested).contains { $0.rawValue < $1.rawValue }
        return (isLowered ? [.lowered] : []) + answered(ack.id)
    }

    private mutating func answered(_ id: UInt16) -> [Step] {
        guard case .subscribing(var awaited) = phase, awaited.remove(id) != nil else {
            return refuse(PacketError(.protocolError, "a response was repeated"))
        }
        phase = .subscribing(awaited)
        return awaited.isEmpty ? ready() : []
    }

    private mutating func ready() -> [Step] {
        phase = .ready
        return [.remember(subscriptions.map(Self.record).joined(separator: "\n"))]
            + (status(settings.online, ID.online).map { [.send($0)] } ?? []) + [.ready]
    }

    private func take(_ message: Publish) -> [Step] {
        // No aliases were offered, and the client has subscribed with a lower quality of service.
        guard message.properties[number: .topicAlias] == nil else {
            return refuse(PacketError(.invalidTopicAlias, "PUBLISH has an alias of a topic"))
        }
        guard message.qos <= .atLeastOnce else { return refuse(PacketError(.qualityNotSupported, "PUBLISH has QoS 2")) }
        // A filter may cover the topic to which the client itself writes.
        if let topic = message.topic, topic == settings.identity.statusTopic {
            return message.qos == .atLeastOnce ? [.send(Acknowledgement.message(message.id))] : []
        }
        return [.message(message)]
    }

    // MARK: Subscriptions

    private var subscriptions: [Subscribe.Subscription] {
        settings.identity.filters.map { filter in
            var subscription = Subscribe.Subscription(filter, settings.qos)
            // A repeated subscription does not bring retained messages again.
            subscription.retainHandling = settings.retained == .ignore ? .never : .ifNew
            return subscription
        }
    }

    /// A subscription as it is remembered.
    private static func record(of subscription: Subscribe.Subscription) -> String {
        "\(subscription.qos.rawValue)\(subscription.retainHandling.rawValue) \(subscription.filter.text)"
    }

    /// Stands before a subscription that the broker may not have.
    private static let unconfirmed = "?"

    private static func filter(of record: String) -> TopicFilter? {
        TopicFilter(String(record.dropFirst(record.hasPrefix(unconfirmed) ? 4 : 3)))
    }
}

extension Int64 {
    fileprivate func dividedUp(by divisor: Int64) -> Int64 { (self + divisor - 1) / divisor }
}
