import WireBase

/// The value of a plain scalar in YAML 1.2's core schema, which covers JSON.
package enum CoreScalar: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// A whole number that does not fit in Int.
    case hugeInteger
    case number(Double)
    case text

    package init(_ text: String) { self.init(reading: text.utf8) }
    package init(_ bytes: ArraySlice<UInt8>) { self.init(reading: bytes) }

    private init(reading text: some Collection<UInt8>) {
        // Fast path: most scalars begin with a letter, and no number does.
        if let first = text.first, first.isLetter {
            self = Self.word(text) ?? .text
        } else {
            self = Self.word(text) ?? Self.integer(text) ?? Self.float(text) ?? .text
        }
    }

    private static func word(_ text: some Collection<UInt8>) -> Self? {
        guard text.count <= 5, text.first.map({ "~tTfFnN".utf8.contains($0) }) ?? true else { return nil }
        switch String(decoding: text, as: UTF8.self) {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        default: return nil
        }
    }

    private static func integer(_ text: some Collection<UInt8>) -> Self? {
        guard let first = text.first else { return nil }
        if text.starts(with: "0o".utf8) {
            return integer(text.dropFirst(2), radix: 8, isDigit: { (0x30...0x37).contains($0) })
        }
        if text.starts(with: "0x".utf8) { return integer(text.dropFirst(2), radix: 16, isDigit: \.isHexDigit) }
        let hasSign = first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        let digits = text.dropFirst(hasSign ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return Int(String(decoding: text, as: UTF8.self)).map(Self.integer) ?? .hugeInteger
    }

    private static func integer(_ digits: some Collection<UInt8>, radix: Int, isDigit: (UInt8) -> Bool) -> Self? {
        guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self), radix: radix).map(Self.integer) ?? .hugeInteger
    }

    private static func float(_ text: some Collection<UInt8>) -> Self? {
        let written = String(decoding: text, as: UTF8.self)
        switch written {
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .number(.infinity)
        case "-.inf", "-.Inf", "-.INF": return .number(-.infinity)
        case ".nan", ".NaN", ".NAN": return .number(.nan)
        default: break
        }
        // Swift also parses words and hexadecimal digits as numbers; YAML does not.
        guard text.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }) else { return nil }
        return Double(written).map(Self.number)
    }
}
