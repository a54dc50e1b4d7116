/// The first packet of a client.
package struct Connect: Sendable, Equatable {
    package var version: ProtocolVersion
    package var clientID: String
    /// Whether an earlier session is dropped.
    package var isClean: Bool
    /// In seconds; 0 is none.
    package var keepAlive: UInt16
    package var username: String?
    package var password: [UInt8]?
    package var will: Will?
    package var properties = Properties()

    /// The message that the server publishes when the connection is lost.
    package struct Will: Sendable, Equatable {
        package var topic: TopicName
        package var payload: [UInt8]
        package var qos: QualityOfService
        package var isRetained: Bool
        package var properties = Properties()

        package init(_ topic: TopicName, _ payload: [UInt8], _ qos: QualityOfService, isRetained: Bool) {
            (self.topic, self.payload, self.qos, self.isRetained) = (topic, payload, qos, isRetained)
        }
    }

    package init(_ version: ProtocolVersion, clientID: String, isClean: Bool, keepAlive: UInt16) {
        (self.version, self.clientID, self.isClean, self.keepAlive) = (version, clientID, isClean, keepAlive)
    }

    private enum Flag {
        static let reserved: UInt8 = 0x01
        static let clean: UInt8 = 0x02
        static let will: UInt8 = 0x04
        static let willRetain: UInt8 = 0x20
        static let password: UInt8 = 0x40
        static let username: UInt8 = 0x80
    }

    private static let protocolName = "MQTT"

    init(_ fields: inout FieldReader) throws(PacketError) {
        guard try fields.text() == Self.protocolName, let version = ProtocolVersion(rawValue: try fields.byte()) else {
            throw PacketError(.unsupportedVersion, "CONNECT has another protocol or version")
        }
        let flags = try fields.byte()
        guard flags & Flag.reserved == 0, let qos = QualityOfService(rawValue: flags >> 3 & 0x3),
            flags & Flag.will != 0 || flags & (Flag.willRetain | 0x18) == 0,
            version == .v5 || flags & Flag.username != 0 || flags & Flag.password == 0
        else { throw .malformed("CONNECT has invalid flags") }
        self.version = version
        isClean = flags & Flag.clean != 0
        keepAlive = try fields.two()
        if version == .v5 { properties = try Properties(&fields, at: .packet(.connect)) }
        clientID = try fields.text()
        if flags & Flag.will != 0 {
            let properties = version == .v5 ? try Properties(&fields, at: .will) : Properties()
            guard let topic = TopicName(try fields.text()) else { throw .malformed("the topic of a will is invalid") }
            will = Will(topic, try fields.data(), qos, isRetained: flags & Flag.willRetain != 0)
            will?.properties = properties
        }
        if flags & Flag.username != 0 { username = try fields.text() }
        if flags & Flag.password != 0 { password = try fields.data() }
    }

    func write(to fields: inout FieldWriter) throws(PacketError) {
        guard version == .v5 || username != nil || password == nil else {
            throw .invalid("a password of MQTT 3.1.1 needs a user name")
        }
        try fields.add(text: Self.protocolName)
        fields.add(version.rawValue)
        fields.add(flags)
        fields.add(keepAlive)
        if version == .v5 { try properties.write(to: &fields) }
        try fields.add(text: clientID)
        if let will {
            if version == .v5 { try will.properties.write(to: &fields) }
            try fields.add(text: will.topic.text)
            try fields.add(data: will.payload)
        }
        if let username { try fields.add(text: username) }
        if let password { try fields.add(data: password) }
    }

    private var flags: UInt8 {
        var flags: UInt8 = isClean ? Flag.clean : 0
        if let will { flags |= Flag.will | will.qos.rawValue << 3 | (will.isRetained ? Flag.willRetain : 0) }
        if username != nil { flags |= Flag.username }
        if password != nil { flags |= Flag.password }
        return flags
    }
}

/// The response to CONNECT.
package struct ConnectAck: Sendable, Equatable {
    /// Whether the server has kept the session.
    package var isSessionPresent: Bool
    package var code: ReasonCode
    package var properties = Properties()

    package init(_ code: ReasonCode, isSessionPresent: Bool = false) {
        (self.code, self.isSessionPresent) = (code, isSessionPresent)
    }

    init(_ fields: inout FieldReader, in version: ProtocolVersion) throws(PacketError) {
        let flags = try fields.byte()
        guard flags & 0xfe == 0 else { throw .malformed("CONNACK has unknown flags") }
        isSessionPresent = flags == 1
        let code = try fields.byte()
        switch version {
        case .v3:
            guard let meaning = ReasonCode(returnCode: code) else { throw .invalid("CONNACK has an unknown code") }
            self.code = meaning
        case .v5:
            // The response of a server that knows 3.1.1 only.
            let isOlder = code == 1 && fields.isAtEnd
            self.code = isOlder ? .unsupportedVersion : ReasonCode(code)
            if !isOlder { properties = try Properties(&fields, at: .packet(.connectAck)) }
        }
        guard !isSessionPresent || !self.code.isFailure else { throw .invalid("a refused session is present") }
    }

    func write(to fields: inout FieldWriter, in version: ProtocolVersion) throws(PacketError) {
        fields.add(isSessionPresent && !code.isFailure ? 1 as UInt8 : 0)
        fields.add(version == .v5 ? code.rawValue : code.returnCode)
        if version == .v5 { try properties.write(to: &fields) }
    }
}

/// The last packet of a connection, or a step of AUTH.
package struct Disconnect: Sendable, Equatable {
    package var code: ReasonCode
    package var properties = Properties()

    package init(_ code: ReasonCode = .success) { self.code = code }

    init(_ fields: inout FieldReader, _ kind: PacketKind, in version: ProtocolVersion) throws(PacketError) {
        code = .success
        guard version == .v5, !fields.isAtEnd else { return }
        code = ReasonCode(try fields.byte())
        if !fields.isAtEnd { properties = try Properties(&fields, at: .packet(kind)) }
    }

    func write(to fields: inout FieldWriter, in version: ProtocolVersion) throws(PacketError) {
        guard version == .v5, code != .success || !properties.isEmpty else { return }
        fields.add(code.rawValue)
        if !properties.isEmpty { try properties.write(to: &fields) }
    }
}
