import WireBase

extension String {
    /// The text as a path segment or query value: all but the unreserved characters are encoded (RFC 3986, section
    /// 2.3).
    package var percentEncoded: String {
        func isUnreserved(_ byte: UInt8) -> Bool {
            byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte)
        }
        guard !utf8.allSatisfy(isUnreserved) else { return self }
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in utf8 {
            text += isUnreserved(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
