/// Formats and makes UUIDs (RFC 9562).
package enum UUIDText {
    /// Formats 16 bytes.
    package static func text(of bytes: [UInt8]) -> String {
        let digits = Array(Hexadecimal.text(of: bytes))
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { String($0) }.joined(separator: "-")
    }

    /// Makes a random one, of version 4.
    package static func random() -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        (bytes[6], bytes[8]) = (bytes[6] & 0x0f | 0x40, bytes[8] & 0x3f | 0x80)
        return text(of: bytes)
    }
}
