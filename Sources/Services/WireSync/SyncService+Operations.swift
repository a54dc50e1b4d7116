import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireSyncContract

extension SyncService {
    /// The operation of a caller: a declared one by name, or one of a document.
    func prepared(_ name: String?, _ document: String?, expected kind: OperationKind) throws(SyncFailure)
        -> PreparedOperation
    {
        let prepared: PreparedOperation
        switch (name, document) {
        case (let name?, nil): prepared = try preparation.declared(name)
        case (nil, let text?):
            do throws(DocumentRefusal) {
                prepared = try preparation.document(text, operation: nil)
            } catch {
                throw SyncFailure(error)
            }
        default: throw SyncFailure(.invalid, "expected either 'operation' or 'query'")
        }
        guard prepared.kind == kind else {
            throw SyncFailure(
                .invalid,
                "expected a \(kind.rawValue), found a \(prepared.kind.rawValue)",
                help: "use 'corewire sync \(prepared.kind.command)'"
            )
        }
        return prepared
    }

    /// The operation with its variables; throws where the schema does not allow them.
    func asked(
        _ prepared: PreparedOperation,
        _ variables: [(key: String, value: JSONValue)],
        tokens: TokenRights
    ) throws(SyncFailure) -> AskedOperation {
        do throws(DocumentRefusal) {
            return try AskedOperation(prepared, variables, preparation.documents.schema, tokens: tokens)
        } catch {
            throw SyncFailure(error)
        }
    }
}

extension OperationKind {
    fileprivate var command: String {
        switch self {
        case .query: "query"
        case .mutation: "mutate"
        case .subscription: "subscribe"
        }
    }
}
