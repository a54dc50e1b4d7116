import WireBase
import WireConfig
package import WireHTTP

/// A node of a filter tree: `{condition, operands}` or `{operation, property, value, type}`.
extension ContentFilter: JSONRecord {
    package static let form = JSONForm<Self>("ContentFilter", "A test of a field, or tests joined by 'and' or 'or'.")
    /// Not described further in the API: a node is one of two objects.
    package static var schema: JSONSchema { .anything }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let condition = try members.optional("condition", \.condition, "The operator that joins the operands.")
        let operands = try members.optional("operands", \.operands, "The operands.", .schema(.anything))
        let operation = try members.optional("operation", \.test?.operation, "The comparison.")
        let property = try members.optional("property", \.test?.property, "The field.")
        let value = try members.present("value", \.test?.operand.json, "The value to compare with.")
        let type = try members.optional("type", \.test?.operand.type, "The type of the value.")
        guard !members.isDescribing else {
            self = .all([])
            return
        }
        guard let condition else {
            guard operands == nil else { throw members.mismatch("'condition' is missing", "operands") }
            self = .test(try Test(property, operation, value, type, members))
            return
        }
        guard operation == nil, property == nil, value == nil, type == nil else {
            throw members.mismatch("a test has no 'condition'", "condition")
        }
        guard let operands, !operands.isEmpty else {
            throw members.mismatch("expected one filter at least", "operands")
        }
        self = condition == .and ? .all(operands) : .any(operands)
        guard extent.depth <= Limits.depth else {
            throw members.mismatch("found groups more than \(Limits.depth) deep", "condition")
        }
        guard extent.tests <= Limits.tests else {
            throw members.mismatch("found more than \(Limits.tests) tests", "operands")
        }
    }

    /// The operator of a group.
    private enum Condition: String, JSONWord, PlainCodable { case and, or }

    private var condition: Condition? {
        switch self {
        case .all: .and
        case .any: .or
        case .test: nil
        }
    }

    private var operands: [ContentFilter]? {
        switch self {
        case .all(let filters), .any(let filters): filters
        case .test: nil
        }
    }

    private var test: Test? { if case .test(let test) = self { test } else { nil } }
}

extension ContentFilter.Test {
    fileprivate init(
        _ property: String?,
        _ operation: ContentFilter.Operation?,
        _ value: JSONValue?,
        _ type: ContentFilter.ScalarType?,
        _ members: Members<ContentFilter>
    ) throws(JSONMismatch) {
        guard let property else { throw members.mismatch("'property' is missing", "property") }
        guard let operation else { throw members.mismatch("'operation' is missing", "operation") }
        guard let operand = ContentFilter.Operand(value ?? .null, of: type) else {
            throw members.mismatch(
                "expected \(type.map { "a \($0.rawValue)" } ?? "a value, or a list of values")",
                "value"
            )
        }
        guard value != nil || type == .null else { throw members.mismatch("'value' is missing", "value") }
        do throws(Fault) {
            try self.init(property, operation, operand)
        } catch {
            throw members.mismatch(error.reason, "value")
        }
    }
}

extension ContentFilter.Operand {
    /// Fails for a value of another type than declared; the server treats a Boolean as a string.
    fileprivate init?(_ value: JSONValue, of type: ContentFilter.ScalarType?) {
        let scalars = (value.array ?? [value]).compactMap(ContentFilter.Scalar.init)
        guard scalars.count == value.array?.count ?? 1,
            type.map({ type in scalars.allSatisfy { $0.type == type } }) ?? true
        else { return nil }
        self = value.array == nil ? .one(scalars[0]) : .several(scalars)
    }

    fileprivate var json: JSONValue {
        switch self {
        case .one(let scalar): scalar.json
        case .several(let scalars): .array(scalars.map(\.json))
        }
    }

    fileprivate var type: ContentFilter.ScalarType {
        switch self {
        case .one(let scalar): scalar.type
        case .several(let scalars): scalars.first?.type ?? .string
        }
    }
}

extension ContentFilter.Scalar {
    /// Fails for nested values.
    fileprivate init?(_ value: JSONValue) {
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
