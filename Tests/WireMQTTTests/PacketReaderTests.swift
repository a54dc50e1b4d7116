import Testing
import WireBase
import WireMQTT

@Suite("Reading packets of MQTT")
struct PacketReaderTests {
    @Test("packets are the same however their bytes arrive", arguments: [1, 2, 3, 7, 1_000])
    func parts(size: Int) throws {
        let examples = PacketTests.examples.filter { $0.version == .v5 && $0.packet.kind != .connect }
        let bytes = examples.flatMap(\.bytes)
        var (reader, packets) = (PacketReader(.v5, limit: .kibibytes(1)), [Packet]())
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.add(Array(bytes[start..<min(start + size, bytes.count)]))
            while let packet = try reader.next() { packets.append(packet) }
        }
        #expect(packets == examples.map(\.packet) && packets.count > 3)
    }

    @Test("the version of a server's connection is that of CONNECT")
    func version() throws {
        var reader = PacketReader(nil, limit: .kibibytes(1))
        reader.add(try Packet.connect(Connect(.v3, clientID: "a", isClean: true, keepAlive: 0)).encoded(in: .v3))
        #expect(reader.version == nil)
        _ = try reader.next()
        #expect(reader.version == .v3)
        reader.add(try Packet.connect(Connect(.v5, clientID: "a", isClean: true, keepAlive: 0)).encoded(in: .v5))
        #expect(throws: PacketError.self) { try reader.next() }
    }

    @Test("the size limit counts the whole packet, and is applied before the packet has arrived")
    func limit() throws {
        let topic = try #require(TopicName("a"))
        let bytes = try Packet.publish(Publish(topic, [UInt8](repeating: 1, count: 95))).encoded(in: .v3)
        #expect(bytes.count == 100)
        var reader = PacketReader(.v3, limit: .bytes(100))
        reader.add(bytes)
        #expect(try reader.next() != nil)
        var small = PacketReader(.v3, limit: .bytes(99))
        small.add(Array(bytes[..<2]))
        #expect(throws: PacketError.self) { try small.next() }
    }

    @Test("a client of 3.1.1 gets the head of a message that is too large, and the packets after it")
    func large() throws {
        let topic = try #require(TopicName("a"))
        let message = Publish(topic, [UInt8](repeating: 1, count: 200_000), .atLeastOnce, id: 9)
        let bytes = try Packet.publish(message).encoded(in: .v3) + [0xd0, 0]
        var (reader, packets) = (PacketReader(.v3, limit: .kibibytes(64), skipsLarge: true), [Packet]())
        for start in stride(from: 0, to: bytes.count, by: 1_000) {
            reader.add(Array(bytes[start..<min(start + 1_000, bytes.count)]))
            while let packet = try reader.next() { packets.append(packet) }
        }
        guard case .publish(let head)? = packets.first else {
            Issue.record("\(packets.count)")
            return
        }
        #expect(head.isTooLarge && head.id == 9 && head.payload.isEmpty && head.topic == topic)
        #expect(packets.dropFirst() == [.pong])
        var strict = PacketReader(.v5, limit: .kibibytes(64), skipsLarge: true)
        strict.add(bytes)
        #expect(throws: PacketError.self) { try strict.next() }
    }
}
