import WireBase

/// The definitions of SDL documents by name, each with its extensions merged in.
///
/// Names are unique: a second definition of a name is reported and omitted.
struct TypeSystem {
    private(set) var types: [String: Syntax.TypeDefinition] = [:]
    private(set) var typeNames: [String] = []
    private(set) var directives: [String: Syntax.DirectiveDefinition] = [:]
    private(set) var directiveNames: [String] = []
    private(set) var description: Syntax.Description?
    private(set) var schemaDirectives: [Syntax.Directive] = []
    private(set) var roots: [Syntax.SchemaDefinition.Root] = []
    /// The start of the schema definition, else of the first document.
    private(set) var place: SourceRange?
    private var schemaDefinition: Syntax.SchemaDefinition?
    var findings = FindingList()

    init(_ documents: [Syntax.Document]) {
        place = documents.lazy.flatMap(\.definitions).first?.place.beginning
        for document in documents { document.definitions.forEach { define($0) } }
        addBuiltInDirectives()
        for document in documents { document.definitions.forEach { extend(with: $0) } }
        addDefaultRoots()
        removeDuplicates()
    }

    /// The kind of a type: one of the documents, a built-in scalar, or a type of introspection.
    func kind(of name: String) -> TypeKind? {
        types[name]?.kind ?? (Schema.builtInScalars.contains(name) ? .scalar : nil)
            ?? Schema.introspectionTypes[name]?.kind
    }

    // MARK: Definitions

    private mutating func define(_ definition: Syntax.Definition) {
        switch definition {
        case .operation(let operation):
            foundExecutable(operation.kind.rawValue, operation.name?.place ?? operation.place.beginning)
        case .fragment(let fragment): foundExecutable("fragment", fragment.name.place)
        case .schema(let schema): if !schema.isExtension { define(schema) }
        case .type(let type): if !type.isExtension { define(type) }
        case .directive(let directive): define(directive)
        }
    }

    private mutating func foundExecutable(_ kind: String, _ place: SourceRange) {
        findings.add(
            Finding(
                .executableDefinitions,
                "a schema cannot contain a \(kind)",
                at: place,
                help: "put operations and fragments into separate files"
            )
        )
    }

    private mutating func define(_ schema: Syntax.SchemaDefinition) {
        if let first = schemaDefinition {
            findings.add(
                Finding(.loneSchemaDefinition, "duplicate schema definition", at: schema.place.beginning)
                    .related(first.place.beginning, "defined first here")
            )
            return
        }
        schemaDefinition = schema
        place = schema.place.beginning
        description = schema.description
        schemaDirectives = schema.directives
        add(schema.roots)
    }

    private mutating func add(_ added: [Syntax.SchemaDefinition.Root]) {
        for root in added {
            guard let first = roots.first(where: { $0.kind == root.kind }) else {
                roots.append(root)
                continue
            }
            let message = "duplicate type for the operation '\(root.kind.rawValue)'"
            findings.add(
                Finding(.uniqueOperationTypes, message, at: root.place).related(first.place, "defined first here")
            )
        }
    }

    private mutating func define(_ type: Syntax.TypeDefinition) {
        let name = type.name
        if Schema.builtInScalars.contains(name.text) {
            let message = "'\(name.text)' is a built-in scalar and cannot be defined"
            findings.add(Finding(.uniqueTypeNames, message, at: name.place, help: "remove the definition"))
        } else if let first = types[name.text] {
            let message = "duplicate definition of the type '\(name.text)'"
            findings.add(
                Finding(.uniqueTypeNames, message, at: name.place, help: "use 'extend' to add to a type")
                    .related(first.name.place, "defined first here")
            )
        } else {
            types[name.text] = type
            typeNames.append(name.text)
        }
    }

    private mutating func define(_ directive: Syntax.DirectiveDefinition) {
        let name = directive.name
        guard let first = directives[name.text] else {
            directives[name.text] = directive
            directiveNames.append(name.text)
            return
        }
        let message = "duplicate definition of the directive '@\(name.text)'"
        findings.add(
            Finding(.uniqueDirectiveNames, message, at: name.place).related(first.name.place, "defined first here")
        )
    }

    /// A document may redefine a built-in directive; its definition takes precedence.
    private mutating func addBuiltInDirectives() {
        let missing = BuiltInDefinitions.directives.filter { directives[$0.name.text] == nil }
        for directive in missing { directives[directive.name.text] = directive }
        directiveNames = missing.map(\.name.text) + directiveNames
    }

    private mutating func addDefaultRoots() {
        guard schemaDefinition == nil else { return }
        for kind in OperationKind.allCases where !roots.contains(where: { $0.kind == kind }) {
            guard let type = types[kind.defaultRoot] else { continue }
            roots.append(Syntax.SchemaDefinition.Root(kind: kind, type: type.name, place: type.name.place))
        }
    }

    // MARK: Extensions

    private mutating func extend(with definition: Syntax.Definition) {
        switch definition {
        case .schema(let schema) where schema.isExtension:
            schemaDirectives += schema.directives
            add(schema.roots)
        case .type(let type) where type.isExtension: extend(with: type)
        default: break
        }
    }

    private mutating func extend(with type: Syntax.TypeDefinition) {
        let name = type.name
        guard let extended = types[name.text] else {
            let finding = unknownExtension(of: name)
            findings.add(finding)
            return
        }
        guard extended.kind == type.kind else {
            findings.add(
                Finding(
                    .possibleTypeExtensions,
                    "'\(name.text)' is extended as '\(type.kind.keyword)', but it is a '\(extended.kind.keyword)'",
                    at: name.place,
                    help: "write 'extend \(extended.kind.keyword) \(name.text)'"
                ).related(extended.name.place, "defined here")
            )
            return
        }
        types[name.text]?.add(type)
    }

    private func unknownExtension(of name: Syntax.Name) -> Finding {
        if kind(of: name.text) != nil {
            return Finding(.possibleTypeExtensions, "the built-in type '\(name.text)' is extended", at: name.place)
        }
        let near = Nearest.name(to: name.text, among: typeNames)
        return Finding(
            .possibleTypeExtensions,
            "the unknown type '\(name.text)' is extended",
            at: name.place,
            help: near.map { "did you mean '\($0)'?" }
        )
    }

    // MARK: Duplicates

    private mutating func removeDuplicates() {
        for name in typeNames {
            guard var type = types.removeValue(forKey: name) else { continue }
            findings.removeDuplicates(from: &type)
            types[name] = type
        }
        for name in directiveNames {
            guard let directive = directives[name] else { continue }
            directives[name] = findings.withoutDuplicates(directive)
        }
    }
}

extension OperationKind {
    /// The default name of the root type.
    var defaultRoot: String {
        switch self {
        case .query: "Query"
        case .mutation: "Mutation"
        case .subscription: "Subscription"
        }
    }
}

extension SourceRange {
    /// The first byte, for a place that would span many lines.
    var beginning: SourceRange {
        SourceRange(file, bytes.lowerBound..<min(bytes.lowerBound + 1, bytes.upperBound))
    }
}

extension Syntax.TypeDefinition {
    fileprivate mutating func add(_ other: Self) {
        directives += other.directives
        interfaces += other.interfaces
        fields += other.fields
        members += other.members
        values += other.values
        inputFields += other.inputFields
    }
}
