import WireConfig

/// Generates the reference page of the local API.
struct APIPage: Sendable {
    private let operations: [Operation]
    private let events: [EventDescription]
    /// The schemas of named values.
    private let values: [(key: String, value: JSONValue)]
    /// The examples of bodies, by schema name.
    private let examples: [String: JSONValue]

    init(
        _ operations: [Operation],
        _ events: [EventDescription],
        values: [(key: String, value: JSONValue)],
        examples: [String: JSONValue]
    ) {
        (self.operations, self.events, self.values, self.examples) = (operations, events, values, examples)
    }

    var markdown: String {
        """
        # The local API

        All operations by area. `corewire schema api` prints them as OpenAPI, with the schema of each value. On the Unix
        socket neither a token nor `X-Corewire` is needed; [running.md](running.md) describes access control. Any operation
        can also respond with 400, 401, 403, 404, 429, 500, and with 503 while the runner starts or stops.

        A timestamp is a number of milliseconds since 1970; members whose names end with `At`, and the `time` of events, are
        text (ISO 8601, UTC). A duration is text with units, such as `10m`, or a number whose description names the unit.
        `--format json` prints values in this form; text output shows timestamps as `2026-01-31T12:00:00Z`.


        """ + areas.map(section).joined(separator: "\n") + stream + "\n## Values\n" + values.map(section).joined()
    }

    /// The section about the events of `/v1/events`.
    private var stream: String {
        guard !events.isEmpty else { return "" }
        let rows = events.map { event in
            "| `\(event.name)` | \(Self.escaped(event.help)) | \(Self.type(of: event.payload.keywords)) |\n"
        }
        return """

            ## Events

            `GET /v1/events` and `corewire events` return these events. Each is a server-sent event with its name in `event`,
            an increasing number in `id`, and an object in `data` with the members `time` (ISO 8601), `generation` (absent for
            events outside of a generation) and `data`, whose type is in the last column. An event `gap` stands for events
            that are no longer stored: those between the ids `after` and `before`.

            | event | emitted when | data |
            |---|---|---|

            """ + rows.joined()
    }

    private func section(of name: String, _ schema: JSONValue) -> String {
        let help = schema["description"]?.string.map { "\($0)\n\n" } ?? ""
        let required = (schema["required"]?.array ?? []).compactMap(\.string)
        let rows = (schema["properties"]?.members ?? []).map { member in
            let cells = [
                "`\(member.key)`\(required.contains(member.key) ? "" : "?")", Self.type(of: member.value),
                member.value["description"]?.string ?? "",
            ]
            return "| \(cells.map(Self.escaped).joined(separator: " | ")) |\n"
        }
        let table = rows.isEmpty ? "" : "| member | type | |\n|---|---|---|\n" + rows.joined()
        let value = examples[name].flatMap { $0.members?.isEmpty ?? false ? nil : $0 }
        let example = value.map { "\nExample: `\($0.text())`\n" } ?? ""
        return "\n### \(name)\n\n\(help)\(table)\(example)"
    }

    /// A short name for the type of a value.
    private static func type(of schema: JSONValue) -> String {
        if let path = schema["$ref"]?.string { return link(to: path.split(separator: "/").last.map(String.init) ?? "") }
        if let words = schema["enum"]?.array { return words.compactMap(\.string).joined(separator: ", ") }
        if let all = schema["allOf"]?.array { return all.first.map(type) ?? "" }
        if let some = schema["anyOf"]?.array { return some.map(type).joined(separator: " or ") }
        let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string].compactMap(\.self)
        guard types.first == "array", let items = schema["items"] else {
            return types.first { $0 != "null" } ?? "any"
        }
        return "array of \(type(of: items))"
    }

    fileprivate static func link(to name: String) -> String { "[`\(name)`](#\(name.lowercased()))" }
    fileprivate static func escaped(_ text: String) -> String { text.replacing("|", with: "\\|") }

    private var areas: [String] {
        operations.map(\.area).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.sorted()
    }

    private func section(of area: String) -> String {
        let rows = operations.filter { $0.area == area }.map(\.row)
        return "## \(area)\n\n| operation | access | does | takes | answers |\n|---|---|---|---|---|\n" + rows.joined()
    }
}

extension Operation {
    fileprivate var row: String {
        let cells = ["`\(method.name) \(path)`", access.rawValue, summary, takes, answered]
        return "| \(cells.map(APIPage.escaped).joined(separator: " | ")) |\n"
    }

    private var takes: String {
        let items = inputs.filter { $0.kind != .path }.map { input in
            input.kind == .query ? "`?\(input.name)`" : "`\(input.name)`"
        }
        return (items + [bodyName].compactMap { $0 }).joined(separator: ", ")
    }

    private var bodyName: String? {
        switch body {
        case .none: nil
        case .json(let schema, _, _): schema.name.map(APIPage.link) ?? "JSON"
        case .collected(let types, _, _), .streamed(let types, _):
            types.isEmpty ? "a body" : types.joined(separator: " or ")
        }
    }

    /// The responses by status, with the kinds of problems.
    private var answered: String {
        let codes = Set(answers.map(\.status.code)).sorted()
        return codes.map { code in
            let names = answers.filter { $0.status.code == code }.compactMap(\.name)
            let distinct: [String] = names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            return "\(code)\(distinct.isEmpty ? "" : " ")" + distinct.joined(separator: ", ")
        }.joined(separator: "; ")
    }
}

extension Operation.Answer {
    fileprivate var name: String? {
        switch content {
        case .nothing, .other: nil
        case .json(let schema): schema.name.map(APIPage.link)
        case .problem(let kind, _): kind
        }
    }
}
