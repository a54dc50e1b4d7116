/// A record while layers are applied to it.
struct SeenRecord {
    private var record: CacheRecord?
    private let base: RecordLookup
    private var isDeleted = false
    private var isChanged = false
    /// The changed lists with their objects, so that many additions take linear time.
    private var lists: [String: List] = [:]

    private struct List {
        /// The prepended items, the last one first, and the other items with those appended.
        var first: [RecordValue] = []
        var items: [RecordValue]
        var known: Set<RecordKey>

        init(_ items: [RecordValue]) {
            self.items = items
            known = Set(items.compactMap(\.reference))
        }
    }

    init(_ base: RecordLookup) {
        self.base = base
        if case .found(let found) = base { record = found }
    }

    var type: String? { record?.type }

    var lookup: RecordLookup {
        if isDeleted { return .deleted }
        guard isChanged, var record else { return base }
        for (name, list) in lists { record.fields[name]?.value = .list(list.first.reversed() + list.items) }
        return .found(record)
    }

    mutating func apply(_ change: LayerChange) {
        switch change {
        case .delete:
            (record, isDeleted, lists) = (nil, true, [:])
        case .fields(_, let patch):
            if case .found(let seen) = lookup { record = seen }
            record = record ?? CacheRecord()
            record?.merge(patch)
            (isDeleted, isChanged, lists) = (false, true, [:])
        case .add(let key, let target):
            edit(target) { list in
                guard list.known.insert(key).inserted else { return }
                if target.isFirst { list.first.append(.reference(key)) } else { list.items.append(.reference(key)) }
            }
        case .unknown(let target):
            for (name, field) in record?.fields ?? RecordFields()
            where field.value.list != nil && target.takes(name, told: field.moment) {
                record?.fields[name] = nil
                (lists[name], isChanged) = (nil, true)
            }
        case .remove(let key, let target):
            edit(target) { list in
                guard list.known.remove(key) != nil else { return }
                list.first.removeAll { $0 == .reference(key) }
                list.items.removeAll { $0 == .reference(key) }
            }
        }
    }

    private mutating func edit(_ target: ListTarget, _ change: (inout List) -> Void) {
        guard let record else { return }
        for (name, field) in record.fields where target.takes(name, told: field.moment) {
            guard let items = field.value.list else { continue }
            change(&lists[name, default: List(items)])
            isChanged = true
        }
    }
}

extension RecordValue {
    fileprivate var reference: RecordKey? {
        if case .reference(let key) = self { key } else { nil }
    }
}
