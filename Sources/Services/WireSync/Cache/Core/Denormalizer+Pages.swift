import WireConfig

extension Denormalizer {
    /// The value of a field with the pages after its first one.
    ///
    /// A page follows where its cursor is the end of the one before; of several, the one fetched last.
    mutating func join(
        _ page: PageRequest,
        of holder: RecordKey,
        _ record: CacheRecord?,
        _ first: RecordValue,
        _ object: SelectedObject?
    ) throws(RecordMiss) -> RecordValue {
        guard case .found(let index) = try find(page.index(of: holder)) else { return first }
        var (values, count, place) = ([first], 0, 0)
        var seen: Set<String> = [page.key]
        while let next = try follower(of: values[values.count - 1], &count, page.rule, in: index),
            seen.insert(next).inserted, let field = try field(next, of: holder, record, &place)
        {
            addField(field, String(next.prefix { $0 != "(" }), of: record?.type)
            values.append(field.value)
        }
        return values.count == 1 ? first : try joined(values, page.rule)
    }

    /// The key of the field with the page after one.
    private mutating func follower(
        of value: RecordValue,
        _ count: inout Int,
        _ rule: PageRule,
        in index: CacheRecord
    ) throws(RecordMiss) -> String? {
        let wanted: JSONValue
        switch rule {
        case .relay:
            guard let info = try pageInfo(of: value)?.record,
                info.fields["hasNextPage"]?.value != .scalar(.boolean(false)),
                case .scalar(.string(let cursor))? = info.fields["endCursor"]?.value
            else { return nil }
            wanted = .string(cursor)
        case .offset(_, _, let items):
            guard let list = try list(of: value, items), !list.isEmpty else { return nil }
            count += list.count
            wanted = .integer(count)
        }
        let pages = index.fields.lazy.filter { $0.value.value == .scalar(wanted) }
        return pages.max { ($0.value.moment, $0.key) < ($1.value.moment, $1.key) }?.key
    }

    private mutating func found(_ value: RecordValue?) throws(RecordMiss) -> (key: RecordKey, record: CacheRecord)? {
        guard case .reference(let key)? = value, case .found(let record) = try find(key) else { return nil }
        return (key, record)
    }

    private mutating func pageInfo(of value: RecordValue) throws(RecordMiss) -> (key: RecordKey, record: CacheRecord)? {
        try found(try found(value)?.record.fields["pageInfo"]?.value)
    }

    private mutating func list(of value: RecordValue, _ items: String?) throws(RecordMiss) -> [RecordValue]? {
        guard let items else { return value.list }
        return try found(value)?.record.fields[items]?.value.list
    }

    /// The first page with the items of all, each object once.
    private mutating func joined(_ pages: [RecordValue], _ rule: PageRule) throws(RecordMiss) -> RecordValue {
        switch rule {
        case .offset(_, _, nil): return .list(Self.joined(pages.map { $0.list ?? [] }))
        case .offset(_, _, let items?): return try joined(pages, lists: [items])
        case .relay:
            guard let begin = try pageInfo(of: pages[0]), let end = try pageInfo(of: pages[pages.count - 1]) else {
                return pages[0]
            }
            var info = begin.record
            for name in ["hasNextPage", "endCursor"] { info.fields[name] = end.record.fields[name] }
            joined[begin.key] = info
            return try joined(pages, lists: ["edges", "nodes"])
        }
    }

    private mutating func joined(_ pages: [RecordValue], lists: [String]) throws(RecordMiss) -> RecordValue {
        guard var first = try found(pages[0]) else { return pages[0] }
        for name in lists {
            guard let field = first.record.fields[name], field.value.list != nil else { continue }
            var parts: [[RecordValue]] = []
            for page in pages { parts.append(try found(page)?.record.fields[name]?.value.list ?? []) }
            first.record.fields[name]?.value = .list(Self.joined(parts))
        }
        joined[first.key] = first.record
        return pages[0]
    }

    private static func joined(_ parts: [[RecordValue]]) -> [RecordValue] {
        var seen: Set<RecordKey> = []
        return parts.joined().filter { value in
            guard case .reference(let key) = value else { return true }
            return seen.insert(key).inserted
        }
    }
}
