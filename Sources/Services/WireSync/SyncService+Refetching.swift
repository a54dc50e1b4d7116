package import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireNotificationContract
import WireService
import WireSyncContract

extension SyncService: Refetching {
    /// Runs a declared query again, for a notification of changes.
    package func refetch(_ operation: String) async throws(Fault) -> Bool {
        try await Fault.wrapping { () async throws(SyncFailure) in
            // A request that was sent before the notification does not contain the changes.
            fetches.mutated()
            let prepared = try prepared(operation, nil, expected: .query)
            return try await refetch(try asked(prepared, [], tokens: .all))
        }
    }

    /// Runs a query again for a message of changes, unless it was another user's.
    func refetch(_ asked: AskedOperation, of region: String) async {
        guard caches.accounts.region == region else { return }
        fetches.mutated()
        _ = try? await fetch(asked)
    }
}
