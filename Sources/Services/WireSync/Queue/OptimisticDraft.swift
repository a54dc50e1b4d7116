import WireConfig
import WireGraphQL
import WireService
import WireStore

/// The optimistic data of a mutation until the server has answered: from the caller, or derived from its form.
struct OptimisticDraft {
    private(set) var changes: [LayerChange] = []
    /// The data for the caller.
    private(set) var data: JSONValue?
    private(set) var temporary: String?
    private(set) var target: RecordKey?
    /// The present fields of the target.
    private(set) var base: JSONValue?

    private let question: CacheQuestion
    private let form: MutationForm?
    private let cache: SyncCache
    private let schema: Schema?
    private let keyFields: [String]

    init(
        _ question: CacheQuestion,
        given: JSONValue?,
        lists: [ListTarget],
        _ cache: SyncCache,
        _ schema: Schema?,
        newID: () -> String
    ) throws(StoreFailure) {
        (self.question, self.cache, self.schema) = (question, cache, schema)
        form = MutationForm(question.operation, question.variables, schema)
        keyFields = form.map { cache.keyFields(of: $0.type) } ?? []
        let id = form.flatMap { form in form[keyFields.first ?? ""]?.keyText }
        if let form, form.kind != .create, keyFields.count == 1, let id {
            target = RecordKey(form.type, [id])
            if let target, let record = try cache.seen(target) { base = record.plainFields }
        }
        if let given { take(given, newID) } else { try derive(newID) }
        if form?.kind == .create, let target { changes += lists.map { .add(target, to: $0) } }
        if form?.kind == .delete, let target { changes.append(.delete(target)) }
    }

    // MARK: Given

    /// Uses the data of the caller; an object created without an id gets a temporary one.
    private mutating func take(_ given: JSONValue, _ newID: () -> String) {
        var given = given
        if let form, form.kind == .create, keyFields.count == 1, var object = given[form.member]?.members {
            let response = cache.plan(question).response(of: keyFields[0], in: form) ?? keyFields[0]
            let known = object.first { $0.key == response }?.value.keyText
            let id = known ?? newID()
            if known == nil { object.put(.string(id), under: response) }
            if TemporaryID.all(in: id) == [id] { temporary = id }
            if !object.contains(where: { $0.key == "__typename" }) { object.append(("__typename", .string(form.type))) }
            var root = given.members ?? []
            root.put(.object(object), under: form.member)
            given = .object(root)
            target = RecordKey(form.type, [id])
        }
        data = given
        changes = cache.layer("", expecting: given, of: question).changes
    }

    // MARK: Derived

    private mutating func derive(_ newID: () -> String) throws(StoreFailure) {
        guard let form, keyFields.count == 1 else { return }
        var shown: [LayerChange] = []
        switch form.kind {
        case .create:
            let given = form[keyFields[0]]?.keyText
            let id = given ?? newID()
            if given == nil { temporary = id }
            let key = RecordKey(form.type, [id])
            target = key
            shown = [.fields(key, created(form, .string(id)))]
            changes = shown
        case .update:
            guard let target else { return }
            shown = [.fields(target, record(form.type, form.changes(keyFields) + keyValue(form)))]
            changes = shown
        case .delete: break
        }
        guard let target else { return }
        data = try cache.expected(question, of: form, target, over: shown)
    }

    private func keyValue(_ form: MutationForm) -> [(key: String, value: JSONValue)] {
        form.input.filter { keyFields.contains($0.key) }
    }

    /// A new object: its input, and for other fields of the schema their defaults, null, or nothing yet.
    private func created(_ form: MutationForm, _ id: JSONValue) -> CacheRecord {
        var values = form.input.filter { $0.key != keyFields[0] }
        values.insert((keyFields[0], id), at: 0)
        for field in form.inputType?.inputFields ?? [] where !values.contains(where: { $0.key == field.name }) {
            guard let value = field.defaultValue.flatMap({ ArgumentText.json($0, variables: [:]) }) else { continue }
            values.append((field.name, value))
        }
        for field in schema?.type(form.type)?.fields ?? [] where !values.contains(where: { $0.key == field.name }) {
            guard field.arguments.allSatisfy({ !$0.isRequired }), let value = neutral(field) else { continue }
            values.append((field.name, value))
        }
        return record(form.type, values)
    }

    /// The value of a field of a new object while it is unknown.
    private func neutral(_ field: Schema.FieldType) -> JSONValue? {
        // Versions of DataSync count from 1.
        if field.name == MutationForm.versionFields[0] { return .integer(1) }
        guard field.type.isNonNull else { return .null }
        switch field.type.nullable {
        case .list: return .array([])
        case .named("Boolean"): return .boolean(false)
        case .named("Int"), .named("Float"): return .integer(0)
        case .named("String"): return .string("")
        default: return nil
        }
    }

    /// The record with the values that are leaf fields of the type.
    private func record(_ type: String, _ values: [(key: String, value: JSONValue)]) -> CacheRecord {
        var record = CacheRecord(type: type)
        let definition = schema?.type(type)
        for (name, value) in values {
            if let definition {
                guard let field = definition.field(name) else { continue }
                let isLeaf = schema?.type(field.type.name)?.isLeaf ?? true
                switch value {
                case .null: record.fields[name] = CachedField(.null, at: CachedField.ageless)
                case .array(let items) where !isLeaf && items.isEmpty:
                    record.fields[name] = CachedField(.list([]), at: CachedField.ageless)
                default:
                    if isLeaf { record.fields[name] = CachedField(.scalar(value), at: CachedField.ageless) }
                }
            } else {
                record.fields[name] = CachedField(.scalar(value), at: CachedField.ageless)
            }
        }
        return record
    }
}

extension SelectionPlan {
    /// The member of the answer's object with a field without arguments.
    func response(of name: String, in form: MutationForm) -> String? {
        let root = fields(of: root, type: rootType).fields.first { $0.response == form.member }
        return root?.object.flatMap { fields(of: $0, type: form.type).member(for: name) }
    }
}

extension CacheRecord {
    /// The leaves without arguments.
    var plainFields: JSONValue {
        .object(
            fields.compactMap { name, field in
                guard case .scalar(let value) = field.value, !name.hasSuffix(")") else { return nil }
                return (name, value)
            }
        )
    }
}
