/// Generates Swift types for the declared operations: their variables and their data.
///
/// The operations must be valid. The generated code needs the module `Corewire`, and the modules of mapped scalar
/// types.
package struct SwiftGenerator {
    /// The enumeration without cases that holds the types.
    package var namespace = "GraphQL"
    /// The Swift types of custom scalars, `Foundation.Date` with its module; the others are strings.
    package var scalars: [String: String] = [:]

    package init() {}

    /// The maximum number of structs: a fragment inlined twice within another one doubles the text each time.
    static let mostStructs = 20_000

    package func text(of operations: DeclaredOperations, in schema: Schema) throws(Finding) -> String {
        var writer = SwiftWriter(operations, schema, self)
        var body = SwiftText(depth: 1)
        for name in operations.names.sorted() {
            if let operation = operations[name] { try writer.write(operation, to: &body) }
        }
        try writer.writeFragments(to: &body)
        writer.writeInputs(to: &body)
        writer.writeEnumerations(to: &body)
        return """
            // Written by 'corewire sync generate swift'; changes are lost when it is written again.
            // swift-format-ignore-file

            \((["Corewire"] + modules).map { "import \($0)\n" }.joined())
            enum \(namespace) {\(body.text)}

            """
    }

    private var modules: [String] {
        Set(scalars.values.compactMap { $0.split(separator: ".").count > 1 ? $0.prefix { $0 != "." } : nil })
            .subtracting(["Swift", "Corewire"]).map(String.init).sorted()
    }
}

/// The generated types, and the names they use.
struct SwiftWriter {
    let settings: SwiftGenerator
    var context: GeneratorContext
    /// The names of the namespace, which nothing inside may hide.
    private(set) var globals: [String: String] = [:]
    private var reserved: Set<String>
    private var structs = 0
    private var usedFragments: Set<String> = []
    var usedTypes: Set<String> = []

    init(_ operations: DeclaredOperations, _ schema: Schema, _ settings: SwiftGenerator) {
        self.settings = settings
        context = GeneratorContext(operations, schema)
        reserved = SwiftNames.types.union([settings.namespace])
        for type in settings.scalars.values { reserved.formUnion(type.split(separator: ".").map(String.init)) }
        var names = SwiftNames(reserved)
        for name in operations.names.sorted() {
            guard let kind = operations[name]?.kind.rawValue else { continue }
            let suffix = SwiftNames.capitalized(kind)
            globals["operation \(name)"] = names.type(
                name.hasSuffix(suffix) ? name : name + suffix,
                orWith: "Operation"
            )
        }
        for fragment in context.fragments.keys.sorted() {
            globals["fragment \(fragment)"] = names.type(fragment, orWith: "Fragment")
        }
        for type in schema.typeNames where schema.types[type]?.isInput == true {
            guard !Schema.builtInScalars.contains(type), schema.types[type]?.kind != .scalar else { continue }
            globals["type \(type)"] = names.type(type, orWith: "Type")
        }
        reserved.formUnion(globals.values)
    }

    // MARK: Operations and fragments

    mutating func write(_ operation: DeclaredOperation, to text: inout SwiftText) throws(Finding) {
        guard let root = context.schema.root(of: operation.kind), let name = globals["operation \(operation.name)"]
        else { return }
        text.line()
        text.comment(operation.operation.description?.text ?? "The \(operation.kind.rawValue) '\(operation.name)'.")
        try text.block("struct \(name): Corewire.SyncOperation") { text throws(Finding) in
            text.line("static let name = \(SwiftText.literal(operation.name))")
            text.line("static let kind = Corewire.SyncOperationKind.\(operation.kind.rawValue)")
            text.line("static let document = \(SwiftText.literal(operation.text))")
            writeVariables(operation.variables, to: &text)
            try write([.init(set: operation.operation.selections)], on: root, as: "Data", to: &text)
        }
    }

    mutating func writeFragments(to text: inout SwiftText) throws(Finding) {
        var written: Set<String> = []
        while let name = usedFragments.subtracting(written).min() {
            written.insert(name)
            guard let fragment = context.fragments[name] else { continue }
            text.line()
            text.comment(fragment.description?.text ?? "The fragment '\(name)' on '\(fragment.typeCondition.text)'.")
            try write(
                [.init(set: fragment.selections)],
                on: fragment.typeCondition.text,
                as: globals["fragment \(name)"] ?? name,
                to: &text,
                isFirst: true
            )
        }
    }

    // MARK: Objects of responses

    /// A property of an object: a field, a fragment, or the selections for some types.
    private struct Property {
        let name: String
        let type: String
        /// The expression that decodes the property.
        let value: String
    }

    private mutating func write(
        _ parts: [SelectedFields.Part],
        on type: String,
        as name: String,
        to text: inout SwiftText,
        isFirst: Bool = false
    ) throws(Finding) {
        structs += 1
        guard structs <= SwiftGenerator.mostStructs else {
            throw Finding(.limits, "the code would have more than \(SwiftGenerator.mostStructs) types", at: nil)
        }
        let selected = try SelectedFields(parts, on: type, in: &context)
        if !isFirst { text.line() }
        try text.block("struct \(name): Decodable, Hashable, Sendable") { text throws(Finding) in
            try write(selected, on: type, to: &text)
        }
    }

    private mutating func write(
        _ selected: SelectedFields,
        on type: String,
        to text: inout SwiftText
    ) throws(Finding) {
        var (names, types) = (SwiftNames(SwiftNames.members), SwiftNames(reserved))
        var nested: [(parts: [SelectedFields.Part], type: String, name: String)] = []
        var properties: [Property] = []
        var keys: [(property: String, member: String)] = []
        for field in selected.fields {
            let isComposite = !field.parts.isEmpty
            let target = field.definition.type.name
            let leaf = isComposite ? types.type(field.responseName, orWith: "Field") : swiftType(target)
            if isComposite { nested.append((field.parts, target, leaf)) }
            let isNamed = field.responseName == "__typename"
            let property = names.property(isNamed ? "typename" : field.responseName)
            keys.append((property, field.responseName))
            let full = Self.reference(field.definition.type, leaf)
            let (bare, isOptional) = full.hasSuffix("?") ? (String(full.dropLast()), true) : (full, false)
            let reading = isOptional || field.isConditional ? "decodeIfPresent" : "decode"
            text.comment(field.definition.description)
            text.line("let \(property): \(bare)\(isOptional || field.isConditional ? "?" : "")")
            properties.append(
                Property(name: property, type: full, value: "try values.\(reading)(\(bare).self, forKey: .\(property))")
            )
        }
        let typename = keys.first { $0.member == selected.typename }?.property ?? "typename"
        let own = properties.count
        for fragment in selected.fragments {
            usedFragments.insert(fragment.name)
            let target = globals["fragment \(fragment.name)"] ?? fragment.name
            let property = names.property(SwiftNames.uncapitalized(fragment.name))
            properties.append(Self.part(property, target, fragment.types, typename, &text))
        }
        for part in selected.cases {
            let target = types.type("As\(SwiftNames.capitalized(part.condition))", orWith: "Part")
            nested.append((part.parts, part.condition, target))
            let property = names.property("as\(SwiftNames.capitalized(part.condition))")
            properties.append(Self.part(property, target, part.types, typename, &text))
        }
        if properties.count > own { text.codingKeys(keys) } else { text.neededCodingKeys(keys) }
        if properties.count > own { Self.writeReading(properties, hasKeys: !keys.isEmpty, to: &text) }
        for (parts, type, name) in nested { try write(parts, on: type, as: name, to: &text) }
    }

    private static func part(
        _ property: String,
        _ target: String,
        _ types: [String]?,
        _ typename: String,
        _ text: inout SwiftText
    ) -> Property {
        text.line("let \(property): \(target)\(types == nil ? "" : "?")")
        guard let types else {
            return Property(name: property, type: target, value: "try \(target)(from: decoder)")
        }
        let list = types.map(SwiftText.literal).joined(separator: ", ")
        let value = "[\(list)].contains(\(typename)) ? try \(target)(from: decoder) : nil"
        return Property(name: property, type: "\(target)?", value: types.isEmpty ? "nil" : value)
    }

    private static func writeReading(_ properties: [Property], hasKeys: Bool, to text: inout SwiftText) {
        text.line()
        text.block("init(from decoder: any Decoder) throws") { text in
            if hasKeys { text.line("let values = try decoder.container(keyedBy: CodingKeys.self)") }
            for property in properties { text.line("\(property.name) = \(property.value)") }
        }
    }

    // MARK: Types

    /// The Swift type of a scalar, enumeration or input object.
    mutating func swiftType(_ name: String) -> String {
        switch name {
        case "Int": return "Int"
        case "Float": return "Double"
        case "Boolean": return "Bool"
        case "String", "ID": return "String"
        default:
            if let global = globals["type \(name)"] {
                usedTypes.insert(name)
                return global
            }
            return settings.scalars[name] ?? "String"
        }
    }

    /// A type with its lists, with '?' for nullable parts.
    static func reference(_ type: Schema.TypeReference, _ leaf: String) -> String {
        switch type {
        case .nonNull(.named): leaf
        case .nonNull(let inner): String(reference(inner, leaf).dropLast())
        case .named: leaf + "?"
        case .list(let inner): "[\(reference(inner, leaf))]?"
        }
    }
}
