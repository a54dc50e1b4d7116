import WireBase
import WireMQTT

extension Property {
    /// Bytes as packets of a connection: the first byte is the version, the second the size of the parts.
    static func checkMQTT(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard bytes.count > 2 else { return }
        let version: ProtocolVersion? = [.v3, .v5, nil][Int(bytes[0]) % 3]
        let (stream, size) = (Array(bytes[2...]), max(1, Int(bytes[1])))
        let whole = packets(of: [stream], version)
        let parts = stride(from: 0, to: stream.count, by: size).map { Array(stream[$0..<min($0 + size, stream.count)]) }
        guard packets(of: parts, version) == whole else {
            throw BrokenProperty("packets in parts of \(size) bytes are others than at once")
        }
        for found in whole where !found.isPart { try checkAgain(found) }
    }

    private struct Found: Equatable {
        let packet: Packet
        let version: ProtocolVersion

        /// Whether the payload was left out.
        var isPart: Bool { if case .publish(let message) = packet { message.isTooLarge } else { false } }
    }

    private static func packets(of parts: [[UInt8]], _ version: ProtocolVersion?) -> [Found] {
        var (reader, found) = (PacketReader(version, limit: .bytes(200), skipsLarge: true), [Found]())
        for part in parts {
            reader.add(part)
            do throws(PacketError) {
                while let packet = try reader.next() {
                    found.append(Found(packet: packet, version: reader.version ?? .v5))
                }
            } catch {
                return found
            }
        }
        return found
    }

    /// A packet that is written again is the same.
    private static func checkAgain(_ found: Found) throws(BrokenProperty) {
        let written: [UInt8]
        do throws(PacketError) { written = try found.packet.encoded(in: found.version) } catch {
            throw BrokenProperty("a packet that was read cannot be written: \(error.reason)")
        }
        guard packets(of: [written], found.version) == [found] else {
            throw BrokenProperty("a packet that is written again is another")
        }
    }
}
