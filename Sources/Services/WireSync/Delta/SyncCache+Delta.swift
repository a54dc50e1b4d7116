import Synchronization
import WireConfig
import WireGraphQL
import WireStore

/// How far a type is up to date: the server's time of the last answer, and the query it was the answer to.
struct DeltaPosition: Sendable, Equatable {
    let lastSync: JSONValue
    let query: String

    init(_ lastSync: JSONValue, query: String) { (self.lastSync, self.query) = (lastSync, query) }

    static func == (left: Self, right: Self) -> Bool {
        left.query == right.query && left.lastSync.isSame(as: right.lastSync)
    }
}

extension SyncCache {
    // MARK: Positions

    /// Kept beside the records, so that it goes where they go.
    func deltaPosition(of type: String) throws(StoreFailure) -> DeltaPosition? {
        state.withLock { _ = $0.marks.insert(RecordKey(delta: type)) }
        guard let record = try seen(RecordKey(delta: type)),
            case .scalar(let lastSync)? = record.fields["lastSync"]?.value,
            case .scalar(.string(let query))? = record.fields["query"]?.value
        else { return nil }
        return DeltaPosition(lastSync, query: query)
    }

    // MARK: Answers

    /// Takes the answer to a delta query over, and how far the type is up to date with it, where that is known, in one step.
    ///
    /// Returns the keys of the objects that were told; nil for an answer that is too large to be kept.
    func take(
        _ answer: DeltaAnswer,
        to question: CacheQuestion,
        _ form: DeltaForm,
        of type: String,
        adding lists: [CacheQuestion],
        upTo position: DeltaPosition?,
        clearings: Int
    ) async throws(StoreFailure) -> Set<RecordKey>? {
        try follow()
        let (plan, sent) = (plan(question), answer.sent)
        guard var records = Self.records(of: answer.data, [], plan, at: sent)?.records else { return nil }
        let told = Set(records.keys.filter { records[$0]?.type == type })
        let deleted = answer.deleted.compactMap { key(of: $0, plan, form, type) }
        let additions = lists.isEmpty ? [:] : try additions(of: told, to: lists, type)
        for (key, record) in additions where records[key]?.merge(record) == nil {
            records[key] = record
        }
        for key in deleted { records[key] = .deleted(at: sent) }
        if let position { records[RecordKey(delta: type)] = position.record(at: sent) }
        var write = RecordWrite(records, sent: sent)
        write.clearings = clearings
        try await change(write)
        return told
    }

    /// Notes how far a type is up to date.
    func mark(_ type: String, _ position: DeltaPosition, at sent: Moment, clearings: Int) async throws(StoreFailure) {
        var write = RecordWrite([RecordKey(delta: type): position.record(at: sent)], sent: sent)
        write.clearings = clearings
        try await change(write)
    }

    /// Removes the objects of a type that a whole answer has not told, but for those that were told after it was asked for.
    ///
    /// What is written while they are looked for is looked at again in the step that removes them.
    func forget(_ type: String, but keys: Set<RecordKey>, since sent: Moment) async throws(StoreFailure) {
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
            let removals = found.records.filter { _, bytes in
                CacheRecord(bytes: bytes).map { $0.type == type && $0.newest <= sent } ?? true
            }
            return RecordChanges(puts: [], removals: removals.keys.sorted())
        }
        update { ((), $0.changeAll()) }
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

    // MARK: Lists

    /// The lists of queries with the objects that were not known before.
    ///
    /// A list keeps its age: a server may tell of it later, and is right then.
    private func additions(
        of keys: Set<RecordKey>,
        to questions: [CacheQuestion],
        _ type: String
    ) throws(StoreFailure) -> [RecordKey: CacheRecord] {
        let loader = RecordLoader(self, try look(), Layers())
        loader.prepare(keys.map(RecordValue.reference))
        let new = keys.sorted().filter { if case .found = loader.record($0) { false } else { true } }
        guard !new.isEmpty else { return [:] }
        var added: [RecordKey: CacheRecord] = [:]
        for question in questions {
            for (holder, field, list) in self.lists(of: plan(question), type, loader) {
                guard case .list(let items) = list.value else { continue }
                let known = Set(items.compactMap { if case .reference(let key) = $0 { key } else { nil } })
                let missing = new.filter { !known.contains($0) }.map(RecordValue.reference)
                guard !missing.isEmpty else { continue }
                let extended = CachedField(.list(items + missing), at: list.moment)
                added[holder, default: CacheRecord()].fields[field] = extended
            }
        }
        if let failure = loader.failure { throw failure }
        return added
    }

    /// The cached lists of a type that a query answers with: its root fields, or fields of the objects there.
    private func lists(of plan: SelectionPlan, _ type: String, _ loader: RecordLoader)
        -> [(holder: RecordKey, field: String, list: CachedField)]
    {
        var found: [(holder: RecordKey, field: String, list: CachedField)] = []
        func look(_ object: SelectedObject, _ key: RecordKey, _ objectType: String?, deeper: Bool) {
            for field in plan.fields(of: object, type: objectType).fields where field.page == nil {
                let holder = key.holder(of: field.key)
                guard let inner = field.object, case .found(let record) = loader.record(holder),
                    let cached = record.fields[field.key]
                else { continue }
                switch cached.value {
                case .list(let items):
                    if isList(field.type, items, of: type, plan.rules.schema) {
                        found.append((holder, field.key, cached))
                    }
                case .reference(let next):
                    guard deeper, case .found(let record) = loader.record(next) else { continue }
                    look(inner, next, record.type, deeper: false)
                case .scalar: continue
                }
            }
        }
        look(plan.root, plan.rootKey, plan.rootType, deeper: true)
        return found
    }

    /// By the schema; without one a list that is empty, or has an object of the type.
    private func isList(
        _ reference: Schema.TypeReference?,
        _ items: [RecordValue],
        of type: String,
        _ schema: Schema?
    ) -> Bool {
        guard let schema, let reference else {
            return items.isEmpty
                || items.contains { if case .reference(let key) = $0 { key.text.hasPrefix("\(type):") } else { false } }
        }
        guard case .list(let item) = reference.nullable, case .named(let name) = item.nullable else { return false }
        return name == type || schema.isPossible(type, in: name)
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
    /// The record of how far a type is up to date.
    init(delta type: String) { self.init("~delta/\(type)") }
}
