import WireConfig
import WireGraphQL

/// The lists for new objects of a mutation: those of declared queries, else those of DataSync's `find…` fields.
struct MutationLists {
    let schema: Schema?
    let operations: DeclaredOperations

    func targets(of type: String, adds names: [String]) -> [ListTarget] {
        var found: [ListTarget] = []
        let new = names.isEmpty ? byForm(type) : names.flatMap { declared($0, type) }
        for target in new where !found.contains(target) { found.append(target) }
        return found
    }

    private var queryType: String { schema?.query ?? RecordKey.query.text }

    private func byForm(_ type: String) -> [ListTarget] {
        guard let schema, let root = schema.type(queryType) else { return [] }
        return root.fields.filter { $0.name.hasPrefix("find") }.flatMap { field -> [ListTarget] in
            if isList(field.type, of: type) { return [ListTarget(.every(field: field.name, of: queryType))] }
            return lists(in: field.type, of: type).map { ListTarget(.every(field: $0, of: field.type.name)) }
        }
    }

    /// The lists of a query with its arguments, or with any arguments where they are unknown.
    private func declared(_ name: String, _ type: String) -> [ListTarget] {
        guard let operation = operations[name]?.operation else { return [] }
        return operation.selections.selections.flatMap { selection -> [ListTarget] in
            guard case .field(let field) = selection else { return [] }
            let arguments = field.arguments.compactMap { argument in
                ArgumentText.json(argument.value, variables: [:]).map { (key: argument.name.text, value: $0) }
            }
            let isKnown = operation.variables.isEmpty
            let key = ArgumentText.key(field.name.text, arguments)
            guard let schema else {
                // Whether the field is the list or contains it, the other one gets nothing.
                let held = field.selections?.selections.compactMap { selection -> ListTarget? in
                    guard case .field(let inner) = selection, isKnown else { return nil }
                    return ListTarget(.field(inner.name.text, of: RecordKey.query.child(key)))
                }
                return [ListTarget(.every(field: field.name.text, of: queryType))] + (held ?? [])
            }
            guard let told = schema.type(queryType)?.field(field.name.text)?.type else { return [] }
            if isList(told, of: type) {
                return [
                    ListTarget(isKnown ? .field(key, of: .query) : .every(field: field.name.text, of: queryType))
                ]
            }
            return lists(in: told, of: type).map { list in
                ListTarget(isKnown ? .field(list, of: RecordKey.query.child(key)) : .every(field: list, of: told.name))
            }
        }
    }

    /// The fields of a result type that are lists of a type.
    private func lists(in result: Schema.TypeReference, of type: String) -> [String] {
        guard case .named(let name) = result.nullable, let result = schema?.type(name), result.kind == .object else {
            return []
        }
        return result.fields.filter { isList($0.type, of: type) }.map(\.name)
    }

    private func isList(_ reference: Schema.TypeReference, of type: String) -> Bool {
        guard case .list(let item) = reference.nullable, case .named(let name) = item.nullable else { return false }
        return name == type || schema?.isPossible(type, in: name) == true
    }
}
