/// Puts long patterns into definitions: the same few stand at many keys, and a schema is read whenever an editor opens a file.
struct PatternSharing {
    private var names: [String: String] = [:]
    /// What was put there, in the order of its first use.
    private(set) var definitions: [(key: String, value: JSONValue)] = []

    private static let longest = 80

    /// The same with references in place of what is defined.
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
        // Named by what it says, so that a new key elsewhere changes no other name (FNV-1a).
        let hash = key.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let name = "pattern" + String(hash, radix: 16)
        names[key] = name
        definitions.append((name, schema))
        return name
    }
}
