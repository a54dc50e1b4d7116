package import WireBase

/// Splits received bytes into packets, up to a maximum size.
package struct PacketReader: Sendable {
    /// The version; nil at a server before CONNECT.
    package private(set) var version: ProtocolVersion?
    private let limit: Int
    private let skipsLarge: Bool
    private var bytes: [UInt8] = []
    private var start = 0
    /// The rest of a message that is left out.
    private var skipped = 0

    /// Makes a reader; a message of 3.1.1 over the limit is an error, or delivered without its payload.
    ///
    /// A client of 3.1.1 cannot tell its limit to the server, and has to acknowledge such a message to get others.
    package init(_ version: ProtocolVersion?, limit: ByteCount, skipsLarge: Bool = false) {
        (self.version, self.limit, self.skipsLarge) = (version, limit.bytes, skipsLarge)
    }

    package mutating func add(_ more: [UInt8]) {
        bytes.removeFirst(start)
        start = 0
        let rest = more.dropFirst(skipped)
        skipped -= more.count - rest.count
        bytes += rest
    }

    /// Returns the next packet; nil until more bytes have arrived, or for ever after an error.
    package mutating func next() throws(PacketError) -> Packet? {
        guard let first = bytes[start...].first else { return nil }
        // A server of another protocol may send no more than the beginning.
        guard let kind = PacketKind(rawValue: first >> 4) else { throw .malformed("a packet of an unknown kind") }
        if version == nil, kind != .connect { throw .invalid("\(kind.name) before CONNECT") }
        guard kind.flags.map({ $0 == first & 0xf }) ?? true else { throw .malformed("\(kind.name) has unknown flags") }
        guard let (length, body) = try length() else { return nil }
        guard body - start + length <= limit else {
            guard skipsLarge, version == .v3, kind == .publish else {
                throw PacketError(.packetTooLarge, "a packet has more than \(limit) bytes")
            }
            return try skip(length, behind: body, flags: first & 0xf)
        }
        guard bytes.count - body >= length else { return nil }
        let packet = try Packet(kind, flags: first & 0xf, bytes[body..<body + length], in: version ?? .v5)
        if case .connect(let connect) = packet {
            guard version == nil || version == connect.version else { throw .invalid("another version in CONNECT") }
            version = connect.version
        }
        start = body + length
        return packet
    }

    /// The length of the packet behind its fixed header, and where that ends; nil until all of it has arrived.
    private func length() throws(PacketError) -> (length: Int, body: Int)? {
        let field = bytes[(start + 1)...].prefix(4)
        guard field.count == 4 || field.contains(where: { $0 & 0x80 == 0 }) else { return nil }
        var reader = FieldReader(field)
        let length = Int(try reader.variable())
        let size = field.prefix { $0 & 0x80 != 0 }.count + 1
        return (length, start + 1 + size)
    }

    /// Reads the head of a message and leaves out its payload; nil until the head has arrived.
    private mutating func skip(_ length: Int, behind body: Int, flags: UInt8) throws(PacketError) -> Packet? {
        let (needed, there) = (min(length, Publish.largestHead), bytes.count - body)
        guard there >= needed else { return nil }
        var fields = FieldReader(bytes[body..<body + needed])
        var message = try Publish(&fields, flags: flags, in: .v3)
        (message.payload, message.isTooLarge) = ([], true)
        let rest = min(there, length)
        (start, skipped) = (body + rest, length - rest)
        return .publish(message)
    }
}
