import Synchronization
package import WireConfig
import WireGraphQL
package import WireStore

extension SyncCache {
    /// Stores an answer of the server; returns the changed records.
    ///
    /// Layers stay above it, so the changes of queued mutations remain visible. Data written since the request stay
    /// where they are from later answers or mutations. The watcher that requested the answer is not notified.
    @discardableResult
    package func write(
        _ data: JSONValue,
        errors: [[Normalizer.PathPart]] = [],
        to question: CacheQuestion,
        sent: Moment? = nil,
        clearing: Int64? = nil,
        but watcher: Int? = nil
    ) async throws(StoreFailure) -> Set<RecordKey> {
        try await store(
            data,
            errors: errors,
            by: plan(resolved(question)),
            sent: sent,
            clearing: clearing,
            but: watcher
        ).records
    }

    /// Stores the answer to a planned question with real ids; also returns the resulting position.
    func store(
        _ data: JSONValue,
        errors: [[Normalizer.PathPart]],
        by plan: SelectionPlan,
        sent: Moment?,
        clearing: Int64?,
        but watcher: Int? = nil
    ) async throws(StoreFailure) -> Changed {
        let moment = sent ?? Moment(position: 0, time: settings.now())
        guard let written = Self.records(of: data, errors, plan, at: moment) else {
            return Changed(records: [], position: 0, generation: 0)
        }
        var write = RecordWrite(written.records, sent: sent)
        write.clearing = clearing
        return try await change(write, but: watcher)
    }

    /// The time of a query that is sent now.
    package func moment() -> Moment {
        // Where others cannot be followed the request counts as earlier, and replaces less.
        _ = try? follow()
        return Moment(position: state.withLock { $0.position }, time: settings.now())
    }

    /// Marks objects as deleted; lists omit them until an answer contains them again.
    @discardableResult
    package func delete(_ keys: Set<RecordKey>) async throws(StoreFailure) -> Set<RecordKey> {
        let deleted = CacheRecord.deleted(at: Moment(position: 0, time: settings.now()))
        return try await change(RecordWrite(Dictionary(uniqueKeysWithValues: keys.map { ($0, deleted) }))).records
    }

    /// The records of an answer that can be requested again; nil for one that is too large to store.
    static func records(
        of data: JSONValue,
        _ errors: [[Normalizer.PathPart]],
        _ plan: SelectionPlan,
        at moment: Moment
    ) -> WrittenRecords? {
        guard var written = try? Normalizer.records(of: data, errors: errors, by: plan, at: moment) else { return nil }
        if plan.kind != .query { written.removeRoot(plan.rootKey) }
        return written
    }

    /// Writes records in one transaction, applies them to memory, and wakes watchers.
    ///
    /// Layers change in the same step as memory, so that no reader sees one without the other.
    @discardableResult
    func change(
        _ write: RecordWrite,
        but watcher: Int? = nil,
        _ layers: @escaping OwnEdit.Layers = { _, _ in [] }
    ) async throws(StoreFailure) -> Changed {
        // Changes of others are applied first, so that memory is right for what is read again.
        try follow()
        let settings = settings
        let named = write.keys.map { (key: $0, name: settings.name(of: $0)) }
        var (edit, known) = prepare(write, named)
        let (outcome, position) = (RecordOutcome(), edit.known.position)
        let (number, digested, marks) = state.withLock { state in
            let isRewriting = write.rewriting != nil
            state.next += 1
            return (
                state.next, isRewriting ? state.digested : RecentlyRead(upTo: 0),
                isRewriting || state.layers.namesTemporaries
            )
        }
        if let rewriting = write.rewriting {
            edit.successor = { name in RecordWrite.key(name, digested).map { settings.name(of: rewriting($0)) } }
        }
        edit.foreseen = { receipt in
            self.state.withLock { $0.foresee(OwnEdit(receipt, outcome.merged, but: watcher, layers), number) }
        }
        let receipt: RecordReceipt
        do throws(StoreFailure) {
            receipt = try await store.edit(edit, in: settings.region) { [known] found in
                guard write.clearing.map({ $0 == found.clearing }) ?? true else {
                    outcome.set(RecordWrite.Merged())
                    return RecordChanges()
                }
                let isKnown = found.position == position
                let merged = write.merged(named, found, known, isKnown: isKnown, digested, settings)
                outcome.set(merged)
                var writer = RecordWriter()
                return RecordChanges(
                    puts: merged.puts.map { put in
                        let bytes = writer.bytes(of: put.record)
                        return RecordChanges.Put(put.name, bytes, isMarked: marks && put.namesTemporary(bytes))
                    },
                    removals: merged.removals.map(settings.name)
                )
            }
        } catch {
            update { $0.abandon(number) }
            throw error
        }
        // Earlier changes of others are applied before it.
        if !update({ $0.settleNext(number) }) { _ = try? follow() }
        let (changed, generation) = update { $0.end(number) }
        return Changed(records: changed, position: receipt.position, generation: generation)
    }

    /// The changes of an edit, and the resulting position and generation of memory.
    struct Changed: Sendable {
        let records: Set<RecordKey>
        let position: Int64
        let generation: Int
    }

    /// Finds what an edit has to read, and what memory has of it.
    private func prepare(
        _ write: RecordWrite,
        _ named: [(key: RecordKey, name: String)]
    ) -> (edit: RecordEdit, known: [RecordKey: CacheRecord]) {
        let settings = settings
        return state.withLock { state in
            var known: [RecordKey: CacheRecord] = [:]
            var (unknown, names): ([String], [String]) = ([], [])
            for (key, name) in named {
                if let record = state.records.use(key) {
                    if known.isEmpty { known.reserveCapacity(named.count) }
                    known[key] = record
                    names.append(name)
                } else {
                    unknown.append(name)
                }
            }
            var edit = RecordEdit(unknown, known: (names, state.position), bound: settings.size)
            edit.readsMarked = write.rewriting != nil
            (edit.used, state.used) = (Array(state.used), [])
            edit.isSealed = settings.isSealed
            edit.pinned = state.pinned(settings)
            return (edit, known)
        }
    }
}

extension SyncCache.State {
    /// The records that are never evicted: those watched, those beneath layers, and those about others.
    func pinned(_ settings: CacheSettings) -> @Sendable () -> Set<String> {
        let (watchers, layers, marks) = (watchers, layers, marks)
        return {
            Set(watchers.records.map(settings.name)).union(layers.keys.map(settings.name))
                .union(marks.map(settings.name)).union([RecordWrite.schema, settings.name(of: SentLayers.key)])
        }
    }
}
