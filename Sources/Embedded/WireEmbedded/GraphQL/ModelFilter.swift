import WireConfig
import WireGraphQL

/// A filter of objects in DataSync's form: `{ done: { eq: false }, or: [{ title: { contains: "a" } }] }`.
struct ModelFilter: Sendable {
    /// The limit of comparisons for one event, since each event is compared with the filters of all subscribers.
    static let eventLimit = 10_000

    private let condition: Condition

    /// Reads a filter; nil matches all objects.
    ///
    /// The input is coerced, so its depth is that of a validated document.
    init?(_ input: JSONValue?, _ work: ResolverWork) throws(ResolverWork.Ended) {
        guard let input, input.members != nil else { return nil }
        condition = .all(try Condition.parts(input, work))
    }

    func fits(_ object: ModelObject, _ work: ResolverWork) throws(ResolverWork.Ended) -> Bool {
        try work.spend()
        return try condition.fits(object, work)
    }
}

private indirect enum Condition: Sendable {
    case all([Condition])
    case any([Condition])
    case not(Condition)
    case compare(field: String, word: String, operand: JSONValue)
    case contained(field: String, ValueSet)

    static func parts(_ input: JSONValue, _ work: ResolverWork) throws(ResolverWork.Ended) -> [Condition] {
        var parts: [Condition] = []
        for (name, operand) in input.members ?? [] {
            try work.spend()
            switch (name, operand) {
            case (_, .null): continue
            case ("and", .array(let inputs)): parts.append(.all(try each(inputs, work)))
            case ("or", .array(let inputs)): if !inputs.isEmpty { parts.append(.any(try each(inputs, work))) }
            case ("not", _): parts.append(.not(.all(try Self.parts(operand, work))))
            default:
                for (word, operand) in operand.members ?? [] {
                    try work.spend()
                    guard word == "in" else {
                        parts.append(.compare(field: name, word: word, operand: operand))
                        continue
                    }
                    guard let values = operand.array else { continue }
                    try work.spend(values.count)
                    parts.append(.contained(field: name, ValueSet(values)))
                }
            }
        }
        return parts
    }

    private static func each(_ inputs: [JSONValue], _ work: ResolverWork) throws(ResolverWork.Ended) -> [Condition] {
        try inputs.map { input throws(ResolverWork.Ended) in .all(try parts(input, work)) }
    }

    func fits(_ object: ModelObject, _ work: ResolverWork) throws(ResolverWork.Ended) -> Bool {
        switch self {
        case .all(let parts):
            for part in parts where try !part.fits(object, work) { return false }
            return true
        case .any(let parts):
            for part in parts where try part.fits(object, work) { return true }
            return false
        case .not(let part): return try !part.fits(object, work)
        case .compare(let field, let word, let operand):
            let value = object[field]
            try work.spend(1 + (value.string?.utf8.count ?? 0) / 64)
            return value.fits(word, operand)
        case .contained(let field, let values):
            try work.spend()
            return values.contains(object[field])
        }
    }
}

/// The values of an `in`, indexed for lookup; equality is that of ``JSONValue/order(beside:)``.
private struct ValueSet: Sendable {
    private var hasNull = false
    private var booleans: Set<Bool> = []
    private var texts: Set<String> = []
    private var integers: Set<Int> = []
    /// The numbers that are not integers; strings are compared with them as well.
    private var others: Set<Double> = []
    private var integerNumbers: Set<Double> = []
    private var textNumbers: Set<Double> = []

    init(_ values: [JSONValue]) {
        for value in values {
            switch value {
            case .null: hasNull = true
            case .boolean(let value): booleans.insert(value)
            case .string(let text):
                texts.insert(text)
                if let number = Double(text) { textNumbers.insert(number) }
            case .integer(let value):
                integers.insert(value)
                integerNumbers.insert(Double(value))
            default: if let number = value.double { others.insert(number) }
            }
        }
    }

    func contains(_ value: JSONValue) -> Bool {
        switch value {
        case .null: hasNull
        case .boolean(let value): booleans.contains(value)
        case .string(let text):
            texts.contains(text)
                || Double(text).map { others.contains($0) || integerNumbers.contains($0) } ?? false
        case .integer(let number):
            integers.contains(number) || others.contains(Double(number)) || textNumbers.contains(Double(number))
        default:
            value.double.map { others.contains($0) || integerNumbers.contains($0) || textNumbers.contains($0) } ?? false
        }
    }
}

extension JSONValue {
    /// Whether a comparison of a filter holds for the value.
    fileprivate func fits(_ word: String, _ operand: JSONValue) -> Bool {
        let order = order(beside: operand)
        switch word {
        case "eq": return order == 0
        case "ne": return order != 0
        case "lt": return order.map { $0 < 0 } ?? false
        case "le": return order.map { $0 <= 0 } ?? false
        case "gt": return order.map { $0 > 0 } ?? false
        case "ge": return order.map { $0 >= 0 } ?? false
        case "between":
            guard let ends = operand.array, ends.count == 2 else { return false }
            return (self.order(beside: ends[0]) ?? -1) >= 0 && (self.order(beside: ends[1]) ?? 1) <= 0
        default:
            guard let text = string, let part = operand.string else { return false }
            switch word {
            case "contains": return part.isEmpty || text.contains(part)
            case "startsWith": return text.hasPrefix(part)
            case "endsWith": return text.hasSuffix(part)
            default: return false
            }
        }
    }

    /// Compares two values: below, at or above zero; nil for values of different kinds.
    ///
    /// A number may be a string, as in ids and times.
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
