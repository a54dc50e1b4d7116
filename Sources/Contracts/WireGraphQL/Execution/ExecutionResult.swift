package import WireBase
package import WireConfig

/// The response to an operation (GraphQL specification, section 7).
package struct ExecutionResult: Sendable {
    /// Nil where the operation was rejected before its execution.
    package var data: JSONValue?
    package var errors: [ExecutionError]

    package init(data: JSONValue?, errors: [ExecutionError] = []) {
        self.data = data
        self.errors = errors
    }

    /// Makes the response to a request that is not executed: malformed, invalid, or with wrong variables.
    package init(refused findings: [Finding]) {
        self.init(data: nil, errors: findings.map { ExecutionError($0) })
    }

    /// The response as JSON.
    package var json: JSONValue {
        .members(["data": data, "errors": errors.isEmpty ? nil : .array(errors.map(\.json))])
    }
}

/// Why a request was rejected, or a field has no value.
package struct ExecutionError: Error, Sendable {
    package let message: String
    package var locations: [TextPosition] = []
    /// The path of the field; empty where the request was rejected.
    package var path: [PathStep] = []
    package var extensions: JSONValue?

    package init(
        _ message: String,
        at places: [SourceRange] = [],
        path: [PathStep] = [],
        extensions: JSONValue? = nil
    ) {
        self.message = message
        locations = places.map(\.start)
        self.path = path
        self.extensions = extensions
    }

    package init(_ finding: Finding) {
        let message = [finding.message, finding.help].compactMap { $0 }.joined(separator: ": ")
        self.init(message, at: ([finding.place] + finding.related.map(\.place)).compactMap { $0 })
    }

    package var json: JSONValue {
        .members([
            "message": .string(message),
            "locations": locations.isEmpty
                ? nil
                : .array(locations.map { .members(["line": .integer($0.line), "column": .integer($0.column)]) }),
            "path": path.isEmpty ? nil : .array(path.map(\.json)),
            "extensions": extensions,
        ])
    }
}

/// A step in the path of a response or input value: a member or an item.
package enum PathStep: Sendable, Hashable {
    case name(String)
    case index(Int)

    package var json: JSONValue {
        switch self {
        case .name(let name): .string(name)
        case .index(let index): .integer(index)
        }
    }
}

extension [PathStep] {
    /// The path as text: `input.tags[1].name`.
    package var text: String {
        reduce(into: "") { text, step in
            switch step {
            case .name(let name): text += text.isEmpty ? name : "." + name
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}
