package import WireConfig

/// What a JSON value may be (JSON Schema 2020-12, as OpenAPI 3.1 has it).
package struct JSONSchema: Sendable {
    /// The keywords of the schema.
    package let keywords: JSONValue
    /// The schemas it refers to by name, with those that they refer to.
    let definitions: [String: JSONValue]

    private init(_ keywords: JSONValue, _ definitions: [String: JSONValue] = [:]) {
        self.keywords = keywords
        self.definitions = definitions
    }

    // MARK: Values

    package static let anything = JSONSchema(.object([]))
    package static let text = text()
    package static let boolean = JSONSchema(.members(["type": .string("boolean")]))
    package static let number = JSONSchema(.members(["type": .string("number")]))
    package static let integer = JSONSchema(.members(["type": .string("integer")]))
    /// Milliseconds since 1970.
    package static let moment = JSONSchema(
        .members([
            "type": .string("integer"), "format": .string("int64"),
            "description": .string("Milliseconds since 1970."),
        ])
    )

    package static func text(pattern: String? = nil, from least: Int? = nil, upTo length: Int? = nil) -> JSONSchema {
        JSONSchema(
            .members([
                "type": .string("string"), "pattern": pattern.map(JSONValue.string),
                "minLength": least.map(JSONValue.integer), "maxLength": length.map(JSONValue.integer),
            ])
        )
    }

    package static func integer(in range: ClosedRange<Int>) -> JSONSchema {
        JSONSchema(
            .members([
                "type": .string("integer"), "minimum": .integer(range.lowerBound),
                "maximum": .integer(range.upperBound),
            ])
        )
    }

    package static func number(above least: Int, upTo most: Int) -> JSONSchema {
        JSONSchema(
            .members([
                "type": .string("number"), "exclusiveMinimum": .integer(least), "maximum": .integer(most),
            ])
        )
    }

    package static func count() -> JSONSchema {
        JSONSchema(.members(["type": .string("integer"), "minimum": .integer(0)]))
    }

    package static func words(_ words: [String]) -> JSONSchema {
        JSONSchema(.members(["type": .string("string"), "enum": .array(words.map(JSONValue.string))]))
    }

    /// `*`, or entity tags in quotes, as the fields of conditions have them.
    package static let tags = text(pattern: #"^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$"#)

    // MARK: What holds values

    package static func array(of item: JSONSchema) -> JSONSchema {
        JSONSchema(.members(["type": .string("array"), "items": item.keywords]), item.definitions)
    }

    /// A member of an object.
    package struct Member: Sendable {
        let name: String
        let help: String
        let schema: JSONSchema
        let isRequired: Bool

        package static func required(_ name: String, _ help: String, _ schema: JSONSchema) -> Member {
            Member(name: name, help: help, schema: schema, isRequired: true)
        }

        package static func optional(_ name: String, _ help: String, _ schema: JSONSchema) -> Member {
            Member(name: name, help: help, schema: schema, isRequired: false)
        }
    }

    /// An object with these members and no others.
    package static func object(_ members: [Member], help: String? = nil) -> JSONSchema {
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        return JSONSchema(
            .members([
                "type": .string("object"), "description": help.map(JSONValue.string),
                "properties": .object(members.map { ($0.name, $0.schema.saying($0.help).keywords) }),
                "required": required.isEmpty ? nil : .array(required), "additionalProperties": .boolean(false),
            ]),
            members.reduce(into: [:]) { $0.merge($1.schema.definitions) { first, _ in first } }
        )
    }

    /// The same under a name, which stands for it wherever it is used.
    package func named(_ name: String) -> JSONSchema {
        var definitions = definitions
        definitions[name] = keywords
        return JSONSchema(.members(["$ref": .string("#/components/schemas/\(name)")]), definitions)
    }

    /// The name that stands for it, where it has one.
    var name: String? {
        guard case .object(let members) = keywords,
            case .string(let path)? = members.first(where: { $0.key == "$ref" })?.value
        else { return nil }
        return path.split(separator: "/").last.map(String.init)
    }

    /// The same with a description; one it has already stays.
    private func saying(_ help: String) -> JSONSchema {
        guard case .object(let members) = keywords, !members.contains(where: { $0.key == "description" }) else {
            return self
        }
        return JSONSchema(.object([("description", .string(help))] + members), definitions)
    }

    /// The same, or `null`, which says as much as nothing.
    package var orNull: JSONSchema {
        guard case .object(let members) = keywords else { return self }
        return JSONSchema(
            .object(
                members.map { member in
                    switch (member.key, member.value) {
                    case ("type", let type): ("type", .array([type, .string("null")]))
                    case ("enum", .array(let words)): ("enum", .array(words + [.null]))
                    default: member
                    }
                }
            ),
            definitions
        )
    }

    /// All that are given, of which one value fulfils each.
    package static func all(_ schemas: [JSONSchema]) -> JSONSchema {
        JSONSchema(
            .members(["allOf": .array(schemas.map(\.keywords))]),
            schemas.reduce(into: [:]) { $0.merge($1.definitions) { first, _ in first } }
        )
    }

    /// An object some of whose members are looked at, whatever else it holds.
    package static func holding(_ name: String, _ schema: JSONSchema) -> JSONSchema {
        JSONSchema(.members(["properties": .members([name: schema.keywords])]), schema.definitions)
    }
}
