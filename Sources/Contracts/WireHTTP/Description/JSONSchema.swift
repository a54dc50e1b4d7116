package import WireConfig

/// What a JSON value may be (JSON Schema 2020-12, as OpenAPI 3.1 has it).
///
/// It is made when it is looked at: most runs of a program declare many schemas, and print none.
package struct JSONSchema: Sendable {
    private let make: @Sendable () -> Content

    struct Content {
        let keywords: JSONValue
        /// The schemas it refers to by name, with those that they refer to.
        var definitions: [String: JSONValue] = [:]
    }

    private init(_ make: @escaping @Sendable () -> Content) { self.make = make }

    private init(_ keywords: @autoclosure @escaping @Sendable () -> JSONValue) {
        make = { Content(keywords: keywords()) }
    }

    /// The schema of a type that describes itself when it is first asked to.
    package static func of(_ schema: @autoclosure @escaping @Sendable () -> JSONSchema) -> JSONSchema {
        JSONSchema { schema().content }
    }

    var content: Content { make() }
    package var keywords: JSONValue { content.keywords }
    var definitions: [String: JSONValue] { content.definitions }

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
        item.inside { .members(["type": .string("array"), "items": $0]) }
    }

    /// An object whose members have names of the caller's own.
    package static func map(of value: JSONSchema) -> JSONSchema {
        value.inside { .members(["type": .string("object"), "additionalProperties": $0]) }
    }

    /// A value that one of these describes.
    package static func any(of schemas: [JSONSchema]) -> JSONSchema {
        JSONSchema {
            let contents = schemas.map(\.content)
            return Content(
                keywords: .members(["anyOf": .array(contents.map(\.keywords))]),
                definitions: Content.definitions(of: contents)
            )
        }
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

    /// An object with these members and no others, unless those are passed over.
    package static func object(_ members: [Member], help: String? = nil, ignoresOthers: Bool = false) -> JSONSchema {
        JSONSchema {
            let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
            let contents = members.map { $0.schema.content.saying($0.help) }
            return Content(
                keywords: .members([
                    "type": .string("object"), "description": help.map(JSONValue.string),
                    "properties": .object(zip(members, contents).map { ($0.name, $1.keywords) }),
                    "required": required.isEmpty ? nil : .array(required),
                    "additionalProperties": ignoresOthers ? nil : .boolean(false),
                ]),
                definitions: Content.definitions(of: contents)
            )
        }
    }

    /// The same under a name, which stands for it wherever it is used.
    package func named(_ name: String) -> JSONSchema {
        JSONSchema {
            var content = content
            let reference = "#/components/schemas/\(name)"
            content.definitions[name] = content.keywords
            return Content(keywords: .members(["$ref": .string(reference)]), definitions: content.definitions)
        }
    }

    /// The name that stands for it, where it has one.
    var name: String? {
        guard case .object(let members) = keywords,
            case .string(let path)? = members.first(where: { $0.key == "$ref" })?.value
        else { return nil }
        return path.split(separator: "/").last.map(String.init)
    }

    /// The same, or `null`, which says as much as nothing.
    package var orNull: JSONSchema {
        inside { keywords in
            guard case .object(let members) = keywords else { return keywords }
            return .object(
                members.map { member in
                    switch (member.key, member.value) {
                    case ("type", let type): ("type", .array([type, .string("null")]))
                    case ("enum", .array(let words)): ("enum", .array(words + [.null]))
                    default: member
                    }
                }
            )
        }
    }

    /// A schema made of this one, which refers to what it refers to.
    private func inside(_ keywords: @escaping @Sendable (JSONValue) -> JSONValue) -> JSONSchema {
        JSONSchema {
            let content = content
            return Content(keywords: keywords(content.keywords), definitions: content.definitions)
        }
    }
}

extension JSONSchema.Content {
    /// The same with a description; one it has already stays.
    fileprivate func saying(_ help: String) -> Self {
        guard case .object(let members) = keywords, !members.contains(where: { $0.key == "description" }) else {
            return self
        }
        return Self(keywords: .object([("description", .string(help))] + members), definitions: definitions)
    }

    fileprivate static func definitions(of contents: [Self]) -> [String: JSONValue] {
        contents.reduce(into: [:]) { $0.merge($1.definitions) { first, _ in first } }
    }
}
