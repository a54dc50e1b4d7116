/// Writes values in an unambiguous binary format.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ byte: UInt8) { bytes.append(byte) }

    mutating func write(_ number: Int64) {
        var rest = UInt64(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(_ text: String) {
        write(Int64(text.utf8.count))
        bytes += text.utf8
    }

    /// The bytes with a checksum.
    var sealed: [UInt8] {
        let sum = bytes.span.checksum
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }
}

/// Reads the format of ``ByteWriter``; nil for malformed input.
struct ByteReader {
    private let bytes: [UInt8]
    private let end: Int
    private var index = 0

    /// Nil where the checksum is wrong.
    init?(sealed bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        end = bytes.count - 8
        var sum: UInt64 = 0
        for offset in 0..<8 { sum |= UInt64(bytes[end + offset]) << (8 * UInt64(offset)) }
        guard bytes.span.extracting(0..<end).checksum == sum else { return nil }
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == end }

    mutating func byte() -> UInt8? {
        guard index < end else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func number() -> Int64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = byte() {
            // The tenth byte contains the last bit.
            guard shift < 63 || (shift == 63 && byte <= 1) else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int64(bitPattern: value) }
            shift += 7
        }
        return nil
    }

    mutating func number(in range: ClosedRange<Int64>) -> Int64? {
        number().flatMap { range.contains($0) ? $0 : nil }
    }

    /// Reads a count of elements, which cannot exceed the number of bytes.
    mutating func count() -> Int? {
        guard let number = number(), number >= 0, number <= Int64(end - index) else { return nil }
        return Int(number)
    }

    mutating func text() -> String? {
        guard let count = count() else { return nil }
        defer { index += count }
        return String(validating: bytes[index..<(index + count)], as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// FNV-1a over 64 bits: detects damage, not manipulation.
    fileprivate var checksum: UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in indices { sum = (sum ^ UInt64(self[index])) &* 0x100_0000_01b3 }
        return sum
    }
}
