import FoundationEssentials
import WireConfig

/// A number as it was written, so that money keeps its cents.
struct Amount {
    let decimal: Decimal
    let double: Double

    init?(_ text: String) {
        // What Swift reads as a number is one; `Decimal` alone would take its beginning.
        guard let double = Double(text), double.isFinite, double.magnitude < 1e30,
            text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }),
            let decimal = Decimal(string: text)
        else { return nil }
        (self.decimal, self.double) = (decimal, double)
    }
}

extension JSONValue {
    /// A number, or text that is one: providers of pushes turn numbers into text.
    var amount: Amount? {
        switch self {
        case .integer(let value): Amount("\(value)")
        case .number(let value): Amount("\(value)")
        case .string(let text): Amount(text)
        default: nil
        }
    }

    var quantity: Double? { amount?.double }

    /// What can stand in a list: its items, or the one value itself.
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

    /// The digits of a number or a text, and the plus before them.
    var digits: String? {
        guard let text = plainText else { return nil }
        let digits = text.filter { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return nil }
        return text.drop { $0.isWhitespace }.hasPrefix("+") ? "+" + digits : digits
    }
}
