import WireConfig

extension Operation {
    /// The path as OpenAPI writes it, which has no sign for what takes the rest.
    var path: String { String(pattern.filter { $0 != "…" }) }

    var described: JSONValue {
        .members([
            "operationId": .string(name), "summary": .string(summary), "x-corewire-access": .string(access.rawValue),
            "security": access == .anyone ? .array([.object([])]) : nil,
            "parameters": parameters.isEmpty ? nil : .array(parameters),
            "requestBody": requestBody, "responses": .object(responses),
        ])
    }

    /// `getGenerations`, from method and path.
    private var name: String {
        let words = path.split { !$0.isLetter }.filter { $0 != "v" }
        return method.name.lowercased()
            + (words.isEmpty ? "Console" : words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined())
    }

    // MARK: What it takes

    private var parameters: [JSONValue] {
        let placeholders = RoutePattern(pattern).placeholders.map { placeholder in
            let told = inputs.first { $0.kind == .path && $0.name == placeholder.name }
            return Self.parameter(placeholder.name, in: "path", told?.help, told?.schema ?? .text, isRequired: true)
        }
        let given = inputs.filter { $0.kind != .path }.map {
            Self.parameter($0.name, in: $0.kind.rawValue, $0.help, $0.schema)
        }
        let guarding = Self.parameter(
            "X-Corewire",
            in: "header",
            "What no web page can send without asking; needed at the loopback address.",
            .words(["1"]),
            isRequired: true
        )
        return placeholders + given + (method.isSafe || isForForeignClients ? [] : [guarding])
    }

    private static func parameter(
        _ name: String,
        in place: String,
        _ help: String?,
        _ schema: JSONSchema,
        isRequired: Bool = false
    ) -> JSONValue {
        .members([
            "name": .string(name), "in": .string(place), "description": help.map(JSONValue.string),
            "required": isRequired ? .boolean(true) : nil,
            // The items of an object without names of its own are items of the query.
            "schema": name == Route.Input.anyName ? .members(["type": .string("object")]) : schema.keywords,
        ])
    }

    private var requestBody: JSONValue? {
        switch body {
        case .none: nil
        case .json(let schema, let limit, let mayBeEmpty):
            .members([
                "description": limit.map { .string("At most \($0).") }, "required": .boolean(!mayBeEmpty),
                "content": .members(["application/json": .members(["schema": schema.keywords])]),
            ])
        case .collected(let types, let limit), .streamed(let types, let limit):
            .members([
                "description": limit.map { .string("At most \($0).") },
                "content": .object((types.isEmpty ? ["*/*"] : types).map { ($0, .object([])) }),
            ])
        }
    }

    // MARK: How it is answered

    private var responses: [(key: String, value: JSONValue)] {
        let common = CommonProblems(of: self).all
        let codes = Set(common.map(\.status.code) + answers.map(\.status.code)).sorted()
        return codes.map { code in
            let status = Status(code)
            let own = answers.filter { $0.status == status }
            let kinds = common.first { $0.status == status }?.kinds ?? []
            guard own.isEmpty, CommonProblems.shared.contains(where: { $0.status == status }) else {
                return ("\(code)", Self.response(status, own, kinds))
            }
            return ("\(code)", .members(["$ref": .string("#/components/responses/\(code)")]))
        }
    }

    private static func response(_ status: Status, _ own: [Answer], _ common: [String]) -> JSONValue {
        var kinds = common
        var carried: JSONSchema?
        var content: [(key: String, value: JSONValue)] = []
        for answer in own {
            switch answer.content {
            case .nothing: break
            case .json(let schema): content.append(("application/json", .members(["schema": schema.keywords])))
            case .other(let type): content.append((type, .object([])))
            case .problem(let kind, let schema):
                if !kinds.contains(kind) { kinds.append(kind) }
                carried = carried ?? schema
            }
        }
        let help = own.isEmpty ? status.phrase : own.map(\.help).filter { !$0.isEmpty }.joined(separator: " ")
        if !kinds.isEmpty { content.append(("application/problem+json", Problem.media(kinds, carrying: carried))) }
        let fields = own.flatMap(\.fields).map { field in
            let described: JSONValue = .members([
                "description": .string(field.help), "schema": JSONSchema.text.keywords,
            ])
            return (key: field.name, value: described)
        }
        return .members([
            "description": .string(help), "headers": fields.isEmpty ? nil : .object(fields),
            "content": content.isEmpty ? nil : .object(content),
        ])
    }
}

extension Problem {
    /// What every problem holds.
    static let schema = JSONSchema.object(members).named("Problem")

    /// A problem that holds another object's members besides its own.
    package static func schema<Value>(_ name: String, carrying shape: JSONShape<Value>) -> JSONSchema {
        JSONSchema.object(members + shape.described).named(name)
    }

    private static var members: [JSONSchema.Member] {
        [
            .required("type", "The kind of problem, stable.", .text(pattern: "^urn:corewire:problem:[a-z-]+$")),
            .required("title", "The kind in words.", .text),
            .required("status", "The status of the answer.", .integer(in: 400...599)),
            .required("detail", "What was found and what was expected.", .text),
            .optional(
                "body",
                "The place in the body of the request.",
                .object([
                    .required("pointer", "A JSON pointer (RFC 6901).", .text),
                    .optional("line", "Its line, from 1.", .integer),
                    .optional("column", "Its column, from 1.", .integer),
                ])
            ),
            .optional(
                "config",
                "The value of the services file it comes from.",
                .object([
                    .required("path", "The key, from the top of the file.", .text),
                    .required("place", "File, line and column.", .text),
                ])
            ),
        ]
    }

    /// A problem of one of these kinds, and what it carries besides.
    fileprivate static func media(_ kinds: [String], carrying schema: JSONSchema? = nil) -> JSONValue {
        let types = JSONSchema.words(kinds.map { "urn:corewire:problem:\($0)" })
        return .members(["schema": JSONSchema.all([schema ?? Self.schema, .holding("type", types)]).keywords])
    }

    static func answer(_ status: Status, _ kinds: [String]) -> JSONValue {
        .members([
            "description": .string(status.phrase), "content": .members(["application/problem+json": media(kinds)]),
        ])
    }
}
