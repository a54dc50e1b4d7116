import WireBase

/// The rules about definitions (sections 5.1, 5.2 and 5.5.1).
extension Validator {
    mutating func checkDefinitions() {
        checkKinds()
        checkOperationNames()
        checkFragmentNames()
    }

    private mutating func checkKinds() {
        for definition in document.definitions where !definition.isExecutable {
            let (what, place) =
                switch definition {
                case .type(let type): ("the type '\(type.name.text)'", type.name.place)
                case .directive(let directive): ("the directive '@\(directive.name.text)'", directive.name.place)
                case .schema, .operation, .fragment: ("a schema", definition.place)
                }
            report(
                .executableDefinitions,
                "\(what) is defined in a document of operations",
                at: place,
                help: "put type definitions into the schema file"
            )
        }
    }

    private mutating func checkOperationNames() {
        var known: [String: SourceRange] = [:]
        let operations = document.operations
        for operation in operations {
            guard let name = operation.name else {
                if operations.count > 1 {
                    report(
                        .loneAnonymousOperation,
                        "an anonymous operation must be the only operation",
                        at: operation.heading,
                        help: "name the operation: '\(operation.kind) Name { … }'"
                    )
                }
                continue
            }
            if let first = known[name.text] {
                let finding = Finding(
                    .uniqueOperationNames,
                    "duplicate operation '\(name.text)'",
                    at: name.place
                )
                report(finding.related(first, "the first is here"))
            } else {
                known[name.text] = name.place
            }
        }
    }

    private mutating func checkFragmentNames() {
        for (number, fragment) in fragments.fragments.enumerated() {
            guard let first = fragments.index[fragment.name.text], first != number else { continue }
            let finding = Finding(
                .uniqueFragmentNames,
                "duplicate fragment '\(fragment.name.text)'",
                at: fragment.name.place
            )
            report(finding.related(fragments.fragments[first].name.place, "the first is here"))
        }
    }

    mutating func checkUnusedFragments() {
        let spreads = document.operations.flatMap { FragmentGraph.spreads(in: $0.selections) }
        let used = Set(fragments.reached(from: spreads).map { fragments.fragments[$0].name.text })
        for fragment in fragments.fragments where !used.contains(fragment.name.text) {
            report(
                .noUnusedFragments,
                "no operation uses the fragment '\(fragment.name.text)'",
                at: fragment.name.place
            )
        }
    }

    mutating func checkCycles() {
        for cycle in fragments.cycles {
            let others = cycle.path.dropFirst().map { "'\($0)'" }.joined(separator: ", ")
            report(
                .noFragmentCycles,
                "the fragment '\(cycle.spread.name.text)' contains itself"
                    + (others.isEmpty ? "" : " through \(others)"),
                at: cycle.spread.name.place
            )
        }
    }

    // MARK: Subscriptions

    /// A subscription selects one field, which is not an introspection field and does not depend on variables.
    mutating func checkSingleField(of operation: Syntax.Operation, in root: Schema.NamedType) {
        var first: Syntax.Field?
        var isConditional = false
        var seen: Set<Int> = []
        var waiting: [Syntax.Selection] = operation.selections.selections.reversed()
        while let selection = waiting.popLast() {
            guard spend(1) else { return }
            if let directive = selection.directives.first(where: { ["skip", "include"].contains($0.name.text) }) {
                report(
                    .singleFieldSubscriptions,
                    "the field of a subscription cannot depend on '@\(directive.name.text)'",
                    at: directive.place
                )
                isConditional = true
                continue
            }
            switch selection {
            case .field(let field):
                checkSubscribed(field, after: first, operation)
                first = first ?? field
            case .inline(let fragment) where includes(fragment.typeCondition, root):
                waiting.append(contentsOf: fragment.selections.selections.reversed())
            case .spread(let spread):
                guard let next = fragments.index[spread.name.text], seen.insert(next).inserted else { continue }
                let fragment = fragments.fragments[next]
                guard includes(fragment.typeCondition, root) else { continue }
                waiting.append(contentsOf: fragment.selections.selections.reversed())
            case .inline: continue
            }
        }
        if first == nil, !isConditional {
            report(.singleFieldSubscriptions, "\(operation.title) selects no field", at: operation.heading)
        }
    }

    private mutating func checkSubscribed(
        _ field: Syntax.Field,
        after first: Syntax.Field?,
        _ operation: Syntax.Operation
    ) {
        let place = (field.alias ?? field.name).place
        if field.name.text.utf8.starts(with: "__".utf8) {
            report(.singleFieldSubscriptions, "a subscription cannot select '\(field.name.text)'", at: field.name.place)
        } else if let first, first.responseName != field.responseName {
            let finding = Finding(
                .singleFieldSubscriptions,
                "\(operation.title) must select one field only",
                at: place,
                help: "write a subscription for each field"
            )
            report(finding.related((first.alias ?? first.name).place, "the first field"))
        }
    }

    private func includes(_ condition: Syntax.Name?, _ root: Schema.NamedType) -> Bool {
        guard let condition else { return true }
        return schema.isPossible(root.name, in: condition.text)
    }
}
