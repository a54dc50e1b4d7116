/// Reads the fields of a packet.
struct FieldReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) { (self.bytes, position) = (bytes, bytes.startIndex) }

    private static let short = PacketError.malformed("a packet ends in the middle of a field")

    var isAtEnd: Bool { position == bytes.endIndex }

    mutating func byte() throws(PacketError) -> UInt8 {
        guard position < bytes.endIndex else { throw Self.short }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func two() throws(PacketError) -> UInt16 {
        let high = try byte()
        return UInt16(high) << 8 | UInt16(try byte())
    }

    mutating func four() throws(PacketError) -> UInt32 {
        let high = try two()
        return UInt32(high) << 16 | UInt32(try two())
    }

    /// A number of up to four bytes in its shortest form (MQTT 5, section 1.5.5).
    mutating func variable() throws(PacketError) -> UInt32 {
        var value: UInt32 = 0
        for index in 0..<4 {
            let byte = try byte()
            value |= UInt32(byte & 0x7f) << UInt32(7 * index)
            guard byte & 0x80 == 0 else { continue }
            guard byte != 0 || index == 0 else { throw .malformed("a length is not in its shortest form") }
            return value
        }
        throw .malformed("a length has more than four bytes")
    }

    /// Text in valid UTF-8 without U+0000.
    mutating func text() throws(PacketError) -> String {
        let part = try raw(Int(try two()))
        guard !part.contains(0), let text = String(validating: part, as: UTF8.self) else {
            throw .malformed("a text is not valid UTF-8")
        }
        return text
    }

    mutating func data() throws(PacketError) -> [UInt8] { Array(try raw(Int(try two()))) }

    /// The next bytes as fields of their own.
    mutating func part(_ count: Int) throws(PacketError) -> FieldReader { FieldReader(try raw(count)) }

    /// All bytes that are left.
    mutating func rest() -> [UInt8] {
        defer { position = bytes.endIndex }
        return Array(bytes[position...])
    }

    private mutating func raw(_ count: Int) throws(PacketError) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - position else { throw Self.short }
        defer { position += count }
        return bytes[position..<position + count]
    }
}
