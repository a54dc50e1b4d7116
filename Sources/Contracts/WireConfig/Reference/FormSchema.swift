/// Generates the JSON Schema of a form; null, which means "no value", is handled separately.
struct FormSchema {
    /// Whether required keys are required in this schema.
    enum Need: String {
        case complete
        case partial
    }

    private let need: Need

    init(_ need: Need) {
        self.need = need
    }

    /// Shared definitions, by name.
    static let definitions: [(String, JSONValue)] = {
        let reference = JSONValue.members([
            "type": .string("string"), "pattern": .string("^(?=[\\s\\S]*\\$\\{)\(ReferencePattern.text)$"),
        ])
        let text = JSONValue.members([
            "type": .array(["string", "number", "boolean"].map(JSONValue.string)),
            "pattern": .string("^\(ReferencePattern.text)$"),
        ])
        guard case .object(let members) = text else { return [] }
        let secret = JSONValue.object(members + [("writeOnly", .boolean(true))])
        return [("reference", reference), ("text", text), ("secret", secret)].flatMap { name, schema in
            [(name, schema), ("\(name)OrNull", orNull(schema))]
        }
    }()

    static let namePattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$"

    /// Whether a form requires any key at any depth.
    static func requires(_ form: Form) -> Bool {
        switch form {
        case .record(let record):
            record.keys.contains { $0.isRequired || $0.needs != nil || $0.excludes != nil || requires($0.form) }
        case .tagged(_, let fallback, let alternatives): fallback == nil || alternatives.contains { requires($0.form) }
        case .exclusive: true
        case .list(let inner), .named(let inner), .byEnvironment(let inner): requires(inner)
        case .either(let first, let second): requires(first) || requires(second)
        case .text, .boolean, .integer, .number, .choice, .secret, .free: false
        }
    }

    static func object(_ properties: [(String, JSONValue)], required: [String]) -> JSONValue {
        .members([
            "type": .string("object"),
            "properties": .object(properties.map { (key: $0.0, value: $0.1) }),
            "patternProperties": .object([("^x-", .object([]))]),
            "additionalProperties": .boolean(false),
            "required": required.isEmpty ? nil : .array(required.map(JSONValue.string)),
        ])
    }

    // MARK: Null

    private static let null = JSONValue.members(["type": .string("null")])

    /// The schema or null, which means "no value".
    static func orNull(_ schema: JSONValue) -> JSONValue {
        guard case .object(var members) = schema, !members.isEmpty else { return schema }
        if let index = members.firstIndex(where: { $0.key == "type" }),
            !members.contains(where: { $0.key == "oneOf" || $0.key == "enum" })
        {
            let types = members[index].value.array ?? [members[index].value]
            members[index].value = .array(types + [.string("null")])
            return .object(members)
        }
        if let index = members.firstIndex(where: { $0.key == "anyOf" }), let shapes = members[index].value.array {
            // The definition of references can include null.
            let last = shapes.last?["$ref"]?.string
            members[index].value =
                last == "#/definitions/reference"
                ? .array(shapes.dropLast() + [.members(["$ref": .string("#/definitions/referenceOrNull")])])
                : .array(shapes + [null])
            return .object(members)
        }
        if members.count == 1, let name = members[0].value.array?.first?["$ref"]?.string {
            return .members(["allOf": .array([.members(["$ref": .string("\(name)OrNull")])])])
        }
        return .members(["anyOf": .array([schema, null])])
    }

    private func orReference(_ schema: JSONValue) -> JSONValue {
        .members(["anyOf": .array([schema, .members(["$ref": .string("#/definitions/reference")])])])
    }

    private static func shared(_ name: String) -> JSONValue {
        .members(["allOf": .array([.members(["$ref": .string("#/definitions/\(name)")])])])
    }

    // MARK: Keys

    func property(_ key: KeyForm) -> JSONValue {
        var description = key.help
        if let replacement = key.replacement { description += " Deprecated:\(replacement)." }
        var members: [(key: String, value: JSONValue)] = [("description", .string(description))]
        if let value = key.defaultValue { members.append(("default", JSONValue(value))) }
        if case .text(let text) = key.form, key.example == nil {
            members.append(("examples", .array([.string(text.example)])))
        }
        let isNeeded = key.isRequired && need == .complete
        let schema = isNeeded ? self.schema(of: key) : Self.orNull(self.schema(of: key))
        guard case .object(let inner) = schema else { return .object(members) }
        return .object(members + inner.filter { member in !members.contains { $0.key == member.key } })
    }

    private func schema(of key: KeyForm) -> JSONValue {
        switch (key.form, key.range?.low, key.range?.high) {
        case (.integer, .integer(let low)?, .integer(let high)?):
            return orReference(
                .members(["type": .string("integer"), "minimum": .integer(low), "maximum": .integer(high)])
            )
        case (.number, .number(let low)?, .number(let high)?):
            return orReference(
                .members(["type": .string("number"), "minimum": .number(low), "maximum": .number(high)])
            )
        default:
            guard case .object(var members) = value(key.form) else { return value(key.form) }
            if key.isNotEmpty { members.append(("minItems", .integer(1))) }
            if let count = key.mostItems { members.append(("maxItems", .integer(count))) }
            if key.isDistinct { members.append(("uniqueItems", .boolean(true))) }
            return .object(members)
        }
    }

    // MARK: Forms

    func value(_ form: Form) -> JSONValue {
        switch form {
        case .text(let text): self.text(text)
        case .boolean: orReference(.members(["type": .string("boolean")]))
        case .integer: orReference(.members(["type": .string("integer")]))
        case .number: orReference(.members(["type": .string("number")]))
        case .choice(let words): choice(words)
        case .list(let item): .members(["type": .string("array"), "items": value(item)])
        case .named(let item), .byEnvironment(let item):
            .members([
                "type": .string("object"), "propertyNames": .members(["pattern": .string(Self.namePattern)]),
                "additionalProperties": Self.orNull(value(item)),
            ])
        case .record(let record): self.record(record)
        case .tagged(let tag, let fallback, let alternatives): tagged(tag, fallback, alternatives)
        case .exclusive(let alternatives): exclusive(alternatives)
        case .either(let first, let second): .members(["anyOf": .array([value(first), value(second)])])
        case .secret: Self.shared("secret")
        case .free: .object([])
        }
    }

    /// The schema of a text: any YAML scalar that matches the pattern.
    private func text(_ text: TextForm) -> JSONValue {
        guard let pattern = text.pattern else { return Self.shared("text") }
        let regex = try? Regex(pattern)
        let types = [("1", "integer"), ("1.5", "number"), ("true", "boolean")].compactMap { sample, type in
            regex.flatMap { sample.firstMatch(of: $0) } == nil ? nil : type
        }
        // A text with a reference must match the reference pattern, even where its own pattern allows any text.
        let takesAll = ["${a", "a${b"].contains { sample in regex.map { sample.contains($0) } ?? false }
        let refusing = takesAll && pattern.hasPrefix("^") ? "^(?![\\s\\S]*\\$\\{)" + pattern.dropFirst() : pattern
        let schema = JSONValue.members([
            "type": types.isEmpty ? .string("string") : .array((["string"] + types).map(JSONValue.string)),
            "pattern": .string(refusing),
        ])
        return text.takesReferences ? orReference(schema) : schema
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

    private func record(_ record: RecordForm, tag: Tag? = nil) -> JSONValue {
        let names = (tag.map { $0.isRequired ? [$0.name] : [] } ?? []) + record.keys.filter(\.isRequired).map(\.name)
        let object = Self.object(
            (tag.map { [($0.name, $0.schema)] } ?? []) + record.keys.map { ($0.name, property($0)) },
            required: need == .complete ? names : []
        )
        let conditions = need == .complete ? record.keys.flatMap(Self.conditions) : []
        guard !conditions.isEmpty, case .object(let members) = object else { return object }
        return .object(members + [("allOf", .array(conditions))])
    }

    /// The conditions of a key on its sibling keys, where it has a value.
    private static func conditions(of key: KeyForm) -> [JSONValue] {
        let needed = key.needs.map(present)
        let excluded = key.excludes.map { JSONValue.members(["properties": .members([$0: null])]) }
        return [needed, excluded].compactMap(\.self).map { .members(["if": present(key.name), "then": $0]) }
    }

    /// A mapping with a value for a key.
    private static func present(_ name: String) -> JSONValue {
        .members([
            "type": .string("object"), "required": .array([.string(name)]),
            "properties": .members([name: .members(["not": null])]),
        ])
    }

    /// The key that selects a shape.
    private struct Tag {
        let name: String
        let schema: JSONValue
        let isRequired: Bool
    }

    /// One of several tagged shapes; unknown where the tag is a reference.
    private func tagged(_ tag: String, _ fallback: String?, _ alternatives: [Form.Alternative]) -> JSONValue {
        let shapes = alternatives.map { alternative in
            guard case .record(let record) = alternative.form else { return JSONValue.object([]) }
            let isDefault = alternative.name == fallback
            let word = JSONValue.members([
                "const": isDefault ? nil : .string(alternative.name),
                "enum": isDefault ? .array([.string(alternative.name), .null]) : nil,
                "description": .string(alternative.help), "default": isDefault ? .string(alternative.name) : nil,
            ])
            return self.record(record, tag: Tag(name: tag, schema: word, isRequired: !isDefault))
        }
        let unknown = JSONValue.members([
            "type": .string("object"), "required": .array([.string(tag)]),
            "properties": .members([tag: .members(["$ref": .string("#/definitions/reference")])]),
        ])
        return .members(["anyOf": .array(shapes + [unknown])])
    }

    /// Exactly one of some keys; at most one where another layer may set it.
    private func exclusive(_ alternatives: [Form.Alternative]) -> JSONValue {
        let object = Self.object(alternatives.map { ($0.name, Self.orNull(value($0.form))) }, required: [])
        let chosen = alternatives.map { Self.present($0.name) }
        let none = JSONValue.members(["properties": .object(alternatives.map { ($0.name, Self.null) })])
        guard case .object(let members) = object else { return .null }
        return .object(members + [("oneOf", .array(need == .complete ? chosen : chosen + [none]))])
    }
}

/// A pattern for valid references in text.
///
/// A pattern cannot count braces: braces in defaults are matched down to the second level.
enum ReferencePattern {
    private static let fallback = "(?:[^{}]|\\{(?:[^{}]|\\{[^{}]*\\})*\\})*"

    static let text =
        "(?:[^$]|\\$(?!\\{)|\\$\\$\\{|\\$\\{(?:env:[A-Za-z_][A-Za-z0-9_]*(?::-\(fallback))?|(?:file|credential):[^}]+)\\})*"
}
