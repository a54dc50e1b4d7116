extension UInt8 {
    /// Whether the byte is an ASCII letter.
    package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// Whether the byte is an ASCII digit.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte is an ASCII hexadecimal digit.
    package var isHexDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20) }

    /// Whether the byte is printable ASCII other than the space.
    package var isVisible: Bool { (0x21...0x7e).contains(self) }

    /// Whether the byte is ASCII white space: a blank, a tab, or a line break.
    package var isSpace: Bool { self == UInt8(ascii: " ") || (0x09...0x0d).contains(self) }
}

extension StringProtocol {
    /// Whether the text contains another one byte for byte; an empty one is always contained.
    package func hasBytes(of part: some StringProtocol) -> Bool {
        let (bytes, part) = (Array(utf8), Array(part.utf8))
        guard let first = part.first else { return true }
        guard bytes.count >= part.count else { return false }
        return (0...bytes.count - part.count).contains { start in
            bytes[start] == first && bytes[start...].starts(with: part)
        }
    }
}
