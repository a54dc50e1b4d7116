package import WireBase
package import WireConfig
package import WireHTTP
import WireService

/// The source of a result.
package enum SyncSource: String, JSONWord, PlainCodable {
    case server, cache
    /// The expected result of a queued mutation.
    case queue
}

/// The result of an operation.
package struct SyncAnswer: JSONRecord {
    /// The data; null where the operation failed as a whole.
    package var data: JSONValue? { didSet { dataText = nil } }
    /// The data as JSON text where available, written unchanged.
    package var dataText: [UInt8]?
    package var errors: [JSONValue]?
    package var extensions: JSONValue?
    package var source = SyncSource.server
    /// The age of the oldest cached part, in seconds.
    package var age: Int?
    package var isStale = false
    /// The id of a queued mutation.
    package var id: String?
    package var state: MutationState?

    package init(data: JSONValue?, errors: [JSONValue]? = nil, extensions: JSONValue? = nil) {
        (self.data, self.errors, self.extensions) = (data, errors, extensions)
    }
}

extension SyncAnswer {
    package static let form = JSONForm<Self>("SyncAnswer", "The result of a GraphQL operation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        data = try members.present(
            "data",
            \.data,
            "The data; null where the operation failed as a whole.",
            .example(.members(["articles": .array([])]))
        )
        errors = try members.optional("errors", \.errors, "The errors of the server; with data, the result is partial.")
        extensions = try members.optional("extensions", \.extensions, "The extensions of the response.")
        source = try members.required("source", \.source, "The source of the result.")
        age = try members.optional("age", \.age, "The age of the oldest cached part, in seconds.", .count)
        isStale = try members.flag(
            "stale",
            \.isStale,
            "Whether the result is older than 'maxAge', or was returned because the server failed."
        )
        id = try members.optional("id", \.id, "The id of the mutation, where it is queued.")
        state = try members.optional("state", \.state, "The state of the mutation, where it is queued.")
    }

    package var answer: [UInt8]? {
        guard let dataText else { return bytes }
        // Without data the source is the first member, which every result has.
        var rest = self
        rest.data = nil
        return Array("{\"data\":".utf8) + dataText + [UInt8(ascii: ",")] + rest.bytes.dropFirst()
    }
}

/// A query that was run again.
package struct SyncRefetched: JSONRecord {
    package let isChanged: Bool

    package init(isChanged: Bool) { self.isChanged = isChanged }
}

extension SyncRefetched {
    package static let form = JSONForm<Self>("SyncRefetched", "A query that was run again.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isChanged = try members.required("changed", \.isChanged, "Whether the result has changed.")
    }
}

/// The three kinds of operations.
package enum SyncOperationKind: String, JSONWord, PlainCodable {
    case query, mutation, subscription
}

/// A variable of a declared operation.
package struct SyncVariable: JSONRecord {
    package let name, type: String
    package var defaultValue: String?

    package init(_ name: String, _ type: String, defaultValue: String?) {
        (self.name, self.type, self.defaultValue) = (name, type, defaultValue)
    }
}

extension SyncVariable {
    package static let form = JSONForm<Self>("SyncVariable", "A variable of a declared operation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name without '$'.", .example("first"))
        type = try members.required("type", \.type, "The type, such as 'ID!'.", .example("Int!"))
        defaultValue = try members.optional("default", \.defaultValue, "The default value, as written.")
    }
}

/// A declared operation.
package struct SyncOperation: JSONRecord {
    package let name: String
    package let kind: SyncOperationKind
    package let variables: [SyncVariable]
    /// The selected fields, as `Type.field`.
    package let reads: [String]
    package let origin: ValueOrigin?

    package init(
        _ name: String,
        _ kind: SyncOperationKind,
        variables: [SyncVariable],
        reads: [String],
        origin: ValueOrigin?
    ) {
        (self.name, self.kind, self.variables, self.reads, self.origin) = (name, kind, variables, reads, origin)
    }
}

extension SyncOperation {
    package static let form = JSONForm<Self>("SyncOperation", "A declared operation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name.", .example("Articles"))
        kind = try members.required("kind", \.kind, "The kind of operation.")
        variables = try members.required("variables", \.variables, "The variables.")
        reads = try members.required(
            "reads",
            \.reads,
            "The selected fields, as 'Type.field'; empty without a schema.",
            .example(["Article.title"])
        )
        origin = try members.optional("config", \.origin, "The location of the declaration.")
    }
}

/// The declared operations.
package struct SyncOperations: JSONRecord {
    package let operations: [SyncOperation]

    package init(_ operations: [SyncOperation]) { self.operations = operations }
}

extension SyncOperations {
    package static let form = JSONForm<Self>("SyncOperations", "The declared operations.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        operations = try members.required("operations", \.operations, "The operations, by name.")
    }
}

/// The schema of the server.
package struct SyncSchema: JSONRecord {
    /// The schema as SDL.
    package let text: String

    package init(_ text: String) { self.text = text }
}

extension SyncSchema {
    package static let form = JSONForm<Self>("SyncSchema", "The schema of the GraphQL server.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        text = try members.required(
            "schema",
            \.text,
            "The schema in the schema definition language.",
            .example("type Query { articles: [Article!]! }")
        )
    }
}
