import WireConfig

/// The selections that form one member of a response (GraphQL specification, section 6.3.2).
///
/// Results are cached, because all items of a list use the same groups.
final class FieldGroup {
    let name: String
    let definition: Schema.FieldType
    private(set) var fields: [Syntax.Field]
    /// The groups that the selections of the fields make, by the type of the object.
    var inner: [String: [FieldGroup]] = [:]
    var arguments: JSONValue?

    init(_ field: Syntax.Field, _ definition: Schema.FieldType) {
        name = field.responseName
        self.definition = definition
        fields = [field]
    }

    func add(_ field: Syntax.Field) { fields.append(field) }
}

extension Execution {
    /// Groups selections in order of first appearance; fragments are expanded without recursion.
    func collect(_ selections: [Syntax.SelectionSet], on type: Schema.NamedType) throws(Stopped) -> [FieldGroup] {
        var groups: [FieldGroup] = []
        var known: [String: FieldGroup] = [:]
        var spread: Set<String> = []
        var rest = selections.reversed().map { $0.selections[...] }
        while var next = rest.popLast() {
            guard let selection = next.popFirst() else { continue }
            rest.append(next)
            try countSelection()
            guard try isIncluded(selection.directives) else { continue }
            switch selection {
            case .field(let field):
                if let group = known[field.responseName] {
                    group.add(field)
                } else if let definition = definition(of: field.name.text, on: type) {
                    let group = FieldGroup(field, definition)
                    known[group.name] = group
                    groups.append(group)
                }
            case .spread(let one):
                guard spread.insert(one.name.text).inserted, let fragment = fragments[one.name.text],
                    schema.isPossible(type.name, in: fragment.typeCondition.text)
                else { continue }
                rest.append(fragment.selections.selections[...])
            case .inline(let fragment):
                if let condition = fragment.typeCondition, !schema.isPossible(type.name, in: condition.text) {
                    continue
                }
                rest.append(fragment.selections.selections[...])
            }
        }
        return groups
    }

    private func definition(of field: String, on type: Schema.NamedType) -> Schema.FieldType? {
        if let meta = MetaField.definition(of: field), field == MetaField.typeName || type.name == schema.query {
            return meta
        }
        return type.field(field)
    }

    private func isIncluded(_ directives: [Syntax.Directive]) throws(Stopped) -> Bool {
        for directive in directives where directive.name.text == "skip" || directive.name.text == "include" {
            let condition = directive.arguments.first { $0.name.text == "if" }?.value
            var coercion = InputCoercion(schema, variables: variables)
            guard let condition, case .boolean(let value)? = coercion.coerce(condition, as: .nonNull(.named("Boolean")))
            else {
                throw fail("the argument 'if' of '@\(directive.name.text)': expected 'Boolean!'", at: [directive.place])
            }
            if value == (directive.name.text == "skip") { return false }
        }
        return true
    }
}
