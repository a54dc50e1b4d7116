import WireBase
import WireConfig
import WireHTTP

extension ContentFilter {
    /// Reads a node of the tree as a body has it: `{condition, operands}` or `{operation, property, value, type}`.
    init(_ members: inout JSONMembers, depth: Int = 1) throws(Problem) {
        guard let condition = try members.word("condition", as: Condition.self) else {
            self = .test(try Test(&members))
            return
        }
        guard depth < Limits.depth else {
            throw members.failure("found groups more than \(Limits.depth) deep", "condition")
        }
        let operands = try members.objects("operands") { operand throws(Problem) in
            try ContentFilter(&operand, depth: depth + 1)
        }
        guard let operands, !operands.isEmpty else {
            throw members.failure("expected one filter at least", "operands")
        }
        guard operands.reduce(0, { $0 + $1.extent.tests }) <= Limits.tests else {
            throw members.failure("found more than \(Limits.tests) tests", "operands")
        }
        self = condition == .and ? .all(operands) : .any(operands)
    }

    private enum Condition: String, CaseIterable { case and, or }
}

extension ContentFilter.Test {
    fileprivate enum Kind: String, CaseIterable { case string, number, null }

    fileprivate init(_ members: inout JSONMembers) throws(Problem) {
        let property = try members.text("property")
        guard let operation = try members.word("operation", as: ContentFilter.Operation.self) else {
            throw members.failure("'operation' is missing", "operation")
        }
        let given = try members.value("value")
        let kind = try members.word("type", as: Kind.self)
        guard let operand = ContentFilter.Operand(given ?? .null, reading: kind?.rawValue) else {
            throw members.failure(
                "expected \(kind.map { "a \($0.rawValue)" } ?? "a value, or a list of values")",
                "value"
            )
        }
        guard given != nil || kind == .null else { throw members.failure("'value' is missing", "value") }
        do throws(ContentFilter.Misfit) {
            try self.init(property, operation, operand)
        } catch {
            throw members.failure(error.reason, "value")
        }
    }
}

extension ContentFilter.Operand {
    /// Nil for what is no value, or of another type than is said; a boolean is a string to the server.
    fileprivate init?(_ value: JSONValue, reading type: String?) {
        if let items = value.array {
            let scalars = items.compactMap(ContentFilter.Scalar.init)
            guard scalars.count == items.count, type.map({ type in scalars.allSatisfy { $0.type == type } }) ?? true
            else { return nil }
            self = .several(scalars)
        } else {
            guard let scalar = ContentFilter.Scalar(value), type.map({ $0 == scalar.type }) ?? true else { return nil }
            self = .one(scalar)
        }
    }
}

extension ContentFilter.Scalar {
    /// Nil for what holds other values.
    init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .decimal(let text):
            guard let value = Double(text) else { return nil }
            self = .number(value)
        case .string(let value): self = .text(value)
        case .array, .object: return nil
        }
    }
}
