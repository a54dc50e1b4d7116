import WireBase
import WireGraphQL

/// Finds the models of an SDL document, with their keys and relations.
struct ModelReading {
    private(set) var models: [Model] = []
    private(set) var findings: [Finding] = []
    private let names: Set<String>
    private let leaves: Set<String>

    init(_ document: Syntax.Document) {
        let types = document.definitions.compactMap { definition -> Syntax.TypeDefinition? in
            if case .type(let type) = definition { type } else { nil }
        }
        let marked = types.filter(Self.isModel)
        names = Set(marked.map(\.name.text))
        leaves = Set(types.filter { $0.kind == .scalar || $0.kind == .enumeration }.map(\.name.text))
            .union(Schema.builtInScalars).union(["GraphbackTimestamp"])
        for type in marked { read(type) }
        addOtherSides()
    }

    static func isModel(_ type: Syntax.TypeDefinition) -> Bool {
        type.kind == .object && !type.isExtension && Annotation.all(type.description, type.directives)["model"] != nil
    }

    private mutating func report(_ message: String, at place: SourceRange, help: String? = nil) {
        findings.append(Finding(.directives, message, at: place, help: help))
    }

    // MARK: Types

    private mutating func read(_ type: Syntax.TypeDefinition) {
        let annotations = Annotation.all(type.description, type.directives)
        var key: Syntax.FieldDefinition?
        for field in type.fields {
            let isMarked = Annotation.all(field.description, field.directives)["id"] != nil
            if isMarked || key == nil && field.name.text == "id" { key = field }
        }
        guard let key else {
            return report(
                "the model '\(type.name.text)' has no key",
                at: type.name.place,
                help: "add 'id: ID!', or mark a field with '@id'"
            )
        }
        if Schema.TypeReference(key.type).nullable != .named("ID") {
            report(
                "the key '\(key.name.text)' has the type '\(Schema.TypeReference(key.type))', expected 'ID!'",
                at: key.type.place
            )
        }
        models.append(
            Model(
                name: type.name.text,
                key: key.name.text,
                fields: type.fields.compactMap { read($0, of: type.name.text) },
                sync: annotations["datasync"].map { sync($0) },
                definition: type
            )
        )
    }

    private mutating func sync(_ annotation: Annotation) -> Model.Sync {
        var sync = Model.Sync()
        checkNames(annotation, ["ttl", "strategy"])
        if annotation.arguments.contains(where: { $0.name.text == "ttl" }) {
            if let ttl = annotation.integer("ttl"), (1...315_360_000).contains(ttl) {
                sync.ttl = ttl
            } else {
                report("'ttl' of '@datasync': expected seconds, 1 to 315360000", at: annotation.place)
            }
        }
        if let word = annotation.text("strategy") {
            let words = ConflictStrategy.allCases.map(\.rawValue)
            if let strategy = ConflictStrategy(rawValue: word) {
                sync.strategy = strategy
            } else {
                report(
                    "'strategy' of '@datasync': found '\(word)', expected \(words.joined(separator: ", "))",
                    at: annotation.place,
                    help: Nearest.name(to: word, among: words).map { "did you mean '\($0)'?" }
                )
            }
        }
        return sync
    }

    private mutating func checkNames(_ annotation: Annotation, _ known: [String]) {
        for argument in annotation.arguments where !known.contains(argument.name.text) {
            let near = Nearest.name(to: argument.name.text, among: known).map { "did you mean '\($0)'?" }
            report(
                "unknown argument '\(argument.name.text)' of '@\(annotation.name)'",
                at: annotation.place,
                help: near
            )
        }
    }

    // MARK: Fields

    private mutating func read(_ field: Syntax.FieldDefinition, of owner: String) -> Model.Field? {
        let (name, type) = (field.name.text, Schema.TypeReference(field.type))
        let annotations = Annotation.all(field.description, field.directives)
        for word in ["oneToMany", "manyToOne", "oneToOne"] {
            if let annotation = annotations[word] { checkNames(annotation, ["field", "key"]) }
        }
        guard names.contains(type.name) else {
            if leaves.contains(type.name) {
                return Model.Field(name: name, type: type, kind: .value, definition: field)
            }
            report(
                "the field '\(owner).\(name)' has the type '\(type.name)', expected a scalar, an enum or a model",
                at: field.type.place,
                help: Nearest.name(to: type.name, among: leaves.union(names).sorted()).map { "did you mean '\($0)'?" }
            )
            return nil
        }
        let mark = annotations["oneToMany"] ?? annotations["manyToOne"] ?? annotations["oneToOne"]
        let kind: Model.Kind
        switch type.nullable {
        case .list(let inner):
            if case .list = inner.nullable {
                report("the field '\(owner).\(name)' is a list of lists of a model", at: field.type.place)
                return nil
            }
            let other = mark?.text("field") ?? Self.lowered(owner)
            kind = .many(model: type.name, key: mark?.text("key") ?? "\(other)Id")
        default: kind = .one(model: type.name, key: mark?.text("key") ?? "\(name)Id")
        }
        return Model.Field(name: name, type: type, kind: kind, definition: field)
    }

    /// Adds the field for the other side of a relation to models that do not have it.
    private mutating func addOtherSides() {
        for model in models {
            for field in model.fields {
                guard case .many(let name, let key) = field.kind,
                    let index = models.firstIndex(where: { $0.name == name })
                else { continue }
                let leadsBack = models[index].fields.contains { other in
                    if case .one(model.name, key) = other.kind { true } else { false }
                }
                guard !leadsBack else { continue }
                let back = key.hasSuffix("Id") ? String(key.dropLast(2)) : Self.lowered(model.name)
                guard !models[index].fields.contains(where: { $0.name == back || $0.name == key }) else {
                    report(
                        "the field '\(model.name).\(field.name)' needs a field '\(name).\(back): \(model.name)'",
                        at: field.definition?.place ?? model.definition.place
                    )
                    continue
                }
                models[index].fields.append(
                    Model.Field(name: back, type: .named(model.name), kind: .one(model: model.name, key: key))
                )
            }
        }
    }

    private static func lowered(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }
}
