/// Converts libyaml's positions, which count characters, to bytes; moving on costs only the distance.
struct ByteOffsets {
    private let bytes: [UInt8]
    let isASCII: Bool
    private var character = 0
    private var byte = 0

    init(of bytes: [UInt8]) {
        self.bytes = bytes
        isASCII = Self.isASCII(bytes.span)
    }

    /// Tests all bytes without an early exit, so that the compiler vectorizes the loop.
    private static func isASCII(_ bytes: borrowing Span<UInt8>) -> Bool {
        var all: UInt8 = 0
        for index in bytes.indices { all |= bytes[index] }
        return all < 0x80
    }

    mutating func byte(ofCharacter wanted: Int) -> Int {
        isASCII ? min(wanted, bytes.count) : move(toCharacter: wanted)
    }

    private mutating func move(toCharacter wanted: Int) -> Int {
        while character < wanted, byte < bytes.count {
            byte += 1
            while byte < bytes.count, bytes[byte] & 0xc0 == 0x80 { byte += 1 }
            character += 1
        }
        while character > wanted {
            byte -= 1
            while bytes[byte] & 0xc0 == 0x80 { byte -= 1 }
            character -= 1
        }
        return byte
    }
}
