import WireConfig
import WireHTTP

/// Which tokens the caller may have, as it is written down with the work that was asked for.
extension TokenRights {
    var modesJSON: JSONValue? { modes.map { .array($0.map(JSONValue.string)) } }
    var scopesJSON: JSONValue? { scopes.map { .array($0.map(JSONValue.string)) } }

    /// A list that cannot be read allows nothing, so that no damage gives a token.
    init(keptIn json: JSONValue) {
        self.init(
            modes: json["tokenModes"].map { $0.array?.compactMap(\.string) ?? [] },
            scopes: json["tokenScopes"].map { $0.array?.compactMap(\.string) ?? [] }
        )
    }
}
