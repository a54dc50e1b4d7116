import WireConfig
import WireGraphQL

/// Collects the fields that are selected from an object, fragments included.
struct FieldCollector {
    let plan: SelectionPlan
    let type: String?
    let isRoot: Bool
    let declared: String?
    private var found: [Found] = []
    private var places: [String: Int] = [:]
    private var visited: Set<String> = []
    private var doubt: String?

    private struct Found {
        let field: Syntax.Field
        var sets: [Syntax.SelectionSet]
        /// Whether the fragment it stands in applies for certain.
        let isCertain: Bool
    }

    init(plan: SelectionPlan, type: String?, isRoot: Bool, declared: String?) {
        (self.plan, self.type, self.isRoot, self.declared) = (plan, type, isRoot, declared)
    }

    mutating func collect(_ set: Syntax.SelectionSet, isCertain: Bool) {
        for selection in set.selections where plan.isIncluded(selection.directives) {
            switch selection {
            case .field(let field): add(field, isCertain: isCertain)
            case .inline(let fragment):
                collect(fragment.selections, under: fragment.typeCondition?.text, isCertain: isCertain)
            case .spread(let spread):
                guard let fragment = plan.fragment(spread.name.text), visited.insert(spread.name.text).inserted else {
                    continue
                }
                collect(fragment.selections, under: fragment.typeCondition.text, isCertain: isCertain)
            }
        }
    }

    private mutating func collect(_ set: Syntax.SelectionSet, under condition: String?, isCertain: Bool) {
        switch applies(condition) {
        case true?: collect(set, isCertain: isCertain)
        case false?: return
        case nil:
            doubt = doubt ?? condition
            collect(set, isCertain: false)
        }
    }

    /// Whether a fragment is for objects of the type; nil where that is not known.
    private func applies(_ condition: String?) -> Bool? {
        guard let condition, !isRoot, condition != declared else { return true }
        guard let type else { return nil }
        if condition == type { return true }
        guard let schema = plan.rules.schema, schema.type(condition) != nil, schema.type(type) != nil else {
            return nil
        }
        return schema.isPossible(type, in: condition)
    }

    private mutating func add(_ field: Syntax.Field, isCertain: Bool) {
        let response = field.responseName
        guard let place = places[response] else {
            places[response] = found.count
            found.append(Found(field: field, sets: field.selections.map { [$0] } ?? [], isCertain: isCertain))
            return
        }
        if found[place].isCertain == isCertain || found[place].field.name.text == field.name.text {
            if let selections = field.selections { found[place].sets.append(selections) }
        } else if isCertain {
            found[place] = Found(field: field, sets: field.selections.map { [$0] } ?? [], isCertain: true)
        }
    }

    func fields() -> SelectedFields {
        let owner = isRoot ? plan.rootType : type
        let definition = owner.flatMap { plan.rules.schema?.type($0) }
        var keys: Set<String> = []
        return SelectedFields(fields: found.map { field($0, of: owner, definition, &keys) }, doubt: doubt)
    }

    private func field(
        _ found: Found,
        of owner: String?,
        _ definition: Schema.NamedType?,
        _ keys: inout Set<String>
    ) -> SelectedField {
        let name = found.field.name.text
        let type = definition?.field(name)?.type
        let arguments = plan.arguments(of: found.field)
        let rule = owner.flatMap { plan.rules.pages.isEmpty ? nil : plan.rules.pages["\($0).\(name)"] }
        let key = ArgumentText.key(name, arguments)
        return SelectedField(
            found.field,
            key: key,
            object: found.sets.isEmpty ? nil : SelectedObject(found.sets, declared: type?.name),
            type: type,
            page: rule.flatMap { PageRequest($0, of: name, arguments, key: key) },
            isRepeated: !keys.insert(key).inserted
        )
    }
}
