import WireConfig
import WireHTTP

/// The stored form of a caller's token rights.
extension TokenRights {
    var keptModes: KeptNames? { modes.map(KeptNames.init) }
    var keptScopes: KeptNames? { scopes.map(KeptNames.init) }
}

/// The stored names of modes or scopes; a damaged list is read as empty, so that damage gives no token.
struct KeptNames: JSONCodable {
    let names: [String]

    static var schema: JSONSchema { .array(of: .text) }
    static var placeholder: KeptNames { KeptNames(names: []) }
    var told: JSONValue? { .array(names.map(JSONValue.string)) }

    static func read(_ node: NodeID, in text: JSONDocument) -> KeptNames {
        let list = try? JSONValue.read(node, in: text)
        return KeptNames(names: list?.array?.compactMap(\.string) ?? [])
    }

    func write(to writer: inout JSONWriter) { writer.write(told ?? .null) }
}
