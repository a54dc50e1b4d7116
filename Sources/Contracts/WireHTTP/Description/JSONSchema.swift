import WireBase
package import WireConfig

/// A schema of a JSON value (JSON Schema 2020-12, as in OpenAPI 3.1).
///
/// Built on first use: a program declares many schemas and rarely prints one.
package struct JSONSchema: Sendable {
    private let make: @Sendable () -> Content

    struct Content {
        var keywords: JSONValue
        /// The named schemas it refers to, directly and indirectly.
        var definitions: [String: Definition] = [:]
        /// An example value, where one is known.
        var example: JSONValue?
        /// Whether the example was given explicitly and is not derived from the type.
        var isShown = false
    }

    /// A named schema that others refer to.
    struct Definition {
        let keywords: JSONValue
        let example: JSONValue?
        /// Why the example is invalid, if it is.
        let refusal: JSONMismatch?
    }

    private init(_ make: @escaping @Sendable () -> Content) { self.make = make }

    private init(
        _ keywords: @autoclosure @escaping @Sendable () -> JSONValue,
        example: @autoclosure @escaping @Sendable () -> JSONValue? = nil
    ) {
        make = { Content(keywords: keywords(), example: example()) }
    }

    /// A schema that is built on first use.
    package static func of(_ schema: @autoclosure @escaping @Sendable () -> JSONSchema) -> JSONSchema {
        JSONSchema { schema().content }
    }

    var content: Content { make() }
    package var keywords: JSONValue { content.keywords }
    var definitions: [String: Definition] { content.definitions }

    // MARK: Values

    package static let anything = JSONSchema(.object([]))
    package static let text = text()
    package static let boolean = JSONSchema(.members(["type": .string("boolean")]), example: .boolean(false))
    package static let number = JSONSchema(.members(["type": .string("number")]), example: .number(0.5))
    package static let integer = JSONSchema(.members(["type": .string("integer")]), example: .integer(1))
    /// Milliseconds since 1970.
    package static let moment = JSONSchema(
        .members([
            "type": .string("integer"), "format": .string("int64"),
            "description": .string("Milliseconds since 1970."),
        ]),
        example: .integer(1_767_261_600_000)
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
            ]),
            example: .integer(range.lowerBound)
        )
    }

    package static func number(above least: Int, upTo most: Int) -> JSONSchema {
        JSONSchema(
            .members([
                "type": .string("number"), "exclusiveMinimum": .integer(least), "maximum": .integer(most),
            ]),
            example: .integer(most)
        )
    }

    package static func count() -> JSONSchema {
        JSONSchema(.members(["type": .string("integer"), "minimum": .integer(0)]), example: .integer(0))
    }

    package static func words(_ words: [String]) -> JSONSchema {
        JSONSchema(
            .members(["type": .string("string"), "enum": .array(words.map(JSONValue.string))]),
            example: words.first.map(JSONValue.string)
        )
    }

    /// `*`, or entity tags in quotes, as in conditional header fields.
    package static let tags = text(pattern: #"^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$"#)

    // MARK: Containers

    package static func array(of item: JSONSchema) -> JSONSchema {
        item.inside {
            .members(["type": .string("array"), "items": $0])
        } example: {
            .array([$0])
        }
    }

    /// An object whose member names the caller chooses.
    package static func map(of value: JSONSchema) -> JSONSchema {
        value.inside { .members(["type": .string("object"), "additionalProperties": $0]) }
    }

    /// A value that matches one of the schemas.
    package static func any(of schemas: [JSONSchema]) -> JSONSchema {
        JSONSchema {
            let contents = schemas.map(\.content)
            return Content(
                keywords: .members(["anyOf": .array(contents.map(\.keywords))]),
                definitions: Content.definitions(of: contents),
                example: contents.firstFound(\.example)
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

    /// An object with these members; unknown members are rejected unless `ignoresOthers` is true.
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
                definitions: Content.definitions(of: contents),
                example: example(of: members, contents)
            )
        }
    }

    /// An example of all required members, and of the optional ones with an example; nil where a required one has none.
    private static func example(of members: [Member], _ contents: [Content]) -> JSONValue? {
        var shown: [(key: String, value: JSONValue)] = []
        for (member, content) in zip(members, contents) where member.isRequired || content.isShown {
            guard let example = content.example else { return nil }
            shown.append((member.name, example))
        }
        return .object(shown)
    }

    /// Adds an example.
    package func showing(_ example: @autoclosure @escaping @Sendable () -> JSONValue?) -> JSONSchema {
        JSONSchema {
            var content = content
            (content.example, content.isShown) = (example(), true)
            return content
        }
    }

    /// Names the schema, so that others refer to it.
    package func named(_ name: String) -> JSONSchema { named(name) { _ in nil } }

    /// Names the schema, with a check for its example.
    func named(_ name: String, refusing refusal: @escaping @Sendable (JSONValue) -> JSONMismatch?) -> JSONSchema {
        JSONSchema {
            var content = content
            content.definitions[name] = Definition(
                keywords: content.keywords,
                example: content.example,
                refusal: content.example.flatMap(refusal)
            )
            content.keywords = .members(["$ref": .string("#/components/schemas/\(name)")])
            return content
        }
    }

    /// The name of the schema, if any.
    var name: String? {
        guard case .object(let members) = keywords,
            case .string(let path)? = members.first(where: { $0.key == "$ref" })?.value
        else { return nil }
        return path.split(separator: "/").last.map(String.init)
    }

    /// The schema or `null`, which means absent.
    package var orNull: JSONSchema {
        JSONSchema {
            var content = content
            guard case .object(let members) = content.keywords else { return content }
            content.keywords = .object(
                members.map { member in
                    switch (member.key, member.value) {
                    case ("type", let type): ("type", .array([type, .string("null")]))
                    case ("enum", .array(let words)): ("enum", .array(words + [.null]))
                    default: member
                    }
                }
            )
            return content
        }
    }

    /// Makes a schema that contains this one, with its definitions.
    private func inside(
        _ keywords: @escaping @Sendable (JSONValue) -> JSONValue,
        example: @escaping @Sendable (JSONValue) -> JSONValue? = { _ in nil }
    ) -> JSONSchema {
        JSONSchema {
            let content = content
            return Content(
                keywords: keywords(content.keywords),
                definitions: content.definitions,
                example: content.example.flatMap(example)
            )
        }
    }
}

extension JSONSchema.Content {
    /// Adds a description, followed by the type's own description where that differs.
    fileprivate func saying(_ help: String) -> Self {
        guard case .object(let members) = keywords else { return self }
        let own = keywords["description"]?.string
        let unsaid = own.flatMap { help.lowercased().hasSuffix($0.lowercased()) ? nil : $0 }
        let words = [help, unsaid].compactMap(\.self).joined(separator: " ")
        var content = self
        content.keywords = .object([("description", .string(words))] + members.filter { $0.key != "description" })
        return content
    }

    fileprivate static func definitions(of contents: [Self]) -> [String: JSONSchema.Definition] {
        contents.reduce(into: [:]) { $0.merge($1.definitions) { first, _ in first } }
    }
}
