import WireBase

/// The rule that fields with equal names can be merged (section 5.3.2).
///
/// Response levels are merged as in the execution, and each merged set of levels is examined once: all fields with one
/// name have values of one shape, and those that can belong to the same object read the same field with the same
/// arguments. This needs no pairwise comparison.
extension Validator {
    mutating func checkMerging() {
        var merge = FieldMerge(roots: mergeRoots())
        while let (kind, levels) = merge.next() {
            guard let groups = collect(levels) else { return }
            for group in groups { check(group, kind, &merge) }
        }
    }

    /// The initial levels: operations, and unused fragments.
    private func mergeRoots() -> [Int] {
        var isUsed = [Bool](repeating: false, count: fragments.fragments.count)
        let spreads = document.operations.flatMap { FragmentGraph.spreads(in: $0.selections) }
        fragments.mark(from: spreads, in: &isUsed)
        var roots = selections.operationRoots
        // Users come last, so that most fragments are reached from a user.
        for fragment in fragments.order.reversed() where !isUsed[fragment] {
            isUsed[fragment] = true
            fragments.mark(from: fragments.spreads[fragment], in: &isUsed)
            roots.append(selections.fragmentRoots[fragment])
        }
        return roots
    }

    /// The fields of merged levels by response name; nil when the step limit is reached.
    private mutating func collect(_ levels: [Int]) -> [[Int]]? {
        var groups: [[Int]] = []
        var numbers: [String: Int] = [:]
        var seen: Set<Int> = []
        var waiting = Array(levels.reversed())
        while let level = waiting.popLast() {
            let (fields, spreads) = (selections.levels[level].fields, selections.levels[level].fragments)
            guard spend(1 + fields.count + spreads.count) else { return nil }
            for field in fields {
                let name = selections.fields[field].node.responseName
                if let number = numbers[name] {
                    groups[number].append(field)
                } else {
                    numbers[name] = groups.count
                    groups.append([field])
                }
            }
            for fragment in spreads where seen.insert(fragment).inserted {
                waiting.append(selections.fragmentRoots[fragment])
            }
        }
        return groups
    }

    private mutating func check(_ group: [Int], _ kind: FieldMerge.Kind, _ merge: inout FieldMerge) {
        switch kind {
        case .form:
            let known = group.filter { selections.fields[$0].shape != nil }
            reportDifference(in: known, .form, &merge)
            enqueue(group, .form, &merge)
        case .sameObject:
            let shared = group.filter { !selections.fields[$0].isOnObject }
            var byObject: [String: [Int]] = [:]
            var objects: [String] = []
            for field in group {
                let entry = selections.fields[field]
                guard entry.isOnObject, let parent = entry.parent else { continue }
                if byObject[parent] == nil { objects.append(parent) }
                byObject[parent, default: []].append(field)
            }
            for part in objects.isEmpty ? [shared] : objects.map({ shared + (byObject[$0] ?? []) }) {
                guard spend(part.count) else { return }
                reportDifference(in: part, .sameObject, &merge)
                enqueue(part, .sameObject, &merge)
            }
        }
    }

    /// Reports each field that differs from the first.
    private mutating func reportDifference(in group: [Int], _ kind: FieldMerge.Kind, _ merge: inout FieldMerge) {
        guard let first = group.first else { return }
        let property: KeyPath<SelectionTable.Field, String?> = kind == .form ? \.shape : \.call
        let expected = selections.fields[first][keyPath: property]
        for field in group.dropFirst() where selections.fields[field][keyPath: property] != expected {
            guard merge.reported.insert(field).inserted else { continue }
            report(conflict(selections.fields[first], selections.fields[field], kind))
        }
    }

    private func conflict(
        _ first: SelectionTable.Field,
        _ second: SelectionTable.Field,
        _ kind: FieldMerge.Kind
    ) -> Finding {
        let name = second.node.responseName
        let (one, two) = (first.node.name.text, second.node.name.text)
        let reason =
            if kind == .form, let type = first.type, let other = second.type {
                "one has the type '\(type)', the other '\(other)'"
            } else if one != two {
                "one is '\(one)', the other '\(two)'"
            } else {
                "their arguments differ"
            }
        let finding = Finding(
            .overlappingFieldsCanBeMerged,
            "the fields named '\(name)' cannot be merged: \(reason)",
            at: (second.node.alias ?? second.node.name).place,
            help: "use an alias for one of them: 'other: \(two)'"
        )
        return finding.related((first.node.alias ?? first.node.name).place, "the other '\(name)'")
    }

    private func enqueue(_ group: [Int], _ kind: FieldMerge.Kind, _ merge: inout FieldMerge) {
        let levels = group.compactMap { selections.fields[$0].level }
        if !levels.isEmpty { merge.add(kind, levels) }
    }
}
