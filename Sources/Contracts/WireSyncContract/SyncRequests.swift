package import WireConfig
package import WireHTTP

// Inputs of the operations on synchronized data.

/// A GraphQL operation: the name of a declared one, or a document.
package struct SyncQuery: JSONRecord {
    package var operation: String?
    package var query: String?
    package var variables: JSONValue?
    package var policy: CachePolicy?

    package init(
        operation: String? = nil,
        query: String? = nil,
        variables: JSONValue? = nil,
        policy: CachePolicy? = nil
    ) {
        (self.operation, self.query, self.variables, self.policy) = (operation, query, variables, policy)
    }
}

extension SyncQuery {
    package static let form = JSONForm<Self>("SyncQuery", "A query: the name of a declared operation, or a document.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        operation = try members.optional(
            "operation",
            \.operation,
            Text.operation,
            .length(1...200),
            .example("Articles")
        )
        query = try members.optional("query", \.query, Text.document, .length(1...200_000))
        variables = try members.optional(
            "variables",
            \.variables,
            Text.variables,
            .example(.members(["first": .integer(10)]))
        )
        policy = try members.optional(
            "policy",
            \.policy,
            "The cache policy. Default: sync.cache.policy."
        )
    }
}

/// A mutation to run.
package struct SyncMutation: JSONRecord {
    package var operation: String?
    package var query: String?
    package var variables: JSONValue?
    /// The id, to recognize repetitions; generated where nil.
    package var id: String?
    package var optimistic: JSONValue?
    package var wait: Duration?

    package init(operation: String? = nil, query: String? = nil, variables: JSONValue? = nil) {
        (self.operation, self.query, self.variables) = (operation, query, variables)
    }

    package static let idRule = JSONRule<String>.schema(.text(pattern: "^[!-.0-~]+$", from: 1, upTo: 200))
}

extension SyncMutation {
    package static let form = JSONForm<Self>("SyncMutation", "A mutation: the name of a declared one, or a document.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        operation = try members.optional(
            "operation",
            \.operation,
            Text.operation,
            .length(1...200),
            .example("AddNote")
        )
        query = try members.optional("query", \.query, Text.document, .length(1...200_000))
        variables = try members.optional(
            "variables",
            \.variables,
            Text.variables,
            .example(.members(["text": .string("milk")]))
        )
        id = try members.optional(
            "id",
            \.id,
            "The id of the mutation, globally unique like a UUID; a repeated id is sent once.",
            SyncMutation.idRule,
            .example("note-5")
        )
        optimistic = try members.optional(
            "optimistic",
            \.optimistic,
            "The 'data' to return until the server has responded, with 'queueMutations'."
        )
        wait = try members.optional(
            "wait",
            \.wait,
            "How long to wait for the server; 0s responds at once. Default: 10s with a network, else 0s.",
            .example(.seconds(5))
        )
    }
}

/// A query to run again.
package struct SyncRefetch: JSONRecord {
    package var operation: String
    package var variables: JSONValue?

    package init(_ operation: String, variables: JSONValue? = nil) {
        (self.operation, self.variables) = (operation, variables)
    }
}

extension SyncRefetch {
    package static let form = JSONForm<Self>("SyncRefetch", "A query to run again.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        operation = try members.required(
            "operation",
            \.operation,
            Text.operation,
            .length(1...200),
            .example("Articles")
        )
        variables = try members.optional("variables", \.variables, Text.variables)
    }
}

private enum Text {
    static let operation = "The name of a declared operation."
    static let document = "A GraphQL document with one operation; instead of 'operation'."
    static let variables = "The variables of the operation, as an object."
}
