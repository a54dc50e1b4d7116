package import WireConfig
import WireGraphQL

/// Splits an answer into records.
package struct Normalizer {
    private let plan: SelectionPlan
    private let rules: RecordRules
    private let moment: Moment
    private let limits: RecordLimits
    private var written = WrittenRecords()
    private var nodes = 0

    /// A position in an answer, as the `path` of an error names it.
    package enum PathPart: Hashable, Sendable {
        case name(String)
        case index(Int)
    }

    /// The records of the `data` of an answer.
    ///
    /// Fields named by an error are omitted, so that their known values stay; so are values of another shape than
    /// selected. An error without a path casts doubt on each null.
    package static func records(
        of data: JSONValue,
        errors: [[PathPart]] = [],
        by plan: SelectionPlan,
        at moment: Moment,
        limits: RecordLimits = RecordLimits()
    ) throws(RecordLimits.Exceeded) -> WrittenRecords {
        var normalizer = Self(plan: plan, rules: plan.rules, moment: moment, limits: limits)
        guard case .object(let members) = data else { return normalizer.written }
        let errors = errors.map { $0[...] }
        try normalizer.write(members, plan.root, as: plan.rootKey, plan.rootType, errors, depth: 0)
        return normalizer.written
    }

    private typealias Errors = [ArraySlice<PathPart>]

    private init(plan: SelectionPlan, rules: RecordRules, moment: Moment, limits: RecordLimits) {
        (self.plan, self.rules, self.moment, self.limits) = (plan, rules, moment, limits)
    }

    // MARK: Objects

    private mutating func write(
        _ members: [(key: String, value: JSONValue)],
        _ object: SelectedObject,
        as key: RecordKey,
        _ type: String?,
        _ errors: Errors,
        depth: Int
    ) throws(RecordLimits.Exceeded) {
        guard depth < limits.depth else { throw .depth }
        let (isRoot, selected) = (key.isRoot, plan.fields(of: object, type: type))
        var gathered = FieldGathering(isRoot ? [] : selected.keys)
        var next = 0
        for field in selected.fields where !field.isTypename {
            guard let member = members.member(field.response, &next) else { continue }
            if field.isPlain, !isRoot, !member.isNull {
                gathered.add(field.key, .scalar(member))
                continue
            }
            let inner = errors.isEmpty ? [] : errors.below(.name(field.response))
            guard let value = try value(member, field, of: key, inner, depth: depth + 1) else { continue }
            if let page = field.page, !value.isNull {
                let entry = CachedField(.scalar(page.entry), at: moment)
                written.add(CacheRecord(fields: [page.key: entry]), under: page.index(of: key))
            }
            if isRoot {
                written.add(
                    CacheRecord(type: type, fields: [field.key: CachedField(value, at: moment)]),
                    under: key.holder(of: field.key)
                )
            } else if field.isRepeated {
                gathered.replace(field.key, value)
            } else {
                gathered.add(field.key, value)
            }
        }
        if !isRoot {
            written.add(CacheRecord(type: type, fields: gathered.fields(at: moment)), under: key)
            guard written.records.count <= limits.records else { throw .records }
        }
    }

    // MARK: Values

    /// The value of a field; nil for one that is not to be written.
    private mutating func value(
        _ value: JSONValue,
        _ field: SelectedField,
        of key: RecordKey,
        _ errors: Errors,
        depth: Int
    ) throws(RecordLimits.Exceeded) -> RecordValue? {
        guard let object = field.object else {
            if case .null = value { return errors.isEmpty && !field.isNonNull ? .null : nil }
            return .scalar(value)
        }
        return try self.value(value, object, field.type, at: key.child(field.key), errors, depth: depth)
    }

    private mutating func value(
        _ value: JSONValue,
        _ object: SelectedObject,
        _ type: Schema.TypeReference?,
        at name: @autoclosure () -> RecordKey,
        _ errors: Errors,
        depth: Int
    ) throws(RecordLimits.Exceeded) -> RecordValue? {
        nodes += 1
        guard nodes <= limits.nodes else { throw .nodes }
        guard depth < limits.depth else { throw .depth }
        switch value {
        case .null: return errors.isEmpty && type?.isNonNull != true ? .null : nil
        case .array(let items):
            let item: Schema.TypeReference? = if case .list(let item)? = type?.nullable { item } else { nil }
            if type != nil, item == nil { return nil }
            let name = name()
            var values: [RecordValue] = []
            values.reserveCapacity(items.count)
            if case .object? = items.first { written.reserve(items.count) }
            var isWhole = true
            for (index, element) in items.enumerated() {
                let inner = errors.isEmpty ? [] : errors.below(.index(index))
                let value = try self.value(element, object, item, at: name.child("\(index)"), inner, depth: depth + 1)
                if let value { values.append(value) } else { isWhole = false }
            }
            return isWhole ? .list(values) : nil
        case .object(let members):
            if case .list? = type?.nullable { return nil }
            let (key, type) = identify(members, object)
            let place = key ?? name()
            try write(members, object, as: place, type, errors, depth: depth)
            return .reference(place)
        default: return nil
        }
    }

    /// The key of an object by its key fields, and its type.
    private func identify(_ members: [(key: String, value: JSONValue)], _ object: SelectedObject) -> (
        RecordKey?, String?
    ) {
        var hint = 0
        let told = members.member("__typename", &hint)?.string
        guard let type = told.flatMap({ $0.isEmpty ? nil : $0 }) ?? object.objectType(in: rules.schema) else {
            return (nil, nil)
        }
        if let root = rules.root(type) { return (root, type) }
        let selected = plan.fields(of: object, type: type)
        let names = rules.keyFields(of: type)
        if names.isEmpty { return (nil, type) }
        var values: [String] = []
        for name in names {
            guard let member = selected.member(for: name), let text = members.member(member, &hint)?.keyText else {
                return (nil, type)
            }
            values.append(text)
        }
        return (RecordKey(type, values), type)
    }
}

extension [(key: String, value: JSONValue)] {
    /// The value of a member, looked for first where the one before it was found.
    fileprivate func member(_ name: String, _ next: inout Int) -> JSONValue? {
        if next < count, self[next].key == name {
            next += 1
            return self[next - 1].value
        }
        guard let index = firstIndex(where: { $0.key == name }) else { return nil }
        next = index + 1
        return self[index].value
    }
}

extension JSONValue {
    fileprivate var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value of a key field as text, the same for a number and its digits.
    var keyText: String? {
        switch self {
        case .null, .array, .object: nil
        case .string(let text): text
        default: text()
        }
    }
}

extension [ArraySlice<Normalizer.PathPart>] {
    /// The errors at a member or element and below it; one without a path is everywhere.
    fileprivate func below(_ part: Normalizer.PathPart) -> Self {
        compactMap { path in
            guard let first = path.first else { return path }
            return first == part ? path.dropFirst() : nil
        }
    }
}
