/// Moves long patterns that several keys share into definitions, to keep the schema small for editors.
struct PatternSharing {
    private var names: [String: String] = [:]
    /// The definitions in the order of their first use.
    private(set) var definitions: [(key: String, value: JSONValue)] = []

    private static let longest = 80

    /// Returns a schema with references to the definitions.
    mutating func shared(_ schema: JSONValue) -> JSONValue {
        switch schema {
        case .array(let items):
            return .array(items.map { shared($0) })
        case .object(let members):
            let isText = members.count == 2 && members[0].key == "type" && members[1].key == "pattern"
            if isText, let pattern = members[1].value.string, pattern.utf8.count > Self.longest {
                return .members(["$ref": .string("#/definitions/\(name(of: pattern, schema))")])
            }
            return .object(members.map { ($0.key, shared($0.value)) })
        default:
            return schema
        }
    }

    private mutating func name(of pattern: String, _ schema: JSONValue) -> String {
        let key = schema.text()
        if let name = names[key] { return name }
        // Named by a hash of the content, so that a new key changes no other name (FNV-1a).
        let hash = key.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let name = "pattern" + String(hash, radix: 16)
        names[key] = name
        definitions.append((name, schema))
        return name
    }
}
