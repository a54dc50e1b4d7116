import WireBase
import WireConfig

/// Reads and writes the five standard scalars; other scalars accept any JSON value.
enum Scalars {
    /// The value of a variable, or nil.
    static func input(_ value: JSONValue, as scalar: String) -> JSONValue? {
        switch scalar {
        case "Int": value.wholeNumber.flatMap(int)
        case "Float": value.double.flatMap(finite)
        case "String": value.string.map(JSONValue.string)
        case "Boolean": value.boolean.map(JSONValue.boolean)
        case "ID": (value.string ?? value.wholeNumber.map { String($0) } ?? value.largeNumber).map(JSONValue.string)
        default: value
        }
    }

    /// The value of a document, or nil.
    static func literal(_ value: Syntax.Value, as scalar: String, _ variables: [String: JSONValue]) -> JSONValue? {
        switch (scalar, value.kind) {
        case ("Int", .int(let text)): Int(text).flatMap(int)
        case ("Float", .int(let text)), ("Float", .float(let text)): Double(text).flatMap(finite)
        case ("String", .string(let text)), ("ID", .string(let text)): .string(text)
        case ("ID", .int(let text)): .string(text)
        case ("Boolean", .boolean(let value)): .boolean(value)
        case ("Int", _), ("Float", _), ("String", _), ("Boolean", _), ("ID", _): nil
        default: untyped(value, variables)
        }
    }

    /// A value of an untyped scalar; its depth is limited by the parser.
    private static func untyped(_ value: Syntax.Value, _ variables: [String: JSONValue]) -> JSONValue? {
        switch value.kind {
        case .variable(let name): return variables[name] ?? .null
        // Numbers are written as in JSON.
        case .int(let text), .float(let text):
            return try? JSONValue(parsing: Array(text.utf8), named: "number", exactNumbers: true)
        case .string(let text), .enumeration(let text): return .string(text)
        case .boolean(let value): return .boolean(value)
        case .null: return .null
        case .list(let items):
            let values = items.compactMap { untyped($0, variables) }
            return values.count == items.count ? .array(values) : nil
        case .object(let fields):
            let members = fields.compactMap { field in
                untyped(field.value, variables).map { (key: field.name.text, value: $0) }
            }
            return members.count == fields.count ? .object(members) : nil
        }
    }

    /// The resolved value for the response, or nil.
    static func result(_ value: JSONValue, as scalar: String) -> JSONValue? {
        switch scalar {
        case "Int":
            (value.wholeNumber ?? value.boolean.map { $0 ? 1 : 0 } ?? value.string.flatMap { Int($0) }).flatMap(int)
        case "Float":
            (value.double ?? value.boolean.map { $0 ? 1 : 0 } ?? value.string.flatMap { Double($0) }).flatMap(finite)
        case "String": value.scalarText.map(JSONValue.string)
        case "Boolean": (value.boolean ?? value.double.map { $0 != 0 }).map(JSONValue.boolean)
        case "ID": (value.string ?? value.wholeNumber.map { String($0) }).map(JSONValue.string)
        default: value
        }
    }

    /// `Int` is a 32-bit integer.
    private static func int(_ value: Int) -> JSONValue? { Int32(exactly: value).map { .integer(Int($0)) } }

    private static func finite(_ value: Double) -> JSONValue? { value.isFinite ? .number(value) : nil }
}

extension JSONValue {
    /// The number, if it is one without a fraction.
    var wholeNumber: Int? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The digits of a whole number of more than 64 bits.
    fileprivate var largeNumber: String? {
        guard case .decimal(let text) = self, !text.isEmpty, text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39) ~= $0 })
        else { return nil }
        return text
    }

    /// A value that is neither a list nor an object, as text.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text): text
        case .boolean(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        default: wholeNumber.map { String($0) } ?? text()
        }
    }

    /// The kind of value, for messages.
    var found: String {
        switch self {
        case .null: "null"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        default: String(text().prefix(40))
        }
    }
}

extension Syntax.Value.Kind {
    /// The kind of value, for messages.
    var found: String {
        switch self {
        case .variable(let name): "$\(name)"
        case .int(let text), .float(let text), .enumeration(let text): text
        case .string: "a string"
        case .boolean(let value): value ? "true" : "false"
        case .null: "null"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
