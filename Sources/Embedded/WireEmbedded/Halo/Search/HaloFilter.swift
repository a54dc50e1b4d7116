import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// A condition on instances: `{condition, operands}` around `{operation, property, value, type}`.
indirect enum HaloFilter: Sendable {
    case all([HaloFilter])
    case any([HaloFilter])
    case test(Test)

    struct Test: Sendable {
        let property: String
        let operation: Operation
        let type: Kind
        let value: JSONValue
    }

    enum Operation: String, Sendable, CaseIterable {
        case equal = "="
        case notEqual = "!="
        case greater = ">"
        case less = "<"
        case atLeast = ">="
        case atMost = "<="
        case isIn = "in"
        case isNotIn = "!in"
        case like
    }

    enum Kind: String, Sendable, CaseIterable { case string, number, null }
    private enum Condition: String, CaseIterable { case and, or }

    private static let depth = 16
    private static let breadth = 256

    // MARK: Parsing

    static func read(_ members: inout JSONMembers) throws(Problem) -> HaloFilter { try read(&members, 1) }

    private static func read(_ members: inout JSONMembers, _ level: Int) throws(Problem) -> HaloFilter {
        guard let condition = try members.word("condition", as: Condition.self) else {
            return .test(try Test(&members))
        }
        guard level < depth else { throw members.failure("found groups more than \(depth) deep", "condition") }
        let operands = try members.objects("operands") { operand throws(Problem) in try read(&operand, level + 1) }
        guard let operands, (1...breadth).contains(operands.count) else {
            throw members.failure("expected 1 to \(breadth) operands", "operands")
        }
        return condition == .and ? .all(operands) : .any(operands)
    }

    // MARK: Evaluation

    /// Whether the condition holds for the values of the properties.
    func holds(_ find: (String) -> JSONValue?) -> Bool {
        switch self {
        case .all(let filters): filters.allSatisfy { $0.holds(find) }
        case .any(let filters): filters.contains { $0.holds(find) }
        case .test(let test): test.holds(find(test.property) ?? .null)
        }
    }

    /// The properties in the condition.
    var properties: [String] {
        switch self {
        case .all(let filters), .any(let filters): filters.flatMap(\.properties)
        case .test(let test): [test.property]
        }
    }
}

extension HaloFilter.Test {
    fileprivate init(_ members: inout JSONMembers) throws(Problem) {
        property = try members.text("property")
        guard let operation = try members.word("operation", as: HaloFilter.Operation.self) else {
            throw members.failure("'operation' is missing", "operation")
        }
        self.operation = operation
        value = try members.value("value") ?? .null
        let given = try members.word("type", as: HaloFilter.Kind.self)
        type = given ?? Self.kind(of: value)
        let isList = value.array != nil
        let wantsList = operation == .isIn || operation == .isNotIn
        guard isList == wantsList else {
            throw members.failure(wantsList ? "expected an array" : "expected one value", "value")
        }
        let values = value.array ?? [value]
        guard values.count <= 10_000 else { throw members.failure("expected 10000 values at most", "value") }
        guard values.allSatisfy({ fits($0) }) else { throw members.failure("expected a \(type.rawValue)", "value") }
        if operation == .like, value.asText == nil { throw members.failure("'like' needs a string", "value") }
    }

    private static func kind(of value: JSONValue) -> HaloFilter.Kind {
        switch value.array?.first ?? value {
        case .null: .null
        case .integer, .number: .number
        default: .string
        }
    }

    private func fits(_ value: JSONValue) -> Bool {
        switch (type, value) {
        case (_, .null): true
        case (.string, .string), (.string, .boolean), (.number, .integer), (.number, .number): true
        // Some clients send numbers as strings.
        case (.number, .string(let text)): Double(text) != nil
        default: false
        }
    }

    /// Whether the value of a property matches.
    func holds(_ found: JSONValue) -> Bool {
        let found = found.array ?? [found]
        switch operation {
        case .equal: return found.contains { isSame($0, value) }
        case .notEqual: return !found.contains { isSame($0, value) }
        case .isIn: return found.contains { item in (value.array ?? []).contains { isSame(item, $0) } }
        case .isNotIn: return !found.contains { item in (value.array ?? []).contains { isSame(item, $0) } }
        case .greater: return found.contains { order($0, value).map { $0 > 0 } ?? false }
        case .less: return found.contains { order($0, value).map { $0 < 0 } ?? false }
        case .atLeast: return found.contains { order($0, value).map { $0 >= 0 } ?? false }
        case .atMost: return found.contains { order($0, value).map { $0 <= 0 } ?? false }
        case .like:
            let wanted = value.asText ?? ""
            return found.contains { $0.asText.map { TextSearch.contains($0, wanted) } ?? false }
        }
    }

    private func isSame(_ found: JSONValue, _ wanted: JSONValue) -> Bool {
        if type == .null { return found.isNull }
        if wanted.isNull { return found.isNull }
        return order(found, wanted) == 0
    }

    /// Compares two values: below zero, zero or above; nil where they cannot be compared.
    private func order(_ found: JSONValue, _ wanted: JSONValue) -> Int? {
        switch type {
        case .null: return nil
        case .number:
            guard let left = found.asNumber, let right = wanted.asNumber else { return nil }
            return left < right ? -1 : left > right ? 1 : 0
        case .string:
            guard let left = found.asText, let right = wanted.asText else { return nil }
            return left < right ? -1 : left > right ? 1 : 0
        }
    }
}

extension JSONValue {
    var isNull: Bool { if case .null = self { true } else { false } }

    /// The value as a string; the server converts booleans as well.
    var asText: String? {
        switch self {
        case .string(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        default: nil
        }
    }

    var asNumber: Double? {
        double ?? string.flatMap { Double($0) }
    }
}
