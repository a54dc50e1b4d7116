import WireBase

/// Builds a schema from SDL documents and validates it (GraphQL specification, section 3).
package enum SchemaBuilder {
    /// Builds one schema from several documents.
    ///
    /// Findings are in text order, at most 1,000. There is no schema where a name is undefined or has the wrong kind;
    /// with other findings there is one, for validating operations.
    package static func build(_ documents: [Syntax.Document]) -> (schema: Schema?, findings: [Finding]) {
        var rules = SchemaRules(TypeSystem(documents))
        let isComplete = rules.checkReferences()
        rules.checkTypes()
        rules.checkInterfaces()
        rules.checkDirectives()
        rules.checkCycles()
        let findings = rules.findings.sorted(by: documents)
        return (isComplete ? Schema(rules.system) : nil, findings)
    }
}

extension Schema {
    /// A schema of definitions whose references were checked.
    init(_ system: TypeSystem, keepsPlaces: Bool = true) {
        func root(_ kind: OperationKind) -> String? { system.roots.first { $0.kind == kind }?.type.text }
        self.init(
            types: Self.scalars
                + system.typeNames.compactMap { system.types[$0] }.map {
                    NamedType($0, keepsPlaces: keepsPlaces)
                },
            directives: system.directiveNames.compactMap { system.directives[$0] }.map {
                DirectiveType($0, keepsPlaces: keepsPlaces)
            },
            description: system.description?.text,
            query: root(.query),
            mutation: root(.mutation),
            subscription: root(.subscription)
        )
    }
}
