import WireConfig
import WireGraphQL

/// Builds an answer from records.
package struct Denormalizer {
    private let plan: SelectionPlan
    private let source: any RecordSource
    private let pages: Pages
    private let limits: RecordLimits
    private var keys: Set<RecordKey> = []
    private var oldest = CachedField.ageless
    private var end = Int64.max
    private var nodes = 0
    /// Records made of several pages.
    var joined: [RecordKey: CacheRecord] = [:]

    /// The pages of a list in an answer.
    package enum Pages: Sendable, Hashable {
        /// The requested one.
        case asked
        /// The following ones too, up to the first gap.
        case all
    }

    /// Builds the answer to an operation from a source; throws the first missing part.
    package static func answer(
        to plan: SelectionPlan,
        from source: some RecordSource,
        pages: Pages = .asked,
        limits: RecordLimits = RecordLimits()
    ) throws(RecordMiss) -> RecordAnswer {
        var reader = Self(plan: plan, source: source, pages: pages, limits: limits)
        do throws(RecordMiss) {
            let data = try reader.object(plan.root, at: plan.rootKey, depth: 0)
            return RecordAnswer(data: data ?? .null, keys: reader.keys, oldest: reader.oldest, end: reader.end)
        } catch {
            var miss = error
            miss.keys = reader.keys
            throw miss
        }
    }

    private init(plan: SelectionPlan, source: any RecordSource, pages: Pages, limits: RecordLimits) {
        (self.plan, self.source, self.pages, self.limits) = (plan, source, pages, limits)
    }

    // MARK: Records

    /// Finds a record for the answer, and records it as read.
    mutating func find(_ key: RecordKey) throws(RecordMiss) -> RecordLookup {
        if let record = joined[key] { return .found(record) }
        keys.insert(key)
        return source.record(key)
    }

    /// Reads the field of an object in its record.
    mutating func field(
        _ name: String,
        of key: RecordKey,
        _ record: CacheRecord?,
        _ next: inout Int
    ) throws(RecordMiss) -> CachedField? {
        if let record { return record.fields.find(name, &next) }
        guard case .found(let holder) = try find(key.holder(of: name)) else { return nil }
        return holder.fields[name]
    }

    /// Records the age of a field.
    mutating func addField(_ field: CachedField, _ name: String, of type: String?) {
        oldest = min(oldest, field.time)
        end = min(end, plan.rules.ages.end(of: name, in: type, since: field.time))
    }

    // MARK: Values

    /// Builds an object; nil for a deleted one.
    private mutating func object(_ object: SelectedObject, at key: RecordKey, depth: Int) throws(RecordMiss)
        -> JSONValue?
    {
        var record: CacheRecord?
        if !key.isRoot {
            switch try find(key) {
            case .found(let found): record = found
            case .deleted: return nil
            case .absent: throw RecordMiss(key: key, field: "", reason: .record)
            }
        }
        let type = key.isRoot ? plan.rootType : record?.type ?? object.objectType(in: plan.rules.schema)
        nodes += 1
        guard nodes <= limits.nodes, depth < limits.depth else { throw RecordMiss(key: key, field: "", reason: .limit) }
        let selected = plan.fields(of: object, type: type)
        if let doubt = selected.doubt { throw RecordMiss(key: key, field: doubt, reason: .type) }
        var members: [(key: String, value: JSONValue)] = []
        members.reserveCapacity(selected.fields.count)
        var next = 0
        for field in selected.fields {
            members.append((field.response, try member(field, of: key, record, type, &next, depth: depth)))
        }
        return .object(members)
    }

    private mutating func member(
        _ field: SelectedField,
        of key: RecordKey,
        _ record: CacheRecord?,
        _ type: String?,
        _ next: inout Int,
        depth: Int
    ) throws(RecordMiss) -> JSONValue {
        if field.isTypename {
            guard let type else { throw RecordMiss(key: key, field: field.name, reason: .type) }
            return .string(type)
        }
        guard let cached = try self.field(field.key, of: key, record, &next) else {
            throw RecordMiss(key: key, field: field.key, reason: .field)
        }
        addField(cached, field.name, of: type)
        var value = cached.value
        if pages == .all, let page = field.page, page.position == .start {
            value = try join(page, of: key, record, value, field.object)
        }
        if case .list = value, let type { keys.insert(RecordKey(lists: field.name, of: type)) }
        return try self.value(value, field.object, field.type, (key, field.key), depth: depth + 1)
    }

    private mutating func value(
        _ value: RecordValue,
        _ object: SelectedObject?,
        _ type: Schema.TypeReference?,
        _ place: (key: RecordKey, field: String),
        depth: Int
    ) throws(RecordMiss) -> JSONValue {
        nodes += 1
        guard nodes <= limits.nodes, depth < limits.depth else {
            throw RecordMiss(key: place.key, field: place.field, reason: .limit)
        }
        switch (value, object) {
        case (.scalar(.null), _): return .null
        case (.scalar(let scalar), nil): return scalar
        case (.list(let items), let object?):
            var item: Schema.TypeReference?
            if case .list(let type)? = type?.nullable { item = type }
            source.prepare(items)
            var values: [JSONValue] = []
            values.reserveCapacity(items.count)
            for element in items {
                if case .reference(let key) = element {
                    // Deleted objects are removed from lists.
                    guard let value = try self.object(object, at: key, depth: depth) else { continue }
                    values.append(value)
                } else {
                    values.append(try self.value(element, object, item, place, depth: depth + 1))
                }
            }
            return .array(values)
        case (.reference(let key), let object?):
            if let value = try self.object(object, at: key, depth: depth) { return value }
            guard type?.isNonNull != true else { throw RecordMiss(key: key, field: "", reason: .record) }
            return .null
        // The field was a leaf once, or is one now.
        default: throw RecordMiss(key: place.key, field: place.field, reason: .field)
        }
    }
}
