import WireBase
package import WireConfig

/// Coerces input values to their types: variables, arguments and default values (GraphQL specification, sections 3 and
/// 6).
package struct InputCoercion {
    /// A mismatch with its path in the value.
    package struct Problem: Sendable {
        package let path: [PathStep]
        package let message: String
    }

    private let schema: Schema
    /// The coerced variables of the operation.
    private let variables: [String: JSONValue]
    package private(set) var problems: [Problem] = []
    /// The number of problems; not all are stored.
    private var failures = 0
    private var path: [PathStep] = []
    /// The remaining number of values to process: default values of a schema can contain each other.
    private var remaining = 200_000

    private static let depth = 100
    private static let problemLimit = 50

    package init(_ schema: Schema, variables: [String: JSONValue] = [:]) {
        self.schema = schema
        self.variables = variables
    }

    /// The coerced value; nil for a mismatch, which is recorded as a problem.
    package mutating func coerce(_ value: JSONValue, as type: Schema.TypeReference) -> JSONValue? {
        coerce(.json(value), as: type)
    }

    /// Coerces a value of a document.
    package mutating func coerce(_ value: Syntax.Value, as type: Schema.TypeReference) -> JSONValue? {
        coerce(.literal(value), as: type)
    }

    /// The coerced arguments with default values; nil where one does not match.
    package mutating func arguments(_ given: [Syntax.Argument], of definitions: [Schema.InputValue]) -> JSONValue? {
        guard !definitions.isEmpty else { return .object([]) }
        let given = Dictionary(given.map { ($0.name.text, Term.literal($0.value)) }) { first, _ in first }
        return fields(definitions) { given[$0] }
    }

    // MARK: Types

    private mutating func coerce(_ term: Term, as type: Schema.TypeReference) -> JSONValue? {
        remaining -= 1
        guard remaining > 0, path.count < Self.depth else { return fail("the value is too large or too deep") }
        if let name = term.variable {
            let value = variables[name] ?? .null
            guard case .null = value, type.isNonNull else { return value }
            return fail("expected '\(type)', found null in the variable '$\(name)'")
        }
        switch type {
        case .nonNull(let inner):
            return term.isNull ? fail("expected '\(type)', found null") : coerce(term, as: inner)
        case _ where term.isNull: return .null
        case .list(let inner):
            guard let items = term.items else { return coerce(term, as: inner).map { .array([$0]) } }
            return list(items, of: inner)
        case .named(let name): return named(term, name)
        }
    }

    private mutating func list(_ items: [Term], of type: Schema.TypeReference) -> JSONValue? {
        var coerced: [JSONValue] = []
        coerced.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            if let value = at(.index(index), { $0.coerce(item, as: type) }) { coerced.append(value) }
        }
        return coerced.count == items.count ? .array(coerced) : nil
    }

    private mutating func named(_ term: Term, _ name: String) -> JSONValue? {
        guard let type = schema.type(name) else { return fail("unknown type '\(name)'") }
        switch type.kind {
        case .inputObject: return object(term, type)
        case .enumeration:
            guard let word = term.enumeration else { return fail("expected a value of '\(name)', found \(term.found)") }
            guard type.value(word) != nil else {
                let near = hint(word, type.values.lazy.map(\.name))
                return fail("unknown value '\(word)' of '\(name)'" + near)
            }
            return .string(word)
        case .scalar:
            let value =
                switch term {
                case .json(let value): Scalars.input(value, as: name)
                case .literal(let value): Scalars.literal(value, as: name, variables)
                }
            return value ?? fail("expected '\(name)', found \(term.found)")
        default: return fail("the type '\(name)' is not an input type")
        }
    }

    private mutating func object(_ term: Term, _ type: Schema.NamedType) -> JSONValue? {
        guard let members = term.members else { return fail("expected '\(type.name)', found \(term.found)") }
        let given = Dictionary(members) { _, last in last }
        let before = failures
        for (name, _) in members where type.inputField(name) == nil {
            let near = hint(name, type.inputFields.lazy.map(\.name))
            fail("unknown field '\(name)' of '\(type.name)'" + near)
        }
        let coerced = fields(type.inputFields) { given[$0] }
        guard failures == before, let coerced else { return nil }
        guard type.isOneOf else { return coerced }
        guard members.count == 1, coerced.members?.count == 1, case .some(let only) = coerced.members?.first else {
            return fail("expected exactly one field of '\(type.name)', found \(members.count)")
        }
        guard case .null = only.value else { return coerced }
        return fail("the field '\(only.key)' of '\(type.name)' cannot be null")
    }

    private mutating func fields(_ definitions: [Schema.InputValue], _ given: (String) -> Term?) -> JSONValue? {
        var coerced: [(key: String, value: JSONValue)] = []
        let before = failures
        for definition in definitions {
            var term = given(definition.name)
            if let name = term?.variable, variables[name] == nil { term = nil }
            guard let term = term ?? definition.defaultValue.map(Term.literal) else {
                if definition.type.isNonNull {
                    at(.name(definition.name)) { $0.fail("missing value of type '\(definition.type)'") }
                }
                continue
            }
            let value = at(.name(definition.name)) { $0.coerce(term, as: definition.type) }
            if let value { coerced.append((definition.name, value)) }
        }
        return failures == before ? .object(coerced) : nil
    }

    // MARK: Problems

    @discardableResult
    private mutating func at<Value>(_ step: PathStep, _ body: (inout Self) -> Value) -> Value {
        path.append(step)
        defer { path.removeLast() }
        return body(&self)
    }

    @discardableResult
    private mutating func fail(_ message: String) -> JSONValue? {
        failures += 1
        if problems.count < Self.problemLimit { problems.append(Problem(path: path, message: message)) }
        return nil
    }

    /// The nearest name, computed only for stored problems.
    private func hint(_ name: String, _ names: some Sequence<String>) -> String {
        guard problems.count < Self.problemLimit else { return "" }
        return Nearest.name(to: name, among: names).map { ", did you mean '\($0)'?" } ?? ""
    }
}

extension InputCoercion {
    /// A value of a request or of a document.
    private enum Term {
        case json(JSONValue)
        case literal(Syntax.Value)

        var variable: String? {
            if case .literal(let value) = self, case .variable(let name) = value.kind { name } else { nil }
        }

        var isNull: Bool {
            switch self {
            case .json(let value): if case .null = value { true } else { false }
            case .literal(let value): if case .null = value.kind { true } else { false }
            }
        }

        var items: [Term]? {
            switch self {
            case .json(let value): value.array?.map(Term.json)
            case .literal(let value): if case .list(let items) = value.kind { items.map(Term.literal) } else { nil }
            }
        }

        var members: [(String, Term)]? {
            switch self {
            case .json(let value): value.members?.map { ($0.key, .json($0.value)) }
            case .literal(let value):
                if case .object(let fields) = value.kind {
                    fields.map { ($0.name.text, .literal($0.value)) }
                } else {
                    nil
                }
            }
        }

        /// The word for an enum value: a text in JSON, a bare word in a document.
        var enumeration: String? {
            switch self {
            case .json(let value): value.string
            case .literal(let value): if case .enumeration(let word) = value.kind { word } else { nil }
            }
        }

        /// The value in messages: numbers and words as they are, others by their kind.
        var found: String {
            switch self {
            case .json(let value): value.found
            case .literal(let value): value.kind.found
            }
        }
    }
}
