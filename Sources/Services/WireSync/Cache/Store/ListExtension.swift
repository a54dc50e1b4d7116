import WireGraphQL

/// The cached lists of some queries that get the new objects of a type in a write.
///
/// Which lists and objects these are is decided from the reads of the transaction: another process may have changed a
/// list, or added the objects itself.
struct ListExtension: Sendable {
    private let questions: [CacheQuestion]
    private let type: String
    private let rules: RecordRules
    /// The records that the transaction has to read for it.
    let keys: Set<RecordKey>

    /// Finds the lists of these queries in known records: their root fields, or fields of the objects there.
    init(
        of questions: [CacheQuestion],
        with type: String,
        _ rules: RecordRules,
        _ record: (RecordKey) -> CacheRecord?
    ) {
        (self.questions, self.type, self.rules) = (questions, type, rules)
        var keys: Set<RecordKey> = []
        for question in questions {
            let plan = question.plan(rules)
            for field in plan.fields(of: plan.root, type: plan.rootType).fields where field.object != nil {
                let holder = plan.rootKey.holder(of: field.key)
                // An object without key fields may come there before the transaction.
                keys.formUnion([holder, plan.rootKey.child(field.key)])
                if case .reference(let key)? = record(holder)?.fields[field.key]?.value { keys.insert(key) }
            }
        }
        self.keys = keys
    }

    /// The lists with the new objects of some records.
    ///
    /// A list keeps its age, so that a later answer of the server replaces it.
    func extended(
        by new: [RecordKey: CacheRecord],
        over stored: [RecordKey: CacheRecord]
    ) -> [RecordKey: CacheRecord] {
        let objects = new.keys.filter { new[$0]?.type == type && stored[$0]?.isDeleted ?? true }.sorted()
        if objects.isEmpty { return [:] }
        var extended: [RecordKey: CacheRecord] = [:]
        for question in questions {
            for (holder, field, list) in lists(of: question.plan(rules), stored) {
                guard case .list(let items) = list.value else { continue }
                let known = Set(items.compactMap { if case .reference(let key) = $0 { key } else { nil } })
                let missing = objects.filter { !known.contains($0) }.map(RecordValue.reference)
                guard !missing.isEmpty else { continue }
                extended[holder, default: CacheRecord(type: stored[holder]?.type)].fields[field] =
                    CachedField(.list(items + missing), at: list.moment)
            }
        }
        return extended
    }

    private func lists(
        of plan: SelectionPlan,
        _ stored: [RecordKey: CacheRecord]
    ) -> [(holder: RecordKey, field: String, list: CachedField)] {
        var found: [(holder: RecordKey, field: String, list: CachedField)] = []
        func look(_ object: SelectedObject, _ key: RecordKey, _ objectType: String?, deeper: Bool) {
            for field in plan.fields(of: object, type: objectType).fields where field.page == nil {
                let holder = key.holder(of: field.key)
                guard let inner = field.object, let cached = stored[holder]?.fields[field.key] else { continue }
                switch cached.value {
                case .list(let items):
                    if isList(field.type, items) { found.append((holder, field.key, cached)) }
                case .reference(let next):
                    guard deeper, let record = stored[next] else { continue }
                    look(inner, next, record.type, deeper: false)
                case .scalar: continue
                }
            }
        }
        look(plan.root, plan.rootKey, plan.rootType, deeper: true)
        return found
    }

    /// By the schema; without one a list that is empty, or has an object of the type.
    private func isList(_ reference: Schema.TypeReference?, _ items: [RecordValue]) -> Bool {
        guard let schema = rules.schema, let reference else {
            return items.isEmpty
                || items.contains { if case .reference(let key) = $0 { key.text.hasPrefix("\(type):") } else { false } }
        }
        guard case .list(let item) = reference.nullable, case .named(let name) = item.nullable else { return false }
        return name == type || schema.isPossible(type, in: name)
    }
}
