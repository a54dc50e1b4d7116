extension UInt8 {
    /// Whether the byte is an ASCII letter.
    package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// Whether the byte is an ASCII digit.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte is an ASCII hexadecimal digit.
    package var isHexDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20) }

    /// Whether the byte is printable ASCII, the space not counted.
    package var isVisible: Bool { (0x21...0x7e).contains(self) }
}
