import WireConfig
import WireGraphQL
import WireHTTP
package import WireService

extension SyncService: Refetching {
    /// Runs a declared query again, for a notification that tells of news.
    package func refetch(_ operation: String) async throws(Fault) -> Bool {
        do throws(SyncFailure) {
            let prepared = try prepared(operation, nil, expected: .query)
            return try await refetch(try asked(prepared, [], tokens: .all))
        } catch {
            throw Fault(error.reason, help: error.help, origin: error.origin)
        }
    }
}
