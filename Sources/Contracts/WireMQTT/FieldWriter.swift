/// Writes the fields of a packet.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    /// The largest length that can be encoded.
    static let longest = 268_435_455

    mutating func add(_ byte: UInt8) { bytes.append(byte) }

    mutating func add(_ number: UInt16) { bytes += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }

    mutating func add(_ number: UInt32) {
        add(UInt16(number >> 16))
        add(UInt16(truncatingIfNeeded: number))
    }

    mutating func add(_ more: [UInt8]) { bytes += more }

    mutating func add(variable number: Int) throws(PacketError) {
        guard (0...Self.longest).contains(number) else {
            throw PacketError(.packetTooLarge, "a packet has more than \(Self.longest) bytes")
        }
        var rest = number
        repeat {
            let byte = UInt8(rest & 0x7f)
            rest >>= 7
            bytes.append(rest > 0 ? byte | 0x80 : byte)
        } while rest > 0
    }

    mutating func add(text: String) throws(PacketError) {
        guard !text.utf8.contains(0) else { throw .malformed("a text contains U+0000") }
        try add(data: Array(text.utf8))
    }

    mutating func add(data: [UInt8]) throws(PacketError) {
        guard let count = UInt16(exactly: data.count) else { throw .malformed("a field has more than 65535 bytes") }
        add(count)
        bytes += data
    }
}
