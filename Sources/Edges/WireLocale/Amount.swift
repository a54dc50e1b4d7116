import FoundationEssentials
import WireConfig

/// A number that keeps the digits of its text, so that money is exact.
struct Amount {
    let decimal: Decimal
    let double: Double

    init?(_ text: String) {
        // Swift must accept the text as a number; `Decimal` alone would accept a prefix.
        guard let double = Double(text), double.isFinite, double.magnitude < 1e30,
            text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }),
            let decimal = Decimal(string: text)
        else { return nil }
        (self.decimal, self.double) = (decimal, double)
    }
}

extension JSONValue {
    /// The number, also from text, since push providers convert numbers to text.
    var amount: Amount? {
        switch self {
        case .integer(let value): Amount("\(value)")
        case .number(let value): Amount("\(value)")
        case .string(let text): Amount(text)
        default: nil
        }
    }

    var quantity: Double? { amount?.double }

    /// The items of a list, or the single value.
    var items: [String]? {
        switch self {
        case .array(let values):
            let texts = values.compactMap(\.plainText)
            return texts.count == values.count ? texts : nil
        default: return plainText.map { [$0] }
        }
    }

    private var plainText: String? {
        switch self {
        case .string(let text): text
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .boolean(let value): value ? "true" : "false"
        default: nil
        }
    }

    /// The digits of a number or a text, with a leading plus.
    var digits: String? {
        guard let text = plainText else { return nil }
        let digits = text.filter { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return nil }
        return text.drop { $0.isWhitespace }.hasPrefix("+") ? "+" + digits : digits
    }
}
