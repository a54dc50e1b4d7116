import WireBase

/// The operations of all `.graphql` files of an app, by name.
package struct DeclaredOperations: Sendable {
    /// The definitions of all files, which may use each other's fragments.
    package let document: Syntax.Document
    /// The operations by name; for a duplicate name, the first one.
    package let operations: [String: DeclaredOperation]
    /// The names in the order of the files and their texts.
    package let names: [String]
    /// The operations without a name, which cannot be run.
    private let nameless: [Syntax.Operation]

    package init(_ documents: [Syntax.Document]) {
        document = Syntax.Document(documents.flatMap(\.definitions))
        let graph = FragmentGraph(document)
        var (operations, names): ([String: DeclaredOperation], [String]) = ([:], [])
        for operation in document.operations {
            guard let name = operation.name?.text, operations[name] == nil else { continue }
            operations[name] = DeclaredOperation(operation, name, graph)
            names.append(name)
        }
        (self.operations, self.names) = (operations, names)
        nameless = document.operations.filter { $0.name == nil }
    }

    package subscript(name: String) -> DeclaredOperation? { operations[name] }

    /// The problems of the files, in text order; those that need a schema only where there is one.
    package func findings(against schema: Schema?, limits: ValidationLimits = .file) -> [Finding] {
        let missing = nameless.map { operation in
            Finding(
                .operationName,
                "an operation in a file needs a name",
                at: operation.heading,
                help: "write '\(operation.kind) Name { … }'"
            )
        }
        let findings =
            schema.map { Validator.findings(in: document, against: $0, limits: limits) }
            ?? Validator.findings(in: document, limits: limits)
        return (missing + findings.filter { $0.rule != .loneAnonymousOperation }).sorted(along: document)
    }
}

/// An operation declared in a file of an app.
package struct DeclaredOperation: Sendable {
    package let name: String
    package let operation: Syntax.Operation
    /// The fragments that the operation uses, in the order of the files.
    package let fragments: [Syntax.Fragment]
    /// The text to send: the operation and its fragments without spaces, comments and descriptions.
    package let text: String

    package var kind: OperationKind { operation.kind }
    package var variables: [Syntax.Variable] { operation.variables }

    init(_ operation: Syntax.Operation, _ name: String, _ graph: FragmentGraph) {
        self.name = name
        self.operation = operation
        fragments = graph.fragments(of: operation)
        text = DocumentPrinter.text([.operation(operation)] + fragments.map { .fragment($0) }, .compact)
    }

    /// The document to send.
    package var document: Syntax.Document {
        Syntax.Document([.operation(operation)] + fragments.map { .fragment($0) })
    }

    /// The fields that the operation reads, by the type that they are selected on, sorted.
    package func reads(in schema: Schema) -> [(type: String, fields: [String])] {
        var fields: [String: Set<String>] = [:]
        var waiting = fragments.map { (set: $0.selections, type: $0.typeCondition.text) }
        if let root = schema.root(of: kind) { waiting.append((operation.selections, root)) }
        var index = SchemaIndex(schema)
        while let (set, name) = waiting.popLast() {
            guard let type = schema.type(name) else { continue }
            for selection in set.selections {
                switch selection {
                case .spread: continue
                case .inline(let fragment): waiting.append((fragment.selections, fragment.typeCondition?.text ?? name))
                case .field(let field):
                    guard let definition = index.field(field.name.text, of: type) else { continue }
                    fields[name, default: []].insert(field.name.text)
                    if let inner = field.selections { waiting.append((inner, definition.type.name)) }
                }
            }
        }
        return fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
    }
}
