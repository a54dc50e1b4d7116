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
    /// The fragments that were collected, and those that may have applied alone.
    private var visited: (certain: Set<String>, doubtful: Set<String>) = ([], [])
    /// Members that may have one of several fields.
    private var ambiguous: Set<String> = []
    private var doubt: String?

    private struct Found {
        let field: Syntax.Field
        /// The name with the arguments.
        let key: String
        let arguments: [(key: String, value: JSONValue)]
        var sets: [Syntax.SelectionSet]
        /// Whether the enclosing fragment applies for certain.
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
                guard let fragment = plan.fragment(spread.name.text), visit(spread.name.text, isCertain) else {
                    continue
                }
                collect(fragment.selections, under: fragment.typeCondition.text, isCertain: isCertain)
            }
        }
    }

    /// Whether to collect a fragment: once, and again if it applies for certain and was only possible before.
    private mutating func visit(_ name: String, _ isCertain: Bool) -> Bool {
        if visited.certain.contains(name) { return false }
        return isCertain ? visited.certain.insert(name).inserted : visited.doubtful.insert(name).inserted
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

    /// Whether a fragment applies to objects of the type; nil where unknown.
    private func applies(_ condition: String?) -> Bool? {
        guard let condition, !isRoot, condition != declared else { return true }
        guard let type else { return nil }
        if condition == type { return true }
        guard let schema = plan.rules.schema, schema.type(condition) != nil, schema.type(type) != nil else {
            return nil
        }
        return schema.isPossible(type, in: condition)
    }

    /// Adds a field; a field selected for certain replaces a possible one with the same response name.
    private mutating func add(_ field: Syntax.Field, isCertain: Bool) {
        let (response, arguments) = (field.responseName, plan.arguments(of: field))
        let new = Found(
            field: field,
            key: ArgumentText.key(field.name.text, arguments),
            arguments: arguments,
            sets: field.selections.map { [$0] } ?? [],
            isCertain: isCertain
        )
        guard let place = places[response] else {
            places[response] = found.count
            return found.append(new)
        }
        let known = found[place]
        if known.key == new.key {
            found[place] = Found(
                field: field,
                key: new.key,
                arguments: arguments,
                sets: known.sets + new.sets,
                isCertain: known.isCertain || isCertain
            )
        } else if isCertain, !known.isCertain {
            found[place] = new
        } else if !isCertain, !known.isCertain {
            // The field of this member is unknown.
            ambiguous.insert(response)
        }
    }

    func fields() -> SelectedFields {
        let owner = isRoot ? plan.rootType : type
        let definition = owner.flatMap { plan.rules.schema?.type($0) }
        var keys: Set<String> = []
        let told = found.filter { $0.isCertain || !ambiguous.contains($0.field.responseName) }
        return SelectedFields(fields: told.map { field($0, of: owner, definition, &keys) }, doubt: doubt)
    }

    private func field(
        _ found: Found,
        of owner: String?,
        _ definition: Schema.NamedType?,
        _ keys: inout Set<String>
    ) -> SelectedField {
        let name = found.field.name.text
        let type = definition?.field(name)?.type
        let rule = owner.flatMap { plan.rules.pages.isEmpty ? nil : plan.rules.pages["\($0).\(name)"] }
        return SelectedField(
            found.field,
            key: found.key,
            object: found.sets.isEmpty ? nil : SelectedObject(found.sets, declared: type?.name),
            type: type,
            page: rule.flatMap { PageRequest($0, of: name, found.arguments, key: found.key) },
            isRepeated: !keys.insert(found.key).inserted
        )
    }
}
