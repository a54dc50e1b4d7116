import WireBase
package import WireGraphQL

/// The schema of the server: that of a file, with the queries, mutations and subscriptions of its models.
package struct ModelSchema: Sendable {
    package let schema: Schema
    package let models: [String: Model]
    /// The meaning of the fields of the root types, by `Type.field`.
    package let roots: [String: RootField]

    /// Builds the schema; it is nil where the document has errors.
    package static func build(_ document: Syntax.Document) -> (schema: ModelSchema?, findings: [Finding]) {
        let reading = ModelReading(document)
        guard !reading.models.isEmpty || !reading.findings.isEmpty else {
            let (schema, findings) = SchemaBuilder.build([document])
            return (findings.isEmpty ? schema.map { Self(schema: $0, models: [:], roots: [:]) } : nil, findings)
        }
        guard reading.findings.isEmpty else { return (nil, reading.findings) }
        let own = Syntax.Document(
            document.definitions.filter {
                if case .type(let type) = $0 { !ModelReading.isModel(type) } else { true }
            }
        )
        let roots = RootNames(document)
        let source = SourceFile(
            name: "the schema of the models",
            bytes: Array(ModelPrinter(reading.models, roots, own).text.utf8),
            isFile: false
        )
        let place = reading.models.first?.definition.name.place
        do throws(Finding) {
            let (schema, findings) = SchemaBuilder.build([own, try Parser.document(source)])
            let told = findings.map { $0.moved(from: source, to: place) }
            guard let schema, told.isEmpty else { return (nil, told) }
            let models = Dictionary(reading.models.map { ($0.name, $0) }) { first, _ in first }
            return (Self(schema: schema, models: models, roots: RootField.all(of: reading.models, roots)), [])
        } catch {
            return (nil, [error.moved(from: source, to: place)])
        }
    }
}

/// The meaning of a field of a root type.
package enum RootField: Sendable {
    case find(String), get(String), sync(String)
    case create(String), update(String), delete(String)
    case events(ModelChange, String)

    package static func all(of models: [Model], _ roots: RootNames) -> [String: RootField] {
        var all: [String: RootField] = [:]
        for model in models {
            let name = model.name
            all["\(roots.query).find\(model.plural)"] = .find(name)
            all["\(roots.query).get\(name)"] = .get(name)
            if model.sync != nil { all["\(roots.query).sync\(model.plural)"] = .sync(name) }
            all["\(roots.mutation).create\(name)"] = .create(name)
            all["\(roots.mutation).update\(name)"] = .update(name)
            all["\(roots.mutation).delete\(name)"] = .delete(name)
            for kind in ModelChange.allCases {
                all["\(roots.subscription).\(kind.rawValue)\(name)"] = .events(kind, name)
            }
        }
        return all
    }
}

/// The names of the root types, from the document or by default.
package struct RootNames: Sendable {
    package private(set) var query = "Query"
    package private(set) var mutation = "Mutation"
    package private(set) var subscription = "Subscription"
    /// The operation kinds that the document's schema definition leaves out.
    package private(set) var missing: [OperationKind] = []

    package init(_ document: Syntax.Document) {
        var named: [OperationKind: String] = [:]
        var isDefined = false
        for case .schema(let schema) in document.definitions {
            isDefined = true
            for root in schema.roots { named[root.kind] = root.type.text }
        }
        query = named[.query] ?? query
        mutation = named[.mutation] ?? mutation
        subscription = named[.subscription] ?? subscription
        if isDefined { missing = OperationKind.allCases.filter { named[$0] == nil } }
    }

    package subscript(kind: OperationKind) -> String {
        switch kind {
        case .query: query
        case .mutation: mutation
        case .subscription: subscription
        }
    }
}

extension Finding {
    /// The finding at the place of the document from which the text was generated.
    fileprivate func moved(from source: SourceFile, to place: SourceRange?) -> Finding {
        guard self.place?.file === source else { return self }
        let moved = Finding(rule, message, at: place, help: help)
        return related.filter { $0.place.file !== source }.reduce(moved) { $0.related($1.place, $1.text) }
    }
}
