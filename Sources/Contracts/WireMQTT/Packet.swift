/// A packet of MQTT.
package enum Packet: Sendable, Equatable {
    case connect(Connect)
    case connectAck(ConnectAck)
    case publish(Publish)
    /// PUBACK, PUBREC, PUBREL or PUBCOMP.
    case acknowledge(Acknowledgement)
    case subscribe(Subscribe)
    case subscribeAck(SubscribeAck)
    case unsubscribe(Unsubscribe)
    case unsubscribeAck(SubscribeAck)
    case ping
    case pong
    case disconnect(Disconnect)
    /// AUTH of MQTT 5.
    case authenticate(Disconnect)
}

/// The kind of a packet, by its number (section 2.1.2).
package enum PacketKind: UInt8, Sendable, CaseIterable {
    case connect = 1
    case connectAck, publish, publishAck, publishReceived, publishRelease, publishComplete
    case subscribe, subscribeAck, unsubscribe, unsubscribeAck, ping, pong, disconnect, authenticate

    /// The flags that every packet of the kind has; nil where they have a meaning.
    var flags: UInt8? {
        switch self {
        case .publish: nil
        case .publishRelease, .subscribe, .unsubscribe: 0x2
        default: 0
        }
    }

    /// The name in the specification.
    package var name: String {
        switch self {
        case .connect: "CONNECT"
        case .connectAck: "CONNACK"
        case .publish: "PUBLISH"
        case .publishAck: "PUBACK"
        case .publishReceived: "PUBREC"
        case .publishRelease: "PUBREL"
        case .publishComplete: "PUBCOMP"
        case .subscribe: "SUBSCRIBE"
        case .subscribeAck: "SUBACK"
        case .unsubscribe: "UNSUBSCRIBE"
        case .unsubscribeAck: "UNSUBACK"
        case .ping: "PINGREQ"
        case .pong: "PINGRESP"
        case .disconnect: "DISCONNECT"
        case .authenticate: "AUTH"
        }
    }
}

extension Packet {
    package var kind: PacketKind {
        switch self {
        case .connect: .connect
        case .connectAck: .connectAck
        case .publish: .publish
        case .acknowledge(let packet): packet.kind
        case .subscribe: .subscribe
        case .subscribeAck: .subscribeAck
        case .unsubscribe: .unsubscribe
        case .unsubscribeAck: .unsubscribeAck
        case .ping: .ping
        case .pong: .pong
        case .disconnect: .disconnect
        case .authenticate: .authenticate
        }
    }
}

// MARK: Decoding

extension Packet {
    /// Decodes the fields behind the fixed header.
    init(_ kind: PacketKind, flags: UInt8, _ bytes: ArraySlice<UInt8>, in version: ProtocolVersion) throws(PacketError)
    {
        var fields = FieldReader(bytes)
        switch kind {
        case .connect: self = .connect(try Connect(&fields))
        case .connectAck: self = .connectAck(try ConnectAck(&fields, in: version))
        case .publish: self = .publish(try Publish(&fields, flags: flags, in: version))
        case .publishAck, .publishReceived, .publishRelease, .publishComplete:
            self = .acknowledge(try Acknowledgement(&fields, kind, in: version))
        case .subscribe: self = .subscribe(try Subscribe(&fields, in: version))
        case .subscribeAck: self = .subscribeAck(try SubscribeAck(&fields, kind, in: version))
        case .unsubscribe: self = .unsubscribe(try Unsubscribe(&fields, in: version))
        case .unsubscribeAck: self = .unsubscribeAck(try SubscribeAck(&fields, kind, in: version))
        case .ping: self = .ping
        case .pong: self = .pong
        case .disconnect: self = .disconnect(try Disconnect(&fields, kind, in: version))
        case .authenticate:
            guard version == .v5 else { throw .invalid("AUTH is of MQTT 5") }
            self = .authenticate(try Disconnect(&fields, kind, in: version))
        }
        guard fields.isAtEnd else { throw .malformed("\(kind.name) is too long") }
    }
}

// MARK: Encoding

extension Packet {
    /// The bytes of the packet.
    package func encoded(in version: ProtocolVersion) throws(PacketError) -> [UInt8] {
        var fields = FieldWriter()
        var flags = kind.flags ?? 0
        switch self {
        case .connect(let packet): try packet.write(to: &fields)
        case .connectAck(let packet): try packet.write(to: &fields, in: version)
        case .publish(let packet):
            flags = packet.flags
            try packet.write(to: &fields, in: version)
        case .acknowledge(let packet): try packet.write(to: &fields, in: version)
        case .subscribe(let packet): try packet.write(to: &fields, in: version)
        case .subscribeAck(let packet): try packet.write(to: &fields, kind, in: version)
        case .unsubscribe(let packet): try packet.write(to: &fields, in: version)
        case .unsubscribeAck(let packet): try packet.write(to: &fields, kind, in: version)
        case .ping, .pong: break
        case .disconnect(let packet): try packet.write(to: &fields, in: version)
        case .authenticate(let packet):
            guard version == .v5 else { throw .invalid("AUTH is of MQTT 5") }
            try packet.write(to: &fields, in: version)
        }
        var whole = FieldWriter()
        whole.add(kind.rawValue << 4 | flags)
        try whole.add(variable: fields.bytes.count)
        whole.add(fields.bytes)
        return whole.bytes
    }
}
