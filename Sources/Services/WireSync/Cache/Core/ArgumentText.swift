import WireConfig
import WireGraphQL

/// Writes the arguments of a field in canonical form.
enum ArgumentText {
    /// The key of a field: `tasks`, or `tasks({"done":true})` with the arguments by name.
    static func key(_ name: String, _ arguments: [(key: String, value: JSONValue)]) -> String {
        arguments.isEmpty ? name : "\(name)(\(canonical(.object(arguments)).text()))"
    }

    /// A value with the members of objects by name, at any depth.
    static func canonical(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let items): .array(items.map(canonical))
        case .object(let members):
            .object(members.map { ($0.key, canonical($0.value)) }.sorted { $0.key < $1.key })
        default: value
        }
    }

    /// A value of a document as JSON; nil for a variable that was not given.
    static func json(_ value: Syntax.Value, variables: [String: JSONValue]) -> JSONValue? {
        switch value.kind {
        case .variable(let name): variables[name]
        case .int(let text): Int(text).map(JSONValue.integer) ?? Double(text).map(JSONValue.number) ?? .string(text)
        case .float(let text): Double(text).map(JSONValue.number) ?? .string(text)
        case .string(let text), .enumeration(let text): .string(text)
        case .boolean(let value): .boolean(value)
        case .null: .null
        case .list(let items): .array(items.map { json($0, variables: variables) ?? .null })
        case .object(let fields):
            .object(
                fields.compactMap { field in
                    json(field.value, variables: variables).map { (field.name.text, $0) }
                }
            )
        }
    }
}
