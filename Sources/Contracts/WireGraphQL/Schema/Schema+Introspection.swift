import WireBase
package import WireConfig

extension Schema {
    /// Reads the answer to an introspection query, with or without the outer `data`.
    ///
    /// What a server sends is judged only as far as a complete schema needs it: names, kinds and references. It may break
    /// other rules of the specification, since that harms the server alone.
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
