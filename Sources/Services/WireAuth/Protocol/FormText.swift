/// Names and values in forms and queries (RFC 6749, appendix B), strict in both directions.
enum FormText {
    /// The maximum size of a form: callbacks have a few hundred bytes, some with a kilobyte of `state` or `code`.
    static let limit = 64 << 10
    private static let items = 64

    static func encoded(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    /// Escapes all but RFC 3986's unreserved characters, so the text fits forms, queries and Basic credentials.
    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The pairs of a form; nil where a name is repeated or the form is malformed.
    static func pairs(of text: some StringProtocol) -> [String: String]? {
        guard text.utf8.count <= limit else { return nil }
        var pairs: [String: String] = [:]
        for item in text.utf8.split(separator: UInt8(ascii: "&")) {
            let sides = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0]), let value = sides.count > 1 ? decoded(sides[1]) : "",
                pairs.count < items, pairs.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return pairs
    }

    private static func decoded(_ raw: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(value(ofDigit:)), let low = rest.next().flatMap(value(ofDigit:))
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
