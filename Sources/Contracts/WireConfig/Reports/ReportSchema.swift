/// The JSON Schema (draft-07) of the JSON report.
package enum ReportSchema {
    package static var value: JSONValue {
        object([
            ("version", .members(["const": .integer(JSONReport.version)])), ("file", text), ("valid", type("boolean")),
            ("errors", count), ("warnings", count), ("omitted", count), ("environments", list(of: text)),
            ("problems", list(of: .members(["$ref": .string("#/definitions/problem")]))),
        ]).adding([
            ("$schema", .string("http://json-schema.org/draft-07/schema#")),
            ("$id", .string("https://corewire.dev/schemas/report.schema.json")),
            ("title", .string("corewire validate-config --format json")),
            ("definitions", .object([("place", place), ("problem", problem)])),
        ])
    }

    private static let text = type("string")
    private static let count = JSONValue.members(["type": .string("integer"), "minimum": .integer(0)])

    private static var place: JSONValue {
        object([
            ("file", text), ("line", count), ("column", count), ("endLine", count), ("endColumn", count),
            ("offset", count),
            ("length", count),
        ])
    }

    private static var problem: JSONValue {
        let place = JSONValue.members(["$ref": .string("#/definitions/place")])
        let edit = object([("place", place), ("replacement", text)])
        return object(
            [
                ("code", .members(["type": .string("string"), "pattern": .string("^CW[0-9]{4}$")])), ("name", text),
                ("severity", .members(["enum": .array([.string("error"), .string("warning"), .string("note")])])),
                ("message", text),
                ("path", text), ("environments", list(of: text)),
                ("related", list(of: object([("place", place), ("text", text)]))),
                ("help", list(of: text)),
            ],
            optional: [
                ("place", place), ("label", text), ("fix", object([("summary", text), ("edits", list(of: edit))])),
            ]
        )
    }

    private static func type(_ name: String) -> JSONValue { .members(["type": .string(name)]) }

    private static func list(of item: JSONValue) -> JSONValue { .members(["type": .string("array"), "items": item]) }

    private static func object(_ required: [(String, JSONValue)], optional: [(String, JSONValue)] = []) -> JSONValue {
        .members([
            "type": .string("object"),
            "required": .array(required.map { .string($0.0) }),
            "properties": .object((required + optional).map { (key: $0.0, value: $0.1) }),
            "additionalProperties": .boolean(false),
        ])
    }
}

extension JSONValue {
    fileprivate func adding(_ more: [(key: String, value: JSONValue)]) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(more + members)
    }
}
