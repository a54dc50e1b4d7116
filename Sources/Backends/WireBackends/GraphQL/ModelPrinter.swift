import WireGraphQL

/// Writes the types, inputs and root fields of models as SDL, in DataSync's form.
struct ModelPrinter {
    private let models: [Model]
    private let roots: RootNames
    private let known: Set<String>
    private let enums: Set<String>

    /// Creates a printer; definitions that the document already has are not written again.
    init(_ models: [Model], _ roots: RootNames, _ own: Syntax.Document) {
        (self.models, self.roots) = (models, roots)
        let types = own.definitions.compactMap { definition -> Syntax.TypeDefinition? in
            if case .type(let type) = definition, !type.isExtension { type } else { nil }
        }
        known = Set(types.map(\.name.text))
        enums = Set(types.filter { $0.kind == .enumeration }.map(\.name.text))
    }

    var text: String {
        var parts = [
            "input PageRequest { limit: Int offset: Int }",
            "enum SortDirectionEnum { ASC DESC }",
            "input OrderByInput { field: String! order: SortDirectionEnum = ASC }",
        ]
        if models.contains(where: { $0.sync != nil }), !known.contains("GraphbackTimestamp") {
            parts.append("\"A timestamp in milliseconds since 1970.\" scalar GraphbackTimestamp")
        }
        let scalars = Set(models.flatMap { filters(of: $0).map(\.scalar) }).sorted()
        parts += scalars.map { "input \($0)Input { \(operators(of: $0)) }" }
        parts += models.flatMap { types(of: $0) }
        for kind in OperationKind.allCases {
            let word = known.contains(roots[kind]) ? "extend type" : "type"
            parts.append("\(word) \(roots[kind]) {\n\(models.map { fields(of: kind, $0) }.joined(separator: "\n"))\n}")
        }
        parts += roots.missing.map { "extend schema { \($0.rawValue): \(roots[$0]) }" }
        return parts.joined(separator: "\n")
    }

    // MARK: Types

    private func types(of model: Model) -> [String] {
        let name = model.name
        let isSynced = model.sync != nil
        let filter = filters(of: model).map { "\($0.field): \($0.scalar)Input" }.joined(separator: " ")
        let interfaces = model.definition.interfaces.map(\.text).joined(separator: " & ")
        let fields = model.fields.map(field).joined(separator: "\n")
        let syncFields = isSynced ? "_version: Int\n_lastUpdatedAt: GraphbackTimestamp" : ""
        let head = Self.description(Annotation.prose(of: model.definition.description)) + "type \(name)"
        var types = [
            head + (interfaces.isEmpty ? "" : " implements \(interfaces)") + " {\n\(fields)\n\(syncFields)\n}",
            "type \(name)ResultList { items: [\(name)]! offset: Int limit: Int count: Int }",
            "input Create\(name)Input { \(inputs(of: model, isComplete: true)) }",
            "input Mutate\(name)Input { \(inputs(of: model, isComplete: false)) \(isSynced ? "_version: Int!" : "") }",
        ]
        for filterName in ["\(name)Filter", "\(name)SubscriptionFilter"] {
            types.append(
                "input \(filterName) { \(filter) and: [\(filterName)!] or: [\(filterName)!] not: \(filterName) }"
            )
        }
        if isSynced {
            types.append("type \(name)Delta {\n\(fields)\n\(syncFields)\n_deleted: Boolean\n}")
            types.append(
                "type \(name)DeltaList { items: [\(name)Delta]! lastSync: GraphbackTimestamp! limit: Int }"
            )
        }
        return types
    }

    private func field(_ field: Model.Field) -> String {
        var text = Self.description(Annotation.prose(of: field.definition?.description)) + field.name
        if case .many(let model, _) = field.kind { text += "(filter: \(model)Filter)" }
        text += ": \(field.type)"
        for directive in field.definition?.directives ?? [] where directive.name.text == "deprecated" {
            let reason = directive.arguments.first.map { "(reason: \(ValuePrinter.text($0.value)))" }
            text += " @deprecated" + (reason ?? "")
        }
        return text
    }

    /// Returns the input fields: all required ones for a new object, any of them for a change.
    private func inputs(of model: Model, isComplete: Bool) -> String {
        model.stored.map { name, type in
            guard name != model.key else { return "\(name): ID\(isComplete ? "" : "!")" }
            return "\(name): \(isComplete ? type : type.nullable)"
        }.joined(separator: " ")
    }

    private static func description(_ text: String?) -> String { text.map { ValuePrinter.quoted($0) + " " } ?? "" }

    // MARK: Filters

    private func filters(of model: Model) -> [(field: String, scalar: String)] {
        let stored = model.stored.compactMap { name, type -> (field: String, scalar: String)? in
            if case .named(let scalar) = type.nullable { (name, scalar) } else { nil }
        }
        return stored + (model.sync == nil ? [] : [("_version", "Int"), ("_lastUpdatedAt", "GraphbackTimestamp")])
    }

    private func operators(of scalar: String) -> String {
        var words = ["eq", "ne"]
        if scalar != "Boolean", !enums.contains(scalar) { words += ["lt", "le", "gt", "ge"] }
        if scalar == "String" { words += ["contains", "startsWith", "endsWith"] }
        var fields = words.map { "\($0): \(scalar)" }
        if scalar != "Boolean" { fields.append("in: [\(scalar)!]") }
        if ["Int", "Float", "GraphbackTimestamp"].contains(scalar) { fields.append("between: [\(scalar)!]") }
        return fields.joined(separator: " ")
    }

    // MARK: Roots

    private func fields(of kind: OperationKind, _ model: Model) -> String {
        let (name, plural, key) = (model.name, model.plural, model.key)
        switch kind {
        case .query:
            var fields = """
                find\(plural)(filter: \(name)Filter, page: PageRequest, orderBy: OrderByInput): \(name)ResultList!
                get\(name)(\(key): ID!): \(name)
                """
            if model.sync != nil {
                fields +=
                    "\nsync\(plural)(lastSync: GraphbackTimestamp!, filter: \(name)Filter, limit: Int): \(name)DeltaList!"
            }
            return fields
        case .mutation:
            return """
                create\(name)(input: Create\(name)Input!): \(name)
                update\(name)(input: Mutate\(name)Input!): \(name)
                delete\(name)(input: Mutate\(name)Input!): \(name)
                """
        case .subscription:
            return ModelChange.allCases.map {
                "\($0.rawValue)\(name)(filter: \(name)SubscriptionFilter): \(name)!"
            }.joined(separator: "\n")
        }
    }
}
