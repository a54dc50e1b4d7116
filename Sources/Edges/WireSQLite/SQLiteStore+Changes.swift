package import WireStore

extension SQLiteStore {
    package func changes(after version: Int64, in namespace: String?, limit: Int) throws(StoreFailure) -> StoreChanges {
        let limit = max(0, limit)
        return try state.snapshot { connection throws(StoreFailure) in
            let newest = try connection.newestVersion()
            let oldest = try connection.statement("SELECT min(version) FROM changes").number() ?? 0
            var rows = try connection.statement(
                """
                SELECT kind, namespace, key, version FROM changes
                WHERE version > ?1 AND (?2 IS NULL OR namespace = ?2) ORDER BY version LIMIT ?3
                """
            )
            rows.bind(version)
            rows.bind(namespace)
            rows.bind(limit)
            var found: [StoreChanges.Change] = []
            while try rows.step() {
                found.append(
                    StoreChanges.Change(
                        kind: StoreChanges.Change.Kind(number: rows.integer(0)),
                        namespace: rows.text(1),
                        key: rows.text(2),
                        version: rows.integer(3)
                    )
                )
            }
            // A version that was never assigned belongs to another store, such as one that a backup has replaced.
            let hasGap = version > newest || (newest > 0 && version < oldest - 1)
            let isCut = found.count == limit
            return StoreChanges(
                changes: found,
                hasGap: hasGap,
                version: isCut ? found.last?.version ?? version : newest
            )
        }
    }

    package func changed(after version: Int64) async throws(StoreFailure) -> Int64 {
        try await changes.wait(for: .entries) { () throws(StoreFailure) -> Changes.Lookup<Int64> in
            let newest = try state.read { connection throws(StoreFailure) in try connection.newestVersion() }
            return newest > version ? .found(newest) : .nothing(again: nil)
        }
    }
}

extension Connection {
    /// Returns the version of the last change; versions are unique.
    mutating func newestVersion() throws(StoreFailure) -> Int64 {
        try statement("SELECT max(version) FROM changes").number() ?? 0
    }
}
