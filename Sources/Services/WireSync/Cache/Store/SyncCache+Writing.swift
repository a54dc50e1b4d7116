import Synchronization
package import WireConfig
import WireGraphQL
package import WireStore

extension SyncCache {
    /// Takes an answer of the server over; returns the records it changed.
    ///
    /// It lies under the layers: what queued mutations change is seen as before. The watcher whose own answer it is, is
    /// not woken.
    @discardableResult
    package func write(
        _ data: JSONValue,
        errors: [[Normalizer.PathPart]] = [],
        to question: CacheQuestion,
        but watcher: Int? = nil
    ) async throws(StoreFailure) -> Set<RecordKey> {
        let (rules, asked) = state.withLock { ($0.rules, question.resolved($0.aliases)) }
        guard let written = Self.records(of: data, errors, asked.plan(rules), at: settings.now()) else { return [] }
        return try await change(RecordWrite(written.records), but: watcher)
    }

    /// Says that objects are gone; lists leave them out until an answer tells of them again.
    @discardableResult
    package func delete(_ keys: Set<RecordKey>) async throws(StoreFailure) -> Set<RecordKey> {
        let deleted = Dictionary(uniqueKeysWithValues: keys.map { ($0, CacheRecord.deleted) })
        return try await change(RecordWrite(deleted))
    }

    /// The records of an answer that are asked for again; nil for one that is too large to be kept.
    static func records(
        of data: JSONValue,
        _ errors: [[Normalizer.PathPart]],
        _ plan: SelectionPlan,
        at time: Int64
    ) -> WrittenRecords? {
        guard var written = try? Normalizer.records(of: data, errors: errors, by: plan, at: time) else { return nil }
        if plan.kind != .query { written.removeRoot(plan.rootKey) }
        return written
    }

    /// Writes records in one transaction, takes them over into memory, and wakes watchers.
    ///
    /// Layers change in the same step as memory, so that no reader sees the one without the other.
    @discardableResult
    func change(
        _ write: RecordWrite,
        but watcher: Int? = nil,
        _ layers: @escaping @Sendable (inout State) -> Set<RecordKey> = { _ in [] }
    ) async throws(StoreFailure) -> Set<RecordKey> {
        // What others have written is known first, so that memory is right for what is read again.
        try follow()
        let settings = settings
        let named = write.records.map { (key: $0.key, name: settings.name(of: $0.key)) }
        let (edit, known) = prepare(write, named)
        let outcome = RecordOutcome()
        let (digested, marks) = state.withLock { state in
            let isRewriting = write.rewriting != nil
            return (isRewriting ? state.digested : [:], isRewriting || state.layers.namesTemporaries)
        }
        let receipt = try await store.edit(edit, in: settings.region) { found in
            let isKnown = found.position == edit.known.position
            let merged = write.merged(named, found.records, isKnown ? known : [:], digested, settings)
            outcome.set(merged)
            return RecordChanges(
                puts: merged.puts.map { put in
                    let bytes = put.record.bytes
                    return RecordChanges.Put(put.name, bytes, isMarked: marks && put.namesTemporary(bytes))
                },
                removals: merged.removals.map(settings.name)
            )
        }
        let merged = outcome.merged
        let (wakes, changed) = state.withLock { state in
            var changed = layers(&state).union(merged.changed)
            // How old a list is decides what a layer adds to it.
            for put in merged.puts where state.layers.concern(put.key, put.record) { changed.insert(put.key) }
            // Where others have written meanwhile, what they have changed is found later.
            if receipt.former == state.position { state.position = receipt.position }
            let wakes = state.change(changed, but: watcher)
            state.forgetAnswers(of: merged.puts.lazy.map(\.key))
            for key in merged.removals { state.records.forget(key) }
            for put in merged.puts {
                state.note(put.key, named: put.name)
                if state.position == receipt.position {
                    state.records.keep(put.record, under: put.key, weighing: put.record.weight)
                } else {
                    state.records.forget(put.key)
                }
            }
            return (wakes, changed)
        }
        for wake in wakes { wake() }
        return changed
    }

    /// What an edit has to read, and what memory knows of it.
    private func prepare(
        _ write: RecordWrite,
        _ named: [(key: RecordKey, name: String)]
    ) -> (edit: RecordEdit, known: [RecordKey: CacheRecord]) {
        let settings = settings
        return state.withLock { state in
            var known: [RecordKey: CacheRecord] = [:]
            var (unknown, names): ([String], [String]) = ([], [])
            for (key, name) in named {
                known[key] = state.records.use(key)
                if known[key] == nil { unknown.append(name) } else { names.append(name) }
            }
            var edit = RecordEdit(unknown, known: (names, state.position), bound: settings.size)
            edit.readsMarked = write.rewriting != nil
            (edit.used, state.used) = (Array(state.used), [])
            edit.isSealed = settings.isSealed
            let (watchers, layers) = (state.watchers, state.layers)
            edit.pinned = {
                Set(watchers.records.map(settings.name)).union(layers.keys.map(settings.name)).union([
                    RecordWrite.schema
                ])
            }
            return (edit, known)
        }
    }
}
