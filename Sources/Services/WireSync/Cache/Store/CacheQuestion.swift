package import WireConfig
package import WireGraphQL

/// An operation with its variables, in the form of the cache.
package struct CacheQuestion: Sendable {
    /// Identifies the document, for example by its hash.
    package let document: String
    package let operation: Syntax.Operation
    package let fragments: [String: Syntax.Fragment]
    /// Coerced variables, without those that were not given.
    package let variables: [String: JSONValue]
    /// Equal for requests with the same answer.
    let identity: String
    /// Whether a variable has a temporary id.
    private let namesTemporary: Bool

    package init(
        document: String,
        operation: Syntax.Operation,
        fragments: [String: Syntax.Fragment],
        variables: [String: JSONValue] = [:]
    ) {
        self.document = document
        self.operation = operation
        self.fragments = fragments
        self.variables = variables
        guard !variables.isEmpty else {
            (identity, namesTemporary) = (document, false)
            return
        }
        let values = variables.sorted { $0.key < $1.key }.map { ($0.key, ArgumentText.canonical($0.value)) }
        let written = JSONValue.object(values).text()
        (identity, namesTemporary) = ("\(document) \(written)", written.contains(TemporaryID.prefix))
    }

    func plan(_ rules: RecordRules) -> SelectionPlan {
        SelectionPlan(operation, with: fragments, variables: variables, rules: rules)
    }

    /// The question with real ids in place of temporary ones.
    func resolved(_ aliases: TemporaryID.Aliases) -> Self {
        guard namesTemporary else { return self }
        return Self(
            document: document,
            operation: operation,
            fragments: fragments,
            variables: variables.mapValues { aliases($0) }
        )
    }
}

/// The result of reading an answer from the cache.
package enum CacheReading: Sendable {
    case hit(CacheHit)
    case miss(RecordMiss)
}

/// An answer from the cache.
package struct CacheHit: Sendable {
    package let answer: RecordAnswer
    /// The `data` of the answer as JSON text.
    package let bytes: [UInt8]

    /// Whether a field has expired, by a clock in milliseconds since 1970.
    package func isExpired(at now: Int64) -> Bool { answer.end <= now }
}
