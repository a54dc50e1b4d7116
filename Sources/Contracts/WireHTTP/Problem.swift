package import WireBase
package import WireConfig

/// Why a request failed, for programs and people (RFC 9457).
package struct Problem: Error, Sendable {
    package let status: Status
    /// The stable name of the problem kind, the last part of its `type`.
    package let kind: String
    package let title: String
    /// What was found and what was expected in this request; never a secret or a whole input.
    package let detail: String
    /// The services file value that causes the problem, with its location.
    package var origin: ValueOrigin?
    /// The location in the request body, where the problem is about one.
    package var spot: Spot?
    package var fields: Fields = [:]
    /// An object whose members extend the problem.
    package var carried: JSONValue?

    /// A location in a body.
    package struct Spot: Sendable, Hashable {
        /// A JSON pointer (RFC 6901); empty for the body itself.
        package let pointer: String
        package let line: Int?
        package let column: Int?

        package init(pointer: String, line: Int?, column: Int?) {
            self.pointer = pointer
            self.line = line
            self.column = column
        }
    }

    package init(_ status: Status, _ kind: String, _ title: String, detail: String, fields: Fields = [:]) {
        self.status = status
        self.kind = kind
        self.title = title
        self.detail = detail
        self.fields = fields
    }

    package var json: JSONValue {
        guard case .object(let own) = own, case .object(let carried)? = carried else { return own }
        return .object(own + carried)
    }

    private var own: JSONValue {
        .members([
            "type": .string("urn:corewire:problem:\(kind)"), "title": .string(title), "status": .integer(status.code),
            "detail": .string(detail),
            "body": spot.map { spot in
                .members([
                    "pointer": .string(spot.pointer), "line": spot.line.map(JSONValue.integer),
                    "column": spot.column.map(JSONValue.integer),
                ])
            },
            "config": origin.map { .members(["path": .string($0.path), "place": .string($0.place)]) },
        ])
    }

    package var response: Response {
        var response = Response.json(json, status: status, type: "application/problem+json")
        for field in fields.all { response.fields.add(field.name, field.value) }
        return response
    }
}

extension Response {
    package static func json(_ value: JSONValue, status: Status = .ok, type: String = "application/json") -> Response {
        Response(
            status,
            fields: ["Content-Type": type, "Cache-Control": "no-store"],
            body: .bytes(value.bytes())
        )
    }
}
