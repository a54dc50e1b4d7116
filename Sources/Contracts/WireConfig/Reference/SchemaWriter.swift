/// Writes the forms as JSON Schema draft-07, which editors understand best.
///
/// A file without environments must be complete by itself; one with environments may leave to them what is required. So
/// every section has two definitions, a complete one and one in which nothing is required.
package struct SchemaWriter {
    private let form: FileForm
    /// The dialects a whole file may be written in.
    private let dialects: [Dialect]

    package init(_ catalogue: Catalogue, dialects: [Dialect] = []) {
        form = FileForm(catalogue)
        self.dialects = dialects
    }

    /// The schema of the whole file.
    package var file: JSONValue {
        .members([
            "$schema": .string("http://json-schema.org/draft-07/schema#"),
            "$id": .string("https://corewire.dev/schemas/mobile-services.schema.json"),
            "title": .string("corewire services file"),
            "description": .string("The core services of a mobile product, in every environment it is deployed to."),
            "type": .string("object"),
            "allOf": .array([choice]),
            "definitions": .object(
                [
                    ("completeFile", fileObject(.complete)), ("partialFile", fileObject(.partial)),
                    ("environment", environment),
                    ("unset", Self.referenceOrNothing),
                ]
                    + dialects.compactMap { dialect in dialect.schema.map { (dialect.name, fileObject(of: $0)) } }
                    + form.catalogue.sections.flatMap { section in
                        [Need.complete, .partial].map { need in
                            ("\(need.rawValue).\(section.name)", schema(section.form, need))
                        }
                    }
            ),
        ])
    }

    /// The schema of one section.
    package func section(_ section: any Section.Type) -> JSONValue {
        guard case .object(let members) = schema(section.form, .complete) else { return .null }
        return .object(
            [("$schema", .string("http://json-schema.org/draft-07/schema#")), ("title", .string(section.name))]
                + members
                + [("definitions", .members(["unset": Self.referenceOrNothing]))]
        )
    }

    /// Whether required keys are required here.
    private enum Need: String {
        case complete
        case partial
    }

    /// A file is of a dialect where it has the dialect's sign, and may leave things out where it has environments.
    private var choice: JSONValue {
        let own = Self.choose(
            "environments",
            "partialFile",
            else: .members(["$ref": .string("#/definitions/completeFile")])
        )
        return dialects.reduce(own) { rest, dialect in
            dialect.schema.map { Self.choose($0.sign, dialect.name, else: rest) } ?? rest
        }
    }

    private static func choose(_ key: String, _ definition: String, else rest: JSONValue) -> JSONValue {
        .members([
            "if": .members(["required": .array([.string(key)])]),
            "then": .members(["$ref": .string("#/definitions/\(definition)")]),
            "else": rest,
        ])
    }

    /// A file of a dialect, which may say anything in the model's own words too, and keeps what it does not know.
    private func fileObject(of dialect: Dialect.Schema) -> JSONValue {
        guard case .object(let members) = fileObject(.partial),
            case .object(let known)? = members.first(where: { $0.key == "properties" })?.value
        else { return .null }
        let own = dialect.properties
        let properties = own + known.filter { known in !own.contains { $0.key == known.key } }
        return .members(["type": .string("object"), "properties": .object(properties)])
    }

    private func fileObject(_ need: Need) -> JSONValue {
        var properties = form.ownKeys.map { key in
            key.name == "environments"
                ? (
                    key.name,
                    JSONValue.members([
                        "description": .string(key.help), "type": .string("object"),
                        "additionalProperties": .members(["$ref": .string("#/definitions/environment")]),
                    ])
                )
                : (key.name, property(key, need))
        }
        properties += form.catalogue.sections.map { ($0.name, reference(to: $0, need)) }
        return object(properties, required: [])
    }

    private var environment: JSONValue {
        let own = Keys.describe(EnvironmentRecord.self).keys.map { ($0.name, property($0, .partial)) }
        guard
            case .object(let members) = object(
                own + form.catalogue.sections.map { ($0.name, reference(to: $0, .partial)) },
                required: []
            )
        else { return .null }
        return .object(members.map { $0.key == "type" ? ("type", .array([.string("object"), .string("null")])) : $0 })
    }

    private func reference(to section: any Section.Type, _ need: Need) -> JSONValue {
        .members([
            "description": .string(section.summary),
            "anyOf": .array([
                .members(["$ref": .string("#/definitions/\(need.rawValue).\(section.name)")]),
                .members(["type": .string("null")]),
            ]),
        ])
    }

    private func object(_ properties: [(String, JSONValue)], required: [String]) -> JSONValue {
        .members([
            "type": .string("object"),
            "properties": .object(properties.map { (key: $0.0, value: $0.1) }),
            "patternProperties": .object([("^x-", .object([]))]),
            "additionalProperties": .boolean(false),
            "required": required.isEmpty ? nil : .array(required.map(JSONValue.string)),
        ])
    }

    // MARK: Keys

    private func property(_ key: KeyForm, _ need: Need) -> JSONValue {
        var description = key.help
        if let replacement = key.replacement { description += " On its way out: \(replacement)." }
        var members: [(key: String, value: JSONValue)] = [("description", .string(description))]
        if let value = key.defaultValue { members.append(("default", JSONValue(value))) }
        if case .text(let text) = key.form, key.example == nil {
            members.append(("examples", .array([.string(text.example)])))
        }
        guard case .object(var inner) = schema(key.form, need) else { return .object(members) }
        if let range = key.range, case .integer(let low) = range.low, case .integer(let high) = range.high {
            inner = [
                (
                    "anyOf",
                    .array([
                        .members(["type": .string("integer"), "minimum": .integer(low), "maximum": .integer(high)]),
                        Self.unset,
                    ])
                )
            ]
        }
        if key.isNotEmpty, need == .complete { inner.append(("minItems", .integer(1))) }
        return .object(members + inner)
    }

    /// What may stand for any value: a reference, or null for none.
    ///
    /// A pattern cannot count braces: it holds a default to begin, not to end.
    private static let referenceOrNothing = JSONValue.members([
        "type": .array([.string("string"), .string("null")]),
        "pattern": .string("(^|[^$])\\$\\{(env:[A-Za-z_][A-Za-z0-9_]*(:-.*)?|(file|credential):[^}]+)\\}"),
    ])

    private static let unset = JSONValue.members(["$ref": .string("#/definitions/unset")])

    private func orReference(_ schema: JSONValue) -> JSONValue {
        .members(["anyOf": .array([schema, Self.unset])])
    }

    // MARK: Forms

    private func schema(_ form: Form, _ need: Need) -> JSONValue {
        switch form {
        case .text(let text): self.text(text)
        case .boolean: orReference(.members(["type": .string("boolean")]))
        case .integer: orReference(.members(["type": .string("integer")]))
        case .number: orReference(.members(["type": .string("number")]))
        case .choice(let words): choice(words)
        case .list(let item):
            .members(["type": .array([.string("array"), .string("null")]), "items": schema(item, need)])
        case .named(let item), .byEnvironment(let item):
            .members([
                "type": .array([.string("object"), .string("null")]), "additionalProperties": schema(item, need),
            ])
        case .record(let record): self.record(record, need)
        case .tagged(let tag, let alternatives): tagged(tag, alternatives, need)
        case .exclusive(let alternatives): exclusive(alternatives, need)
        case .either(let first, let second): .members(["anyOf": .array([schema(first, need), schema(second, need)])])
        case .secret:
            .members(["type": .array(["string", "number", "null"].map(JSONValue.string)), "writeOnly": .boolean(true)])
        case .free: .object([])
        }
    }

    /// Text may be written as anything YAML calls a scalar; a pattern speaks of text only.
    private func text(_ text: TextForm) -> JSONValue {
        guard let pattern = text.pattern else {
            return .members(["type": .array(["string", "number", "boolean", "null"].map(JSONValue.string))])
        }
        return orReference(.members(["type": .string("string"), "pattern": .string(pattern)]))
    }

    private func choice(_ words: [Form.Word]) -> JSONValue {
        orReference(
            .members([
                "enum": .array(words.map { .string($0.name) }),
                "description": .string(
                    words.map { $0.help.isEmpty ? $0.name : "\($0.name): \($0.help)" }.joined(separator: "; ")
                ),
            ])
        )
    }

    private func record(_ record: RecordForm, _ need: Need) -> JSONValue {
        object(
            record.keys.map { ($0.name, property($0, need)) },
            required: need == .complete ? record.keys.filter(\.isRequired).map(\.name) : []
        )
    }

    private func tagged(_ tag: String, _ alternatives: [Form.Alternative], _ need: Need) -> JSONValue {
        .members([
            "anyOf": .array(
                alternatives.map { alternative in
                    guard case .record(let record) = alternative.form else { return .object([]) }
                    let properties =
                        [
                            (
                                tag,
                                JSONValue.members([
                                    "const": .string(alternative.name), "description": .string(alternative.help),
                                ])
                            )
                        ]
                        + record.keys.map { ($0.name, property($0, need)) }
                    let required = [tag] + record.keys.filter(\.isRequired).map(\.name)
                    return object(properties, required: need == .complete ? required : [])
                } + (need == .partial ? [.members(["type": .string("null")])] : [])
            )
        ])
    }

    private func exclusive(_ alternatives: [Form.Alternative], _ need: Need) -> JSONValue {
        guard case .object(let members) = object(alternatives.map { ($0.name, schema($0.form, need)) }, required: [])
        else { return .null }
        return .object(members + (need == .complete ? [("minProperties", .integer(1))] : []))
    }
}
