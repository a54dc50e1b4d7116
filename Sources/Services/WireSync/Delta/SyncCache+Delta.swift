import Synchronization
package import WireConfig
import WireGraphQL
package import WireStore

/// The position of a type: the server's time of the last answer, and the query of that answer.
package struct DeltaPosition: Sendable, Equatable {
    let lastSync: JSONValue
    let query: String

    package init(_ lastSync: JSONValue, query: String) { (self.lastSync, self.query) = (lastSync, query) }

    package static func == (left: Self, right: Self) -> Bool {
        left.query == right.query && left.lastSync.isSame(as: right.lastSync)
    }
}

extension SyncCache {
    // MARK: Positions

    /// Stored with the records, so that both are removed together.
    package func deltaPosition(of type: String) throws(StoreFailure) -> DeltaPosition? {
        state.withLock { _ = $0.marks.insert(RecordKey(delta: type)) }
        guard let record = try seen(RecordKey(delta: type)),
            case .scalar(let lastSync)? = record.fields["lastSync"]?.value,
            case .scalar(.string(let query))? = record.fields["query"]?.value
        else { return nil }
        return DeltaPosition(lastSync, query: query)
    }

    // MARK: Answers

    /// Stores the answer to a delta query, with the new position where it is known, in one step.
    ///
    /// Returns the keys of the objects in the answer; nil for an answer that is too large to store.
    package func store(
        _ answer: DeltaAnswer,
        to question: CacheQuestion,
        _ form: DeltaForm,
        of type: String,
        adding lists: [CacheQuestion],
        upTo position: DeltaPosition?,
        clearing: Int64
    ) async throws(StoreFailure) -> Set<RecordKey>? {
        let (plan, sent) = (plan(question), answer.sent)
        guard var records = Self.records(of: answer.data, [], plan, at: sent)?.records else { return nil }
        let told = Set(records.keys.filter { records[$0]?.type == type })
        let deleted = answer.deleted.compactMap { key(of: $0, plan, form, type) }
        for key in deleted { records[key] = .deleted(at: sent) }
        if let position { records[RecordKey(delta: type)] = position.record(at: sent) }
        var write = RecordWrite(records, sent: sent)
        write.clearing = clearing
        if !lists.isEmpty { write.lists = try extending(lists, with: type) }
        try await change(write)
        return told
    }

    /// Stores the position of a type.
    func mark(_ type: String, _ position: DeltaPosition, at sent: Moment, clearing: Int64) async throws(StoreFailure) {
        var write = RecordWrite([RecordKey(delta: type): position.record(at: sent)], sent: sent)
        write.clearing = clearing
        try await change(write)
    }

    /// Removes the objects of a type that a complete answer did not contain, except those received after its request.
    ///
    /// Objects written during the search are checked again in the transaction that removes them.
    func forget(
        _ type: String,
        but keys: Set<RecordKey>,
        since sent: Moment,
        clearing: Int64
    ) async throws(StoreFailure) {
        let settings = settings
        let kept = Set(keys.map(settings.name)).union([settings.name(of: RecordKey(delta: type))])
        var (names, last): ([String], String?) = ([], nil)
        while true {
            let page = try store.records(of: settings.region, after: last, limit: 1_000).records
            guard let end = page.keys.max() else { break }
            last = end
            for (name, bytes) in page where !kept.contains(name) {
                guard let record = CacheRecord(bytes: bytes), record.type == type,
                    record.fields.allSatisfy({ $0.value.moment <= sent })
                else { continue }
                names.append(name)
            }
        }
        guard !names.isEmpty else { return }
        var edit = RecordEdit(names, bound: settings.size)
        edit.pinned = state.withLock { $0.pinned(settings) }
        _ = try await store.edit(edit, in: settings.region) { found in
            guard found.clearing == clearing else { return RecordChanges() }
            let removals = found.records.filter { _, bytes in
                CacheRecord(bytes: bytes).map { $0.type == type && $0.newest <= sent } ?? true
            }
            return RecordChanges(puts: [], removals: removals.keys.sorted())
        }
        update { ((), $0.changeAll()) }
    }

    /// The lists of queries that show new objects of a type, with the records that contain these lists.
    private func extending(
        _ questions: [CacheQuestion],
        with type: String
    ) throws(StoreFailure) -> ListExtension {
        let look = try reload()
        let loader = RecordLoader(self, look, Layers())
        let lists = ListExtension(
            of: questions.map { $0.resolved(look.known.aliases) },
            with: type,
            look.known.rules
        ) { loader.record($0).found }
        if let failure = loader.failure { throw failure }
        return lists
    }

    /// The record of an object by its key fields; nil where the answer does not have them.
    private func key(of item: JSONValue, _ plan: SelectionPlan, _ form: DeltaForm, _ type: String) -> RecordKey? {
        let root = plan.fields(of: plan.root, type: plan.rootType).fields.first { $0.response == form.member }
        let page = root?.object.map { plan.fields(of: $0, type: nil) }
        guard let object = page?.fields.first(where: { $0.response == form.items })?.object else { return nil }
        let selected = plan.fields(of: object, type: type)
        var values: [String] = []
        for name in keyFields(of: type) {
            guard let value = item[selected.member(for: name) ?? name]?.keyText else { return nil }
            values.append(value)
        }
        return values.isEmpty ? nil : RecordKey(type, values)
    }
}

extension DeltaPosition {
    fileprivate func record(at sent: Moment) -> CacheRecord {
        var record = CacheRecord()
        record.fields["lastSync"] = CachedField(.scalar(lastSync), at: sent)
        record.fields["query"] = CachedField(.scalar(.string(query)), at: sent)
        return record
    }
}

extension RecordKey {
    /// The record of a type's position.
    init(delta type: String) { self.init("~delta/\(type)") }
}
