import WireConfig
import WireHTTP

/// Which tokens the caller may have, as it is written down with the work that was asked for.
extension TokenRights {
    var keptModes: KeptNames? { modes.map(KeptNames.init) }
    var keptScopes: KeptNames? { scopes.map(KeptNames.init) }
}

/// Names of modes or scopes as they are kept: a list that cannot be read is empty, so that no damage gives a token.
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
