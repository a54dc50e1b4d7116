/// Base64 (RFC 4648, section 4), strictly: correct padding, no spare bits set.
package enum Base64 {
    package static func bytes(of text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        return Base64Alphabet.standard.bytes(of: digits.dropLast(padding))
    }

    /// Decodes a text without padding.
    package static func bytes(ofUnpadded text: String) -> [UInt8]? {
        Base64Alphabet.standard.bytes(of: Array(text.utf8)[...])
    }

    package static func text(of bytes: [UInt8]) -> String {
        let text = unpaddedText(of: bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    package static func unpaddedText(of bytes: [UInt8]) -> String {
        String(decoding: Base64Alphabet.standard.digits(of: bytes[...]), as: UTF8.self)
    }
}

/// Base64 for URLs (RFC 4648, section 5), strictly: no padding, no spare bits set, no other characters.
package enum Base64URL {
    package static func bytes(of text: String) -> [UInt8]? {
        bytes(of: Array(text.utf8)[...])
    }

    package static func bytes(of digits: ArraySlice<UInt8>) -> [UInt8]? {
        Base64Alphabet.url.bytes(of: digits)
    }

    package static func text(of bytes: [UInt8]) -> String {
        String(decoding: Base64Alphabet.url.digits(of: bytes[...]), as: UTF8.self)
    }
}

extension String {
    /// The text without the `=` at its end, with which Base64 is padded.
    package var withoutPadding: String {
        var text = self
        while text.last == "=" { text.removeLast() }
        return text
    }
}

/// The 64 digits and their values.
private struct Base64Alphabet: Sendable {
    static let standard = Base64Alphabet(last: "+/")
    static let url = Base64Alphabet(last: "-_")

    private let letters: [UInt8]
    /// By character; an invalid character has a bit that no value has.
    private let values: [UInt8]

    private static let noLetter: UInt8 = 0x80

    private init(last: String) {
        letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
        var values = [UInt8](repeating: Self.noLetter, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        self.values = values
    }

    /// Decodes digits without padding.
    func bytes(of digits: ArraySlice<UInt8>) -> [UInt8]? {
        let rest = digits.count % 4
        guard rest != 1 else { return nil }
        let (digits, values) = (digits.span, values.span)
        let whole = digits.count - rest
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var seen: UInt8 = 0
        var index = 0
        while index < whole {
            var bits: UInt32 = 0
            for place in index..<index + 4 {
                let value = values[Int(digits[place])]
                seen |= value
                bits = bits << 6 | UInt32(value & 63)
            }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            bytes.append(UInt8(truncatingIfNeeded: bits))
            index += 4
        }
        var bits: UInt32 = 0
        for place in whole..<digits.count {
            let value = values[Int(digits[place])]
            seen |= value
            bits = bits << 6 | UInt32(value & 63)
        }
        guard seen & Self.noLetter == 0 else { return nil }
        switch rest {
        case 2:
            guard bits & 0xf == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
            guard bits & 0x3 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: break
        }
        return bytes
    }

    /// Encodes bytes without padding.
    func digits(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.endIndex)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - group.count))
            for digit in 0...group.count { digits.append(letters[Int(bits >> UInt32(18 - 6 * digit) & 63)]) }
        }
        return digits
    }
}
