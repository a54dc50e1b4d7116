import Testing
import WireBase
import WireMQTT

@Suite("Packets of MQTT")
struct PacketTests {
    /// Bytes as they stand in the specifications, and what they mean.
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let version: ProtocolVersion
        let bytes: [UInt8]
        let packet: Packet

        var testDescription: String { name }
    }

    static func text(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + Array(text.utf8) }

    static let examples: [Example] = {
        var connect = Connect(.v3, clientID: "cart", isClean: false, keepAlive: 60)
        (connect.username, connect.password) = ("u", Array("p".utf8))
        var modern = Connect(.v5, clientID: "", isClean: true, keepAlive: 0)
        modern.properties[number: .sessionExpiry] = 604_800
        modern.properties[number: .receiveMaximum] = 10
        modern.properties.addUser("a", "b")
        var examples = [
            Example(
                name: "CONNECT of 3.1.1",
                version: .v3,
                bytes: [0x10, 22] + text("MQTT") + [4, 0xc0, 0, 60] + text("cart") + text("u") + text("p"),
                packet: .connect(connect)
            ),
            Example(
                name: "CONNECT of 5",
                version: .v5,
                bytes: [0x10, 28] + text("MQTT") + [5, 2, 0, 0, 15, 0x11, 0, 9, 0x3a, 0x80, 0x21, 0, 10, 0x26]
                    + text("a") + text("b") + text(""),
                packet: .connect(modern)
            ),
            Example(name: "PINGREQ", version: .v3, bytes: [0xc0, 0], packet: .ping),
            Example(name: "PINGRESP", version: .v5, bytes: [0xd0, 0], packet: .pong),
            Example(
                name: "CONNACK of 3.1.1 with a present session",
                version: .v3,
                bytes: [0x20, 2, 1, 0],
                packet: .connectAck(ConnectAck(.success, isSessionPresent: true))
            ),
            Example(
                name: "PUBACK of 5 with a code",
                version: .v5,
                bytes: [0x40, 3, 1, 2, 0x10],
                packet: Acknowledgement.message(258, .noMatchingSubscribers)
            ),
            Example(name: "DISCONNECT", version: .v5, bytes: [0xe0, 0], packet: .disconnect(Disconnect())),
            Example(
                name: "DISCONNECT with a code",
                version: .v5,
                bytes: [0xe0, 1, 0x8e],
                packet: .disconnect(Disconnect(.sessionTakenOver))
            ),
        ]
        if let topic = TopicName("a/b"), let filter = TopicFilter("a/#") {
            var message = Publish(topic, Array("hi".utf8), .atLeastOnce, id: 7, isRetained: true)
            message.isDuplicate = true
            var subscription = Subscribe.Subscription(filter, .atLeastOnce)
            examples += [
                Example(
                    name: "PUBLISH",
                    version: .v3,
                    bytes: [0x3b, 9] + text("a/b") + [0, 7] + Array("hi".utf8),
                    packet: .publish(message)
                ),
                Example(
                    name: "SUBSCRIBE of 3.1.1",
                    version: .v3,
                    bytes: [0x82, 8, 0, 1] + text("a/#") + [1],
                    packet: .subscribe(Subscribe(1, [subscription]))
                ),
                Example(
                    name: "UNSUBSCRIBE of 5",
                    version: .v5,
                    bytes: [0xa2, 8, 0, 2, 0] + text("a/#"),
                    packet: .unsubscribe(Unsubscribe(2, [filter]))
                ),
            ]
            subscription.retainHandling = .never
            examples.append(
                Example(
                    name: "SUBSCRIBE of 5 with options",
                    version: .v5,
                    bytes: [0x82, 9, 0, 1, 0] + text("a/#") + [0x21],
                    packet: .subscribe(Subscribe(1, [subscription]))
                )
            )
        }
        return examples
    }()

    static func read(_ bytes: [UInt8], _ version: ProtocolVersion?) throws(PacketError) -> Packet? {
        var reader = PacketReader(version, limit: .kibibytes(64))
        reader.add(bytes)
        return try reader.next()
    }

    @Test("a packet has the bytes of the specification", arguments: examples)
    func bytes(example: Example) throws {
        #expect(try example.packet.encoded(in: example.version) == example.bytes)
        #expect(try Self.read(example.bytes, example.version) == example.packet)
    }

    private static let mayBeShorter: Set<PacketKind> = [.publish, .publishAck, .disconnect]

    @Test("a packet that ends in the middle of a field is malformed", arguments: examples)
    func cut(example: Example) throws {
        guard example.bytes.count > 2 else { return }
        for count in 2..<example.bytes.count {
            var bytes = Array(example.bytes[..<count])
            bytes[1] = UInt8(count - 2)
            // What is left of some packets is a shorter one, never the same.
            if Self.mayBeShorter.contains(example.packet.kind) {
                if let packet = try? Self.read(bytes, example.version) { #expect(packet != example.packet, "\(count)") }
            } else {
                #expect(throws: PacketError.self, "\(count)") { try Self.read(bytes, example.version) }
            }
        }
        #expect(try Self.read(Array(example.bytes.dropLast()), example.version) == nil)
    }

    @Test("a will goes with its flags, and with properties in version 5", arguments: ProtocolVersion.allCases)
    func will(version: ProtocolVersion) throws {
        let topic = try #require(TopicName("status"))
        var connect = Connect(version, clientID: "c", isClean: true, keepAlive: 1)
        connect.will = Connect.Will(topic, Array("offline".utf8), .atLeastOnce, isRetained: true)
        if version == .v5 { connect.will?.properties[number: .willDelay] = 5 }
        let bytes = try Packet.connect(connect).encoded(in: version)
        #expect(bytes[9] == 0x2e)
        #expect(try Self.read(bytes, nil) == .connect(connect))
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let version: ProtocolVersion?
        let bytes: [UInt8]
        var code = ReasonCode.malformedPacket

        init(_ name: String, _ version: ProtocolVersion?, _ bytes: [UInt8], _ code: ReasonCode = .malformedPacket) {
            (testDescription, self.version, self.bytes, self.code) = (name, version, bytes, code)
        }
    }

    static let bad: [Bad] = [
        Bad("an unknown kind", .v5, [0x00, 0]),
        Bad("AUTH in 3.1.1", .v3, [0xf0, 0], .protocolError),
        Bad("flags of PINGRESP", .v5, [0xd1, 0]),
        Bad("PINGRESP with fields", .v5, [0xd0, 1, 0]),
        Bad("a length of five bytes", .v5, [0x30, 0xff, 0xff, 0xff, 0xff]),
        Bad("a length in a longer form", .v5, [0xd0, 0x80, 0x00]),
        Bad("a packet over the limit", .v5, [0x30, 0xff, 0xff, 0x7f], .packetTooLarge),
        Bad("QoS 3", .v5, [0x36, 5, 0, 1, 0x61, 0, 1]),
        Bad("a duplicate with QoS 0", .v3, [0x38, 3, 0, 1, 0x61]),
        Bad("QoS 1 without a packet id", .v3, [0x32, 5, 0, 1, 0x61, 0, 0], .protocolError),
        Bad("a message without a topic", .v3, [0x30, 2, 0, 0], .protocolError),
        Bad("a topic with a wildcard", .v3, [0x30, 3, 0, 1, 0x23]),
        Bad("a topic with U+0000", .v3, [0x30, 3, 0, 1, 0x00]),
        Bad("a topic that is not UTF-8", .v3, [0x30, 3, 0, 1, 0xff]),
        Bad("a surrogate", .v3, [0x30, 5, 0, 3, 0xed, 0xa0, 0x80]),
        Bad("a property of another packet", .v5, [0x30, 7, 0, 1, 0x61, 3, 0x21, 0, 1]),
        Bad("an unknown property", .v5, [0x30, 6, 0, 1, 0x61, 2, 0x7f, 0]),
        Bad("a repeated property", .v5, [0x30, 8, 0, 1, 0x61, 4, 1, 0, 1, 0], .protocolError),
        Bad("a property out of its range", .v5, [0x30, 6, 0, 1, 0x61, 2, 1, 2], .protocolError),
        Bad("properties beyond the packet", .v5, [0x30, 4, 0, 1, 0x61, 9]),
        Bad("a receive maximum of 0", .v5, [0x20, 6, 0, 0, 3, 0x21, 0, 0], .protocolError),
        Bad("an unknown code of 3.1.1", .v3, [0x20, 2, 0, 6], .protocolError),
        Bad("a refused session that is present", .v3, [0x20, 2, 1, 5], .protocolError),
        Bad("SUBACK without codes", .v3, [0x90, 2, 0, 1]),
        Bad("SUBSCRIBE without topics", .v3, [0x82, 2, 0, 1]),
        Bad("SUBSCRIBE with an invalid filter", .v3, [0x82, 7, 0, 1, 0, 2, 0x61, 0x23, 1]),
        Bad("another packet before CONNECT", nil, [0xc0, 0], .protocolError),
        Bad("another protocol", nil, [0x10, 8] + text("MQIsdp"), .unsupportedVersion),
        Bad("another version", nil, [0x10, 7] + text("MQTT") + [3], .unsupportedVersion),
        Bad("CONNECT with the reserved flag", nil, [0x10, 12] + text("MQTT") + [4, 1, 0, 0, 0, 0]),
        Bad("a password without a user name in 3.1.1", nil, [0x10, 14] + text("MQTT") + [4, 0x40, 0, 0, 0, 0, 0, 0]),
    ]

    @Test("bytes that are no packet are an error with its code", arguments: bad)
    func invalid(bad: Bad) throws {
        let error = #expect(throws: PacketError.self) { try Self.read(bad.bytes, bad.version) }
        #expect(error?.code == bad.code, "\(error?.reason ?? "")")
    }

    @Test("return codes of 3.1.1 are converted to the codes of 5 with the same meaning")
    func returnCodes() throws {
        let codes: [ReasonCode] = [
            .success, .unsupportedVersion, .invalidClientID, .serverUnavailable, .badCredentials, .notAuthorized,
        ]
        for (number, code) in codes.enumerated() {
            let bytes: [UInt8] = [0x20, 2, 0, UInt8(number)]
            #expect(try Self.read(bytes, .v3) == .connectAck(ConnectAck(code)))
            #expect(try Packet.connectAck(ConnectAck(code)).encoded(in: .v3) == bytes)
        }
        // A server of 3.1.1 refuses version 5 in its own form.
        #expect(try Self.read([0x20, 2, 0, 1], .v5) == .connectAck(ConnectAck(.unsupportedVersion)))
        #expect("\(ReasonCode.notAuthorized)" == "0x87, not authorized")
    }
}
