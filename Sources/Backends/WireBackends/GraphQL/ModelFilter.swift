import WireConfig
import WireGraphQL

/// Whether objects fit a filter in DataSync's form: `{ done: { eq: false }, or: [{ title: { contains: "a" } }] }`.
struct ModelFilter: Sendable {
    /// The coerced input, so its depth is that of a document that was taken.
    private let condition: JSONValue

    /// Nil fits all objects.
    init?(_ condition: JSONValue?) {
        guard let condition, condition.members != nil else { return nil }
        self.condition = condition
    }

    func fits(_ object: ModelObject) -> Bool { Self.fits(object.json, condition) }

    private static func fits(_ values: JSONValue, _ condition: JSONValue) -> Bool {
        (condition.members ?? []).allSatisfy { name, operand in
            switch (name, operand) {
            case (_, .null): true
            case ("and", .array(let parts)): parts.allSatisfy { fits(values, $0) }
            case ("or", .array(let parts)): parts.isEmpty || parts.contains { fits(values, $0) }
            case ("not", _): !fits(values, operand)
            default:
                (operand.members ?? []).allSatisfy { fits(values[name] ?? .null, $0.key, $0.value) }
            }
        }
    }

    private static func fits(_ value: JSONValue, _ word: String, _ operand: JSONValue) -> Bool {
        let order = value.order(beside: operand)
        switch word {
        case "eq": return order == 0
        case "ne": return order != 0
        case "lt": return order.map { $0 < 0 } ?? false
        case "le": return order.map { $0 <= 0 } ?? false
        case "gt": return order.map { $0 > 0 } ?? false
        case "ge": return order.map { $0 >= 0 } ?? false
        case "in": return operand.array?.contains { value.order(beside: $0) == 0 } ?? true
        case "between":
            guard let ends = operand.array, ends.count == 2 else { return false }
            return (value.order(beside: ends[0]) ?? -1) >= 0 && (value.order(beside: ends[1]) ?? 1) <= 0
        default:
            guard let text = value.string, let part = operand.string else { return false }
            switch word {
            case "contains": return part.isEmpty || text.contains(part)
            case "startsWith": return text.hasPrefix(part)
            case "endsWith": return text.hasSuffix(part)
            default: return false
            }
        }
    }
}

extension JSONValue {
    /// How the value is ordered beside another one: below, at or above zero; nil for values of different kinds.
    ///
    /// A number may be written as text, as ids and moments are.
    func order(beside other: JSONValue) -> Int? {
        switch (self, other) {
        case (.null, .null): return 0
        case (.boolean(let left), .boolean(let right)): return left == right ? 0 : left ? 1 : -1
        case (.string(let left), .string(let right)): return left == right ? 0 : left < right ? -1 : 1
        case (.integer(let left), .integer(let right)): return left == right ? 0 : left < right ? -1 : 1
        default:
            guard let left = self.numberOrText, let right = other.numberOrText else { return nil }
            return left == right ? 0 : left < right ? -1 : 1
        }
    }

    private var numberOrText: Double? { double ?? string.flatMap { Double($0) } }
}
