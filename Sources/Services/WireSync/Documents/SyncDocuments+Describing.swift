import WireConfig
import WireGraphQL
package import WireSyncContract

extension SyncDocuments {
    /// The declared operations for callers, by name.
    package var described: [SyncOperation] {
        operations.names.sorted().compactMap { name -> SyncOperation? in
            guard let operation = operations[name], let kind = SyncOperationKind(rawValue: operation.kind.rawValue)
            else {
                return nil
            }
            return SyncOperation(
                name,
                kind,
                variables: operation.variables.map { variable in
                    SyncVariable(
                        variable.name.text,
                        Schema.TypeReference(variable.type).description,
                        defaultValue: variable.defaultValue.map { ValuePrinter.text($0) }
                    )
                },
                reads: schema.map { schema in
                    operation.reads(in: schema).flatMap { type, fields in fields.map { "\(type).\($0)" } }
                } ?? [],
                origin: nil
            )
        }
    }
}
