import WireBase
package import WireConfig

extension Schema {
    /// Reads an introspection response, with or without the outer `data`.
    ///
    /// The response is validated only as far as a complete schema requires: names, kinds and references. Other rules
    /// are up to the server.
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
