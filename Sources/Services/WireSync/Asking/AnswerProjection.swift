import WireConfig

/// Reduces an answer to the caller's selection: removes the type names that the cache requested.
struct AnswerProjection {
    private let plan: SelectionPlan

    init(_ plan: SelectionPlan) { self.plan = plan }

    func data(_ data: JSONValue) -> JSONValue { value(data, plan.root, depth: 0) }

    private func value(_ value: JSONValue, _ object: SelectedObject?, depth: Int) -> JSONValue {
        guard let object, depth < RecordLimits().depth else { return value }
        switch value {
        case .array(let items): return .array(items.map { self.value($0, object, depth: depth + 1) })
        case .object(let members): return .object(self.members(members, object, depth: depth))
        default: return value
        }
    }

    private func members(_ members: [(key: String, value: JSONValue)], _ object: SelectedObject, depth: Int)
        -> [(key: String, value: JSONValue)]
    {
        let type = object.isRoot ? nil : members.first { $0.key == "__typename" }?.value.string
        let selected = plan.fields(of: object, type: object.isRoot ? plan.rootType : type)
        // It is unknown which fragments apply, so nothing is removed that may have been requested.
        guard selected.doubt == nil else { return members }
        let byName = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
        return selected.fields.compactMap { field in
            byName[field.response].map { (field.response, value($0, field.object, depth: depth + 1)) }
        }
    }
}
