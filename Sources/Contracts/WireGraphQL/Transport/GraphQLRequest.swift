package import WireBase
package import WireConfig

/// A GraphQL request in a body, a query string or a WebSocket message (GraphQL over HTTP).
package struct GraphQLRequest: Sendable {
    /// The document; nil only for a persisted document named in an extension.
    package var query: String?
    /// The name of the operation to run; nil where the document has only one.
    package var operationName: String?
    package var variables: [(key: String, value: JSONValue)]
    package var extensions: [(key: String, value: JSONValue)]

    package init(
        _ query: String?,
        operationName: String? = nil,
        variables: [(key: String, value: JSONValue)] = [],
        extensions: [(key: String, value: JSONValue)] = []
    ) {
        (self.query, self.operationName) = (query, operationName)
        (self.variables, self.extensions) = (variables, extensions)
    }

    // MARK: Reading

    /// Reads the body of a POST.
    package init(reading body: [UInt8], limits: ReadingLimits) throws(Fault) {
        guard !body.isEmpty else { throw Fault("the body is empty, expected a JSON object") }
        try self.init(try JSONValue(body, of: "the body", limits: limits))
    }

    /// Reads a request from a JSON object; unknown members are ignored.
    package init(_ value: JSONValue) throws(Fault) {
        if case .array = value {
            throw Fault("expected an object, found a list; batches are not supported")
        }
        guard case .object = value else { throw Fault("expected an object, found \(value.kindInWords)") }
        query = try Self.text("query", value["query"])
        operationName = try Self.text("operationName", value["operationName"])
        variables = try Self.map("variables", value["variables"])
        extensions = try Self.map("extensions", value["extensions"])
        try checkQuery()
    }

    /// Reads the decoded query string of a GET; `variables` and `extensions` are JSON in it.
    package init(
        parameters: [(name: String, value: String)],
        limits: ReadingLimits
    ) throws(Fault) {
        query = try Self.parameter("query", parameters)
        // An empty name counts as absent (GraphQL over HTTP, section "GET").
        operationName = try Self.parameter("operationName", parameters).flatMap { $0.isEmpty ? nil : $0 }
        variables = try Self.mapParameter("variables", parameters, limits)
        extensions = try Self.mapParameter("extensions", parameters, limits)
        try checkQuery()
    }

    private func checkQuery() throws(Fault) {
        guard query == nil, extensions.first(where: { $0.key == "persistedQuery" })?.value.members == nil else {
            return
        }
        throw Fault("'query' is missing, expected the text of a GraphQL document")
    }

    private static func text(_ name: String, _ value: JSONValue?) throws(Fault) -> String? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?: return text
        case let value?: throw .mismatch(name, "text", value)
        }
    }

    private static func map(
        _ name: String,
        _ value: JSONValue?
    ) throws(Fault) -> [(key: String, value: JSONValue)] {
        switch value {
        case nil, .null?: return []
        case .object(let members)?: return members
        case let value?: throw .mismatch(name, "an object", value)
        }
    }

    private static func parameter(
        _ name: String,
        _ parameters: [(name: String, value: String)]
    ) throws(Fault) -> String? {
        let found = parameters.filter { $0.name == name }
        guard found.count < 2 else {
            throw Fault("expected the parameter '\(name)' once, found \(found.count)")
        }
        return found.first?.value
    }

    private static func mapParameter(
        _ name: String,
        _ parameters: [(name: String, value: String)],
        _ limits: ReadingLimits
    ) throws(Fault) -> [(key: String, value: JSONValue)] {
        guard let text = try parameter(name, parameters) else { return [] }
        return try map(name, try JSONValue(Array(text.utf8), of: "the parameter '\(name)'", limits: limits))
    }

    // MARK: Writing

    /// The request as JSON, without what is empty.
    package var json: JSONValue {
        .members([
            "query": query.map(JSONValue.string),
            "operationName": operationName.map(JSONValue.string),
            "variables": variables.isEmpty ? nil : .object(variables),
            "extensions": extensions.isEmpty ? nil : .object(extensions),
        ])
    }

    /// The request as parameters of a GET, not yet percent-encoded.
    package var parameters: [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        if let query { parameters.append(("query", query)) }
        if let operationName { parameters.append(("operationName", operationName)) }
        if !variables.isEmpty { parameters.append(("variables", JSONValue.object(variables).text())) }
        if !extensions.isEmpty { parameters.append(("extensions", JSONValue.object(extensions).text())) }
        return parameters
    }
}

extension Fault {
    fileprivate static func mismatch(_ name: String, _ expected: String, _ found: JSONValue) -> Self {
        Self("'\(name)': expected \(expected) or null, found \(found.kindInWords)")
    }
}

extension JSONValue {
    /// The kind of the value, for messages.
    package var kindInWords: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .string: "text"
        case .array: "a list"
        case .object: "an object"
        default: "a number"
        }
    }
}

extension ReadingLimits {
    /// The limits of a GraphQL request or response of a given size.
    package static func graphQL(upTo size: ByteCount) -> Self {
        var limits = ReadingLimits()
        (limits.fileSize, limits.scalarLength) = (size, size)
        (limits.depth, limits.problems) = (128, 1)
        return limits
    }
}
