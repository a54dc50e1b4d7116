package import WireConfig

/// The OpenAPI 3.1 description of the local API, generated from the operations.
package struct APIDescription: Sendable {
    private let operations: [Operation]
    private let events: [EventDescription]
    /// The version in the paths: a breaking change gets a `/v2`.
    private static let version = "1"

    package init(_ operations: [Operation], events: [EventDescription] = []) {
        (self.operations, self.events) = (operations, events)
        let names = operations.map(\.name)
        precondition(Set(names).count == names.count, "two operations have one name: \(names.sorted())")
    }

    package var value: JSONValue {
        .members([
            "openapi": .string("3.1.0"),
            "info": .members([
                "title": .string("The local API of corewire"), "version": .string(Self.version),
                "description": .string(Self.introduction),
            ]),
            "servers": .array([
                .members([
                    "url": .string("http://127.0.0.1:7420"),
                    "description": .string("The loopback address, where 'api.listen' names it."),
                ])
            ]),
            "security": .array(Self.credentials.map { .members([$0: .array([])]) }),
            "tags": .array(areas.map { .members(["name": .string($0)]) }),
            "x-corewire-events": events.isEmpty ? nil : .object(events.map { ($0.name, $0.described) }),
            "paths": .object(paths),
            "components": .members([
                "securitySchemes": Self.security, "responses": .object(sharedResponses), "schemas": .object(schemas),
                "examples": .object(examples.map { ($0.key, .members(["value": $0.value])) }),
            ]),
        ])
    }

    /// The description as YAML.
    package var yaml: String { YAMLWriter.text(of: Literal(value)) }

    /// The description as a Markdown page.
    package var page: String { APIPage(operations, events, values: schemas, examples: bodyExamples).markdown }

    private static let introduction = """
        On the Unix socket the kernel identifies the caller: neither a token nor 'X-Corewire' is needed. On the loopback \
        address each request needs a token, and each request that changes something the field 'X-Corewire: 1'. Every error \
        is a problem (RFC 9457) whose 'type' is one of 'x-problem-types' of the response. HEAD is allowed wherever GET is. \
        A timestamp is a number of milliseconds since 1970; members whose names end with 'At', and the 'time' of events, \
        are text (ISO 8601). A duration is text with units, such as 10m, or a number whose description names the unit.
        """

    /// The areas of the operations, sorted by name.
    private var areas: [String] { Set(operations.map(\.area)).sorted() }

    /// Security schemes that identify the caller.
    static let credentials = ["token", "session"]
    /// The security scheme for the field that web pages cannot send.
    static let notFromAPage = "notFromAPage"

    private static let security: JSONValue = .members([
        notFromAPage: .members([
            "type": .string("apiKey"), "in": .string("header"), "name": .string("X-Corewire"),
            "description": .string("'1'. Web pages of other origins cannot send this field."),
        ]),
        "token": .members([
            "type": .string("http"), "scheme": .string("bearer"),
            "description": .string("A token of 'api.tokenFile' or 'api.apps', or the file 'api-token'."),
        ]),
        "session": .members([
            "type": .string("apiKey"), "in": .string("header"), "name": .string("Corewire-Console"),
            "description": .string("The session cookie of the console; see 'corewire console'."),
        ]),
    ])

    // MARK: Paths

    private var paths: [(key: String, value: JSONValue)] {
        var paths: [(key: String, value: [(key: String, value: JSONValue)])] = []
        for operation in operations {
            let member = (key: operation.method.name.lowercased(), value: operation.described)
            if let index = paths.firstIndex(where: { $0.key == operation.path }) {
                paths[index].value.append(member)
            } else {
                paths.append((operation.path, [member]))
            }
        }
        return paths.map { ($0.key, .object($0.value)) }
    }

    // MARK: Components

    private var sharedResponses: [(key: String, value: JSONValue)] {
        CommonProblems.shared.map { ("\($0.status.code)", Problem.answer($0.status, $0.kinds)) }
    }

    private var schemas: [(key: String, value: JSONValue)] {
        definitions.sorted { $0.key < $1.key }.map { ($0.key, $0.value.keywords) }
    }

    private var definitions: [String: JSONSchema.Definition] {
        var all = Problem.schema.definitions
        func add(_ definitions: [String: JSONSchema.Definition]) {
            for (name, found) in definitions {
                // A record used as both input and response would have two schemas under one name.
                precondition(
                    all[name].map { $0.keywords.text() == found.keywords.text() } ?? true,
                    "\(name) has two schemas"
                )
                if all[name]?.refusal == nil { all[name] = found }
            }
        }
        for schema in bodies { add(schema.definitions) }
        for answer in operations.flatMap(\.answers) { add(answer.definitions) }
        for event in events { add(event.payload.definitions) }
        return all
    }

    /// The schemas of the request bodies.
    private var bodies: [JSONSchema] {
        operations.compactMap { operation in
            switch operation.body {
            case .json(let schema, _, _), .collected(_, _, let schema?): schema
            case .none, .collected, .streamed: nil
            }
        }
    }

    // MARK: Examples

    /// The examples of bodies, by schema name.
    private var examples: [(key: String, value: JSONValue)] {
        let named = (bodies + answers).map { ($0.name, $0.content.example) }
        let examples: [String: JSONValue] = named.reduce(into: [:]) { examples, schema in
            if let name = schema.0, let example = schema.1 { examples[name] = example }
        }
        return examples.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private var bodyExamples: [String: JSONValue] {
        let names = Set(bodies.compactMap(\.name))
        return Dictionary(uniqueKeysWithValues: examples.filter { names.contains($0.key) }.map { ($0.key, $0.value) })
    }

    private var answers: [JSONSchema] {
        operations.flatMap(\.answers).compactMap { answer in
            if case .json(let schema) = answer.content { schema } else { nil }
        }
    }

    /// The records of bodies without an example, because a member has none.
    package var withoutExample: [String] {
        let known = Set(examples.map(\.key))
        return Set((bodies + answers).compactMap(\.name)).subtracting(known).sorted()
    }

    /// The examples that do not match their schema, each with the reason.
    package var refusedExamples: [String] {
        definitions.compactMap { name, definition in definition.refusal.map { "\(name)\($0.pointer): \($0.detail)" } }
            .sorted()
    }
}

extension EventDescription {
    fileprivate var described: JSONValue {
        .members(["description": .string(help), "data": payload.keywords])
    }
}

extension Operation.Answer {
    fileprivate var definitions: [String: JSONSchema.Definition] {
        switch content {
        case .json(let schema): schema.definitions
        case .problem(_, let schema): schema?.definitions ?? [:]
        case .nothing, .other: [:]
        }
    }
}
