package import WireConfig
import WireGraphQL
package import WireHTTP
import WireService
import WireSyncContract

/// An operation with its variables, as one caller asks it.
package struct AskedOperation: Sendable {
    package let prepared: PreparedOperation
    /// As they are sent.
    package let variables: [(key: String, value: JSONValue)]
    package let tokens: TokenRights
    /// What is older counts as too old, whatever the file says.
    var maxAge: Duration?
    /// The same to the cache, with the values of variables that have defaults.
    let question: CacheQuestion

    /// Variables that the schema does not allow are refused before anything is sent.
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
