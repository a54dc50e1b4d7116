import WireConfig
import WireHTTP

/// The stored form of a caller's token rights.
extension TokenRights {
    var keptModes: StoredNames? { modes.map(StoredNames.init) }
    var keptScopes: StoredNames? { scopes.map(StoredNames.init) }
}

/// The stored names of modes or scopes; a damaged list is read as empty, so that damage gives no token.
struct StoredNames: JSONCodable {
    let names: [String]

    static var schema: JSONSchema { .array(of: .text) }
    static var placeholder: StoredNames { StoredNames(names: []) }
    var jsonValue: JSONValue? { .array(names.map(JSONValue.string)) }

    static func read(_ node: NodeID, in text: JSONDocument) -> StoredNames {
        let list = try? JSONValue.read(node, in: text)
        return StoredNames(names: list?.array?.compactMap(\.string) ?? [])
    }

    func write(to writer: inout JSONWriter) { writer.write(jsonValue ?? .null) }
}
