import WireBase
import WireConfig

extension Operation {
    /// The path in OpenAPI syntax, which has no notation for `{name…}`.
    var path: String { String(pattern.filter { $0 != "…" }) }

    var described: JSONValue {
        .members([
            "operationId": .string(name), "tags": .array([.string(area)]), "summary": .string(summary),
            "x-corewire-access": .string(access.rawValue), "security": security,
            "parameters": parameters.isEmpty ? nil : .array(parameters),
            "requestBody": requestBody, "responses": .object(responses),
        ])
    }

    /// The operation id, such as `getGenerations`; paths without a version get `getRunnerHealthz`.
    var name: String {
        let words = path.split { !$0.isLetter }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let own = path.hasPrefix("/v1/") ? Array(words.dropFirst()) : words.isEmpty ? ["Console"] : ["Runner"] + words
        return method.name.lowercased() + own.joined()
    }

    /// The area: the first segment of the path after the version.
    var area: String {
        let steps = path.split(separator: "/").map(String.init)
        return steps.first == "v1" ? steps.dropFirst().first ?? "" : "health"
    }

    /// The security requirements, where they differ from the default.
    private var security: JSONValue? {
        if access == .anyone { return .array([.object([])]) }
        if method.isSafe || isForForeignClients { return nil }
        return .array(
            APIDescription.credentials.map { .members([$0: .array([]), APIDescription.notFromAPage: .array([])]) }
        )
    }

    // MARK: Parameters

    private var parameters: [JSONValue] {
        let placeholders = RoutePattern(pattern).placeholders.map { placeholder in
            let told = inputs.first { $0.kind == .path && $0.name == placeholder.name }
            return Self.parameter(placeholder.name, in: "path", told?.help, told?.schema ?? .text, isRequired: true)
        }
        let given = inputs.filter { $0.kind != .path }.map {
            Self.parameter($0.name, in: $0.kind.rawValue, $0.help, $0.schema)
        }
        return placeholders + given
    }

    private static func parameter(
        _ name: String,
        in place: String,
        _ help: String?,
        _ schema: JSONSchema,
        isRequired: Bool = false
    ) -> JSONValue {
        let content = schema.content
        return .members([
            "name": .string(name), "in": .string(place), "description": help.map(JSONValue.string),
            "required": isRequired ? .boolean(true) : nil,
            // The items of an object without declared names are query items.
            "schema": name == Route.Input.anyName ? .members(["type": .string("object")]) : content.keywords,
            "example": content.isShown ? content.example : nil,
        ])
    }

    private var requestBody: JSONValue? {
        switch body {
        case .none: nil
        case .json(let schema, let limit, let mayBeEmpty):
            .members([
                "description": limit.map { .string("At most \($0).") }, "required": .boolean(!mayBeEmpty),
                "content": .members(["application/json": schema.media]),
            ])
        case .collected(let types, let limit, let schema): Self.requestBody(types, limit, json: schema)
        case .streamed(let types, let limit): Self.requestBody(types, limit)
        }
    }

    private static func requestBody(_ types: [String], _ limit: ByteCount?, json: JSONSchema? = nil) -> JSONValue {
        let content = (types.isEmpty ? [MediaContent.any] : types).map { MediaContent.described($0, json: json) }
        return .members([
            "description": limit.map { .string("At most \($0).") }, "content": .object(content),
        ])
    }

    // MARK: Responses

    private var responses: [(key: String, value: JSONValue)] {
        let common = CommonProblems(of: self).all
        let codes = Set(common.map(\.status.code) + answers.map(\.status.code)).sorted()
        return codes.map { code in
            let status = Status(code)
            let own = answers.filter { $0.status == status }
            let kinds = common.first { $0.status == status }?.kinds ?? []
            let isShared = CommonProblems.shared.contains { $0.status == status }
            guard own.isEmpty, isShared, method != .head else {
                return ("\(code)", Self.response(status, own, kinds, hasBody: method != .head))
            }
            return ("\(code)", .members(["$ref": .string("#/components/responses/\(code)")]))
        }
    }

    private static func response(
        _ status: Status,
        _ own: [Answer],
        _ common: [String],
        hasBody: Bool
    ) -> JSONValue {
        var kinds = common
        var carried: JSONSchema?
        var content: [(key: String, value: JSONValue)] = []
        for answer in own {
            switch answer.content {
            case .nothing: break
            case .json(let schema): content.append(("application/json", schema.media))
            case .other(let type): content.append(MediaContent.described(type, json: nil))
            case .problem(let kind, let schema):
                if !kinds.contains(kind) { kinds.append(kind) }
                carried = carried ?? schema
            }
        }
        let help = own.isEmpty ? status.phrase : own.map(\.help).filter { !$0.isEmpty }.joined(separator: " ")
        if !kinds.isEmpty { content.append(("application/problem+json", Problem.media(kinds, carrying: carried))) }
        var fields: [(key: String, value: JSONValue)] = []
        for field in own.flatMap(\.fields) where !fields.contains(where: { $0.key == field.name }) {
            let described: JSONValue = .members([
                "description": .string(field.help), "schema": JSONSchema.text.keywords,
            ])
            fields.append((field.name, described))
        }
        return .members([
            "description": .string(help), "headers": fields.isEmpty ? nil : .object(fields),
            "content": hasBody && !content.isEmpty ? .object(content) : nil,
        ])
    }
}

extension JSONSchema {
    /// A media type with schema and example.
    fileprivate var media: JSONValue {
        let content = content
        let example: JSONValue? = name.flatMap { name in
            content.example == nil ? nil : .members(["$ref": .string("#/components/examples/\(name)")])
        }
        return .members(["schema": content.keywords, "examples": example.map { .members(["usual": $0]) }])
    }
}

extension Problem {
    /// The schema of every problem.
    static let schema = JSONSchema.object(members).named("Problem")

    /// A problem with the members of a record as extensions.
    package static func schema<DeliveryResult: JSONRecord>(_ name: String, carrying record: DeliveryResult.Type)
        -> JSONSchema
    {
        .of(JSONSchema.object(members + record.form.members.map(\.member)).named(name))
    }

    private static var members: [JSONSchema.Member] {
        [
            .required("type", "The stable name of the kind.", .text(pattern: "^urn:corewire:problem:[a-z-]+$")),
            .required("title", "The kind of problem in words.", .text),
            .required("status", "The status code of the response.", .integer(in: 400...599)),
            .required("detail", "What was found and what was expected in this request.", .text),
            .optional(
                "body",
                "The location in the request body.",
                .object([
                    .required("pointer", "A JSON pointer (RFC 6901).", .text),
                    .optional("line", "The line, from 1.", .integer),
                    .optional("column", "The column, from 1.", .integer),
                ])
            ),
            .optional(
                "config",
                "The value of the services file that causes the problem.",
                .object([
                    .required("path", "The path of the key in the file.", .text),
                    .required("place", "File, line and column.", .text),
                ])
            ),
        ]
    }

    /// A problem response, with its extension members.
    ///
    /// The kinds are not part of the schema: generated clients would get a separate type for each response.
    fileprivate static func media(_ kinds: [String], carrying schema: JSONSchema? = nil) -> JSONValue {
        .members([
            "schema": (schema ?? Self.schema).keywords,
            "x-problem-types": .array(kinds.map { .string("urn:corewire:problem:\($0)") }),
        ])
    }

    static func answer(_ status: Status, _ kinds: [String]) -> JSONValue {
        .members([
            "description": .string(status.phrase), "content": .members(["application/problem+json": media(kinds)]),
        ])
    }
}

/// The media types of bodies that are not JSON.
private enum MediaContent {
    /// Bytes of any type.
    static let any = "application/octet-stream"

    static func described(_ type: String, json: JSONSchema?) -> (key: String, value: JSONValue) {
        let type = type == "*/*" ? any : type
        if type == "application/json", let json { return (type, json.media) }
        // JSON, YAML and event streams are structured, not plain text.
        let isRead = type == "application/json" || type == "application/yaml" || type == "text/event-stream"
        let schema: JSONValue =
            if isRead { .object([]) } else if type.hasPrefix("text/") { .members(["type": .string("string")]) } else {
                .members(["type": .string("string"), "format": .string("binary")])
            }
        return (type, .members(["schema": schema]))
    }
}
