package import WireBase
package import WireConfig
package import WireHTTP
import WireService

/// Where an answer came from.
package enum SyncSource: String, JSONWord, PlainCodable {
    case server, cache
    /// What is expected of a queued mutation.
    case queue
}

/// The answer to an operation.
package struct SyncAnswer: JSONRecord {
    /// The data; null where the operation failed as a whole.
    package var data: JSONValue? { didSet { dataText = nil } }
    /// The data as JSON text, where that is known; it is written as it is.
    package var dataText: [UInt8]?
    package var errors: [JSONValue]?
    package var extensions: JSONValue?
    package var source = SyncSource.server
    /// The age of the oldest part that came from the cache, in seconds.
    package var age: Int?
    package var isStale = false
    /// Of a queued mutation.
    package var id: String?
    package var state: MutationState?

    package init(data: JSONValue?, errors: [JSONValue]? = nil, extensions: JSONValue? = nil) {
        (self.data, self.errors, self.extensions) = (data, errors, extensions)
    }
}

extension SyncAnswer {
    package static let form = JSONForm<Self>("SyncAnswer", "The answer to a GraphQL operation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        data = try members.present(
            "data",
            \.data,
            "The data; null where the operation failed as a whole.",
            .example(.members(["articles": .array([])]))
        )
        errors = try members.optional("errors", \.errors, "The errors of the server; with data, the answer is partial.")
        extensions = try members.optional("extensions", \.extensions, "What the server added to its answer.")
        source = try members.required("source", \.source, "Where the answer came from.")
        age = try members.optional("age", \.age, "The age of its oldest part from the cache, in seconds.", .count)
        isStale = try members.flag(
            "stale",
            \.isStale,
            "Whether it is older than the file allows, or given because the server failed."
        )
        id = try members.optional("id", \.id, "The id of the mutation, where it is queued.")
        state = try members.optional("state", \.state, "How far the mutation has come, where it is queued.")
    }

    package var answer: [UInt8]? {
        guard let dataText else { return bytes }
        // Without data the source comes first, which each answer has.
        var rest = self
        rest.data = nil
        return Array("{\"data\":".utf8) + dataText + [UInt8(ascii: ",")] + rest.bytes.dropFirst()
    }
}

/// A query that was asked again.
package struct SyncRefetched: JSONRecord {
    package let isChanged: Bool

    package init(isChanged: Bool) { self.isChanged = isChanged }
}

extension SyncRefetched {
    package static let form = JSONForm<Self>("SyncRefetched", "A query that was asked again.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isChanged = try members.required("changed", \.isChanged, "Whether the answer differs from the one before.")
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
        name = try members.required("name", \.name, "Its name without '$'.", .example("first"))
        type = try members.required("type", \.type, "Its type, such as 'ID!'.", .example("Int!"))
        defaultValue = try members.optional("default", \.defaultValue, "Its default value, as it is written.")
    }
}

/// A declared operation.
package struct SyncOperation: JSONRecord {
    package let name: String
    package let kind: SyncOperationKind
    package let variables: [SyncVariable]
    /// The fields the operation selects, as `Type.field`.
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
        name = try members.required("name", \.name, "Its name.", .example("Articles"))
        kind = try members.required("kind", \.kind, "What it does.")
        variables = try members.required("variables", \.variables, "Its variables.")
        reads = try members.required(
            "reads",
            \.reads,
            "The fields it selects, as 'Type.field'; none without a schema.",
            .example(["Article.title"])
        )
        origin = try members.optional("config", \.origin, "Where it is declared.")
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
