package import WireConfig
import WireGraphQL
package import WireHTTP
import WireService
import WireSyncContract

/// An operation with its variables, as requested by one caller.
package struct AskedOperation: Sendable {
    package let prepared: PreparedOperation
    /// The variables as they are sent.
    package let variables: [(key: String, value: JSONValue)]
    package let tokens: TokenRights
    /// Answers older than this count as expired, whatever the file says.
    var maxAge: Duration?
    /// The operation in the form of the cache, with default values of variables.
    let question: CacheQuestion

    /// Variables that the schema does not allow are rejected before anything is sent.
    init(
        _ prepared: PreparedOperation,
        _ variables: [(key: String, value: JSONValue)],
        _ schema: Schema?,
        tokens: TokenRights
    ) throws(DocumentRefusal) {
        (self.prepared, self.variables, self.tokens) = (prepared, variables, tokens)
        var values = Dictionary(variables.map { ($0.key, $0.value) }) { _, last in last }
        if let schema {
            let (coerced, findings) = InputCoercion.variables(.object(variables), of: prepared.operation, in: schema)
            guard findings.isEmpty else { throw DocumentRefusal(.invalidDocument, findings) }
            values = coerced
        }
        question = CacheQuestion(
            document: prepared.text,
            operation: prepared.operation,
            fragments: prepared.fragments,
            variables: values
        )
    }
}
