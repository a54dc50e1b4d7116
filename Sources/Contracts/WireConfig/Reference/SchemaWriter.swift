/// Generates JSON Schema draft-07, which editors support best.
///
/// The schema has the same rules as validation, as far as draft-07 can express them. Required keys may come from an
/// environment or an included file, so each section has two definitions: one without required keys, and a complete one
/// for a section that is only in the file.
package struct SchemaWriter {
    private let form: FileForm
    private let dialects: [Dialect]

    package init(_ catalogue: Catalogue, dialects: [Dialect] = []) {
        form = FileForm(catalogue)
        self.dialects = dialects
    }

    /// The schema of the whole file.
    package var file: JSONValue {
        let layouts = dialects.compactMap { $0.schema() }
        let plain = Self.reference("file")
        let root = layouts.reduce(plain) { other, layout in
            .members([
                "if": .members(["required": .array([.string(layout.sign)])]),
                "then": Self.reference("\(layout.sign)File"), "else": other,
            ])
        }
        guard case .object(let validated) = layouts.isEmpty ? .members(["allOf": .array([plain])]) : root else {
            return root
        }
        let head: [(key: String, value: JSONValue)] = [
            ("$schema", .string("http://json-schema.org/draft-07/schema#")),
            ("$id", .string("https://corewire.dev/schemas/mobile-services.schema.json")),
            ("title", .string("corewire services file")),
            (
                "description",
                .string("The services of an app, in all its environments.")
            ), ("type", .string("object")),
        ]
        let definitions =
            [("file", plainFile)] + layouts.map { ("\($0.sign)File", file(of: $0)) } + [("environment", environment)]
            + form.catalogue.sections.flatMap { section in
                [Need.complete, .partial].map { need in
                    ("\(need.rawValue).\(section.name)", FormSchema(need).value(section.form))
                }
            } + FormSchema.definitions
        var sharing = PatternSharing()
        let members = definitions.map { (key: $0.0, value: sharing.shared($0.1)) }
        return .object(head + validated + [("definitions", .object(members + sharing.definitions))])
    }

    /// The schema of one section.
    package func section(_ section: any Section.Type) -> JSONValue {
        var sharing = PatternSharing()
        let schema = sharing.shared(FormSchema(.complete).value(section.form))
        guard case .object(let members) = schema else { return .null }
        let definitions = FormSchema.definitions.map { (key: $0.0, value: $0.1) } + sharing.definitions
        return .object(
            [("$schema", .string("http://json-schema.org/draft-07/schema#")), ("title", .string(section.name))]
                + members + [("definitions", .object(definitions))]
        )
    }

    private typealias Need = FormSchema.Need

    private static func reference(_ name: String) -> JSONValue { .members(["$ref": .string("#/definitions/\(name)")]) }

    // MARK: The file

    private var plainFile: JSONValue {
        guard case .object(let members) = FormSchema.object(properties(overriding: []), required: []) else {
            return .null
        }
        let conditions = form.catalogue.sections.filter { FormSchema.requires($0.form) }.map(completeness)
        return .object(members + [("allOf", .array(conditions))])
    }

    /// The schema of a file in a dialect, which may also have native keys and ignores unknown ones.
    private func file(of layout: Dialect.Schema) -> JSONValue {
        let own = properties(overriding: layout.properties.map { ($0.key, $0.value) })
        return .members(["type": .string("object"), "properties": .object(own.map { (key: $0.0, value: $0.1) })])
    }

    private func properties(overriding others: [(String, JSONValue)]) -> [(String, JSONValue)] {
        let names = Set(others.map(\.0))
        let own = form.ownKeys.map { key in
            switch key.name {
            case "environments": (key.name, environments(key))
            case "allow": (key.name, allowances(key))
            default: (key.name, FormSchema(.partial).property(key))
            }
        }
        let sections = form.catalogue.sections.map { ($0.name, reference(to: $0, .partial)) }
        return others + (own + sections).filter { !names.contains($0.0) }
    }

    private func environments(_ key: KeyForm) -> JSONValue {
        .members([
            "description": .string(key.help), "type": .array([.string("object"), .string("null")]),
            "propertyNames": .members(["pattern": .string("^x-|\(FormSchema.namePattern)")]),
            "patternProperties": .object([("^x-", .object([]))]),
            "additionalProperties": Self.reference("environment"),
        ])
    }

    /// The warnings that can be allowed, by name.
    private func allowances(_ key: KeyForm) -> JSONValue {
        let names = form.catalogue.codes.filter { $0.severity == .warning }.map { JSONValue.string($0.name) }
        guard case .object(let members) = FormSchema(.partial).property(key) else { return .null }
        return .object(
            members.map { $0.key == "propertyNames" ? ($0.key, .members(["enum": .array(names)])) : $0 }
        )
    }

    /// The condition that a section is complete where no environment and no included file extends it.
    private func completeness(_ section: any Section.Type) -> JSONValue {
        let untouched = JSONValue.members([
            "additionalProperties": .members(["properties": .members([section.name: .boolean(false)])])
        ])
        return .members([
            "if": .members([
                "required": .array([.string(section.name)]),
                "not": .members(["required": .array([.string("include")])]),
                "properties": .members(["environments": untouched]),
            ]),
            "then": .members(["properties": .members([section.name: reference(to: section, .complete)])]),
        ])
    }

    private var environment: JSONValue {
        let own = Keys.describe(EnvironmentRecord.self).keys.map { ($0.name, FormSchema(.partial).property($0)) }
        let sections = form.catalogue.sections.map { ($0.name, reference(to: $0, .partial)) }
        return FormSchema.orNull(FormSchema.object(own + sections, required: []))
    }

    private func reference(to section: any Section.Type, _ need: Need) -> JSONValue {
        .members([
            "description": .string(section.summary),
            "anyOf": .array([
                Self.reference("\(need.rawValue).\(section.name)"), .members(["type": .string("null")]),
            ]),
        ])
    }
}
