import Synchronization
package import WireGraphQL
package import WireStore

extension SyncCache {
    /// Uses a schema from now on, and removes the records that do not fit it; returns their number.
    ///
    /// The cache file contains the schema of the records, whichever process has written it.
    @discardableResult
    package func adopt(_ schema: Schema) async throws(StoreFailure) -> Int {
        let (settings, fingerprints) = (settings, SchemaFingerprints(schema, digest: settings.digest))
        let name = RecordWrite.schema
        state.withLock { $0.rules.schema = schema }
        let known = try store.records([name], in: settings.region).records[name]
        let former = known.flatMap { CacheRecord(bytes: $0) }.map { SchemaFingerprints($0) }
        if former == fingerprints { return 0 }
        let misfits = try former.map { former throws(StoreFailure) in try names(of: fingerprints, since: former) } ?? []
        let bytes = fingerprints.record.bytes
        var edit = RecordEdit([], bound: settings.size)
        edit.pinned = state.withLock { $0.pinned(settings) }
        _ = try await store.edit(edit, in: settings.region) { _ in
            RecordChanges(puts: [RecordChanges.Put(name, bytes)], removals: misfits)
        }
        update { ((), $0.changeAll()) }
        return misfits.count
    }

    /// The names of the records that do not fit, in one part of the region.
    private func names(
        of fingerprints: SchemaFingerprints,
        since former: SchemaFingerprints
    ) throws(StoreFailure) -> [String] {
        var (names, last): ([String], String?) = ([], nil)
        while true {
            let page = try store.records(of: settings.region, after: last, limit: 1_000).records
            guard let end = page.keys.max() else { return names }
            last = end
            for (name, bytes) in page where name != RecordWrite.schema {
                guard let record = CacheRecord(bytes: bytes) else {
                    names.append(name)
                    continue
                }
                if !record.isDeleted, fingerprints.misfits(record, since: former) { names.append(name) }
            }
        }
    }
}
