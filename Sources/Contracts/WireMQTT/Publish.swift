/// A message.
package struct Publish: Sendable, Equatable {
    /// The topic; nil where an alias names it.
    package var topic: TopicName?
    package var payload: [UInt8]
    package var qos: QualityOfService
    /// The number by which it is acknowledged; 0 with QoS 0.
    package var id: UInt16
    package var isRetained: Bool
    /// Whether it may have been sent before.
    package var isDuplicate = false
    /// Whether its payload was left out because of its size.
    package var isTooLarge = false
    package var properties = Properties()

    package init(
        _ topic: TopicName?,
        _ payload: [UInt8],
        _ qos: QualityOfService = .atMostOnce,
        id: UInt16 = 0,
        isRetained: Bool = false
    ) {
        (self.topic, self.payload, self.qos, self.id) = (topic, payload, qos, id)
        self.isRetained = isRetained
    }

    /// The largest size of the fields before the payload, without properties.
    static let largestHead = 65_539

    init(_ fields: inout FieldReader, flags: UInt8, in version: ProtocolVersion) throws(PacketError) {
        guard let qos = QualityOfService(rawValue: flags >> 1 & 0x3) else { throw .malformed("PUBLISH has QoS 3") }
        self.qos = qos
        (isRetained, isDuplicate) = (flags & 0x1 != 0, flags & 0x8 != 0)
        guard qos != .atMostOnce || !isDuplicate else { throw .malformed("PUBLISH with QoS 0 is a duplicate") }
        let name = try fields.text()
        id = qos == .atMostOnce ? 0 : try fields.two()
        guard qos == .atMostOnce || id != 0 else { throw .invalid("PUBLISH has no packet id") }
        if version == .v5 { properties = try Properties(&fields, at: .packet(.publish)) }
        if name.isEmpty {
            guard properties[number: .topicAlias] != nil else { throw .invalid("PUBLISH has no topic") }
        } else {
            guard let topic = TopicName(name) else { throw .malformed("the topic of PUBLISH is invalid") }
            self.topic = topic
        }
        payload = fields.rest()
    }

    var flags: UInt8 {
        (isDuplicate && qos != .atMostOnce ? 0x8 : 0) | qos.rawValue << 1 | (isRetained ? 0x1 : 0)
    }

    func write(to fields: inout FieldWriter, in version: ProtocolVersion) throws(PacketError) {
        guard qos == .atMostOnce || id != 0 else { throw .invalid("PUBLISH has no packet id") }
        guard topic != nil || version == .v5 && properties[number: .topicAlias] != nil else {
            throw .invalid("PUBLISH has no topic")
        }
        try fields.add(text: topic?.text ?? "")
        if qos != .atMostOnce { fields.add(id) }
        if version == .v5 { try properties.write(to: &fields) }
        fields.add(payload)
    }
}

/// The acknowledgement of a message: PUBACK, PUBREC, PUBREL or PUBCOMP.
package struct Acknowledgement: Sendable, Equatable {
    package let kind: PacketKind
    package var id: UInt16
    package var code = ReasonCode.success
    package var properties = Properties()

    /// PUBACK, with its code where the version has one.
    package static func message(_ id: UInt16, _ code: ReasonCode = .success) -> Packet {
        .acknowledge(Self(.publishAck, id, code))
    }

    package init(_ kind: PacketKind, _ id: UInt16, _ code: ReasonCode = .success) {
        (self.kind, self.id, self.code) = (kind, id, code)
    }

    init(_ fields: inout FieldReader, _ kind: PacketKind, in version: ProtocolVersion) throws(PacketError) {
        self.kind = kind
        id = try fields.packetID(of: kind)
        guard version == .v5, !fields.isAtEnd else { return }
        code = ReasonCode(try fields.byte())
        if !fields.isAtEnd { properties = try Properties(&fields, at: .packet(kind)) }
    }

    func write(to fields: inout FieldWriter, in version: ProtocolVersion) throws(PacketError) {
        fields.add(id)
        guard version == .v5, code != .success || !properties.isEmpty else { return }
        fields.add(code.rawValue)
        if !properties.isEmpty { try properties.write(to: &fields) }
    }
}

extension FieldReader {
    mutating func packetID(of kind: PacketKind) throws(PacketError) -> UInt16 {
        let id = try two()
        guard id != 0 else { throw .invalid("\(kind.name) has no packet id") }
        return id
    }
}
