import WireBase

/// The rules about fields and fragments (sections 5.3 and 5.5), in one pass through each definition.
///
/// The recursion depth is that of the document, which its parser has limited.
extension Validator {
    /// Visits a selection set that is a response level, and returns its number in the table.
    mutating func walk(_ set: Syntax.SelectionSet, in type: Schema.NamedType?) -> Int {
        let level = selections.levels.count
        selections.levels.append(SelectionTable.Level())
        walk(set, in: type, level)
        return level
    }

    private mutating func walk(_ set: Syntax.SelectionSet, in type: Schema.NamedType?, _ level: Int) {
        for selection in set.selections {
            switch selection {
            case .field(let field): walk(field, in: type, level)
            case .spread(let spread): check(spread, in: type, level)
            case .inline(let fragment): walk(fragment, in: type, level)
            }
        }
    }

    // MARK: Fragments

    private mutating func walk(_ fragment: Syntax.InlineFragment, in type: Schema.NamedType?, _ level: Int) {
        walk(fragment.selections, in: narrow(type, by: fragment), level)
    }

    /// The type of the selections in an inline fragment.
    private mutating func narrow(_ type: Schema.NamedType?, by fragment: Syntax.InlineFragment) -> Schema.NamedType? {
        check(fragment.directives, at: .inlineFragment)
        guard let condition = fragment.typeCondition else { return type }
        let narrowed = typeCondition(condition)
        if let narrowed, let type, !index.canOverlap(narrowed.name, type.name) {
            report(
                .possibleFragmentSpreads,
                "an object of type '\(type.name)' is never of type '\(narrowed.name)'",
                at: condition.place
            )
        }
        return narrowed
    }

    private mutating func check(_ spread: Syntax.FragmentSpread, in type: Schema.NamedType?, _ level: Int) {
        check(spread.directives, at: .fragmentSpread)
        let name = spread.name
        guard let target = fragments.index[name.text] else {
            report(
                .knownFragmentNames,
                "unknown fragment '\(name.text)'",
                at: name.place,
                help: meant(name.text, fragments.index.keys.sorted())
            )
            return
        }
        selections.levels[level].fragments.append(target)
        let condition = fragments.fragments[target].typeCondition
        guard let type, let narrowed = schema.type(condition.text), narrowed.isComposite,
            !index.canOverlap(narrowed.name, type.name)
        else { return }
        let finding = Finding(
            .possibleFragmentSpreads,
            "the fragment '\(name.text)' on '\(narrowed.name)' never applies to an object of type '\(type.name)'",
            at: name.place
        )
        report(finding.related(condition.place, "the type of the fragment"))
    }

    /// The type condition of a fragment, if objects can have the type.
    mutating func typeCondition(_ name: Syntax.Name) -> Schema.NamedType? {
        guard let type = knownType(name) else { return nil }
        if type.isComposite { return type }
        report(
            .fragmentsOnCompositeTypes,
            "a fragment cannot be on '\(type.name)', which has no fields",
            at: name.place
        )
        return nil
    }

    mutating func knownType(_ name: Syntax.Name) -> Schema.NamedType? {
        if let type = schema.type(name.text) { return type }
        report(
            .knownTypeNames,
            "unknown type '\(name.text)'",
            at: name.place,
            help: meant(name.text, schema.typeNames)
        )
        return nil
    }

    // MARK: Fields

    private mutating func walk(_ field: Syntax.Field, in parent: Schema.NamedType?, _ level: Int) {
        let (number, type) = enter(field, in: parent, level)
        guard let set = field.selections else { return }
        selections.fields[number].level = walk(set, in: type)
    }

    /// Checks a field without its selections; returns its number, and its type where it has selections.
    private mutating func enter(_ field: Syntax.Field, in parent: Schema.NamedType?, _ level: Int)
        -> (Int, Schema.NamedType?)
    {
        let definition = parent.flatMap { index.field(field.name.text, of: $0) }
        if let parent, definition == nil { reportUnknown(field, of: parent) }
        let type = definition.flatMap { schema.type($0.type.name) }
        check(field.directives, at: .field)
        check(field.arguments, definition?.arguments, Owner(field, parent))
        if let type, let definition { checkLeaf(field, type, definition) }
        let number = selections.fields.count
        selections.fields.append(
            SelectionTable.Field(
                node: field,
                parent: parent?.name,
                isOnObject: parent?.kind == .object,
                type: definition?.type,
                shape: shape(definition?.type, type),
                call: field.call,
                level: nil
            )
        )
        selections.levels[level].fields.append(number)
        return (number, type?.isComposite == true ? type : nil)
    }

    private func shape(_ reference: Schema.TypeReference?, _ type: Schema.NamedType?) -> String? {
        guard let reference, let type else { return nil }
        func text(_ reference: Schema.TypeReference) -> String {
            switch reference {
            case .named: type.isLeaf ? type.name : "{}"
            case .list(let inner): "[\(text(inner))]"
            case .nonNull(let inner): text(inner) + "!"
            }
        }
        return text(reference)
    }

    private mutating func checkLeaf(_ field: Syntax.Field, _ type: Schema.NamedType, _ definition: Schema.FieldType) {
        let name = field.name.text
        if type.isLeaf, field.selections != nil {
            report(
                .scalarLeafs,
                "the field '\(name)' has the type '\(definition.type)', which has no fields to select",
                at: field.name.place
            )
        } else if type.isComposite, field.selections == nil {
            report(
                .scalarLeafs,
                "the field '\(name)' has the type '\(definition.type)' and requires a selection of fields",
                at: field.name.place,
                help: "write '\(name) { … }'"
            )
        }
    }

    private mutating func reportUnknown(_ field: Syntax.Field, of parent: Schema.NamedType) {
        let name = field.name.text
        report(
            .fieldsOnCorrectType,
            "the type '\(parent.name)' has no field '\(name)'",
            at: field.name.place,
            help: memberHelp(name, parent) ?? meant(name, parent.fields.map(\.name))
        )
    }

    /// Suggests an inline fragment for a field that only some possible types have.
    private mutating func memberHelp(_ name: String, _ parent: Schema.NamedType) -> String? {
        guard parent.kind != .object, findings.count < limits.findings else { return nil }
        let owners = schema.objects(of: parent.name).prefix(200).filter { owner in
            schema.type(owner).flatMap { index.field(name, of: $0) } != nil
        }
        return owners.first.map { "'\($0)' has the field: write '... on \($0) { \(name) }'" }
    }
}
