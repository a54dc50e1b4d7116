import WireBase
package import WireConfig

extension Schema {
    /// Reads the answer to an introspection query, with or without the outer `data`.
    ///
    /// What a server sends is judged only as far as a complete schema needs it: names, kinds and references. Other
    /// rules of the specification are the server's concern.
    package init(introspection json: JSONValue) throws(Finding) {
        var reader = IntrospectionReader()
        var rules = SchemaRules(TypeSystem([try reader.document(of: json)]))
        _ = rules.checkReferences()
        if let first = rules.findings.all.first {
            throw IntrospectionReader.failure(first.message, help: first.help)
        }
        self.init(rules.system, keepsPlaces: false)
    }
}
