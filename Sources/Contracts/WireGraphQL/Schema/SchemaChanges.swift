/// A difference between two versions of a schema that clients can notice.
package struct SchemaChange: Sendable {
    package let severity: Severity
    package let kind: Kind
    /// The part that has changed, as a schema coordinate: `Task.title(arg:)`.
    package let coordinate: String
    /// The change in one sentence, without a full stop.
    package let message: String

    package enum Severity: String, Sendable, CaseIterable, Comparable {
        /// Operations that were valid may fail.
        case breaking
        /// Operations stay valid, but may return new values.
        case dangerous
        /// Operations behave as before.
        case safe

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
    }

    /// The kind of change, named as in graphql-js and graphql-core where they have it.
    package enum Kind: String, Sendable, CaseIterable {
        case typeRemoved, typeAdded, typeChangedKind, rootTypeChanged
        case typeRemovedFromUnion, typeAddedToUnion
        case valueRemovedFromEnum, valueAddedToEnum
        case implementedInterfaceRemoved, implementedInterfaceAdded
        case fieldRemoved, fieldAdded, fieldChangedKind, fieldChangedKindSafe
        case requiredInputFieldAdded, optionalInputFieldAdded
        case inputFieldDefaultValueChange, inputFieldDefaultValueAdded
        case argRemoved, requiredArgAdded, optionalArgAdded, argChangedKind, argChangedKindSafe
        case argDefaultValueChange, argDefaultValueAdded
        case directiveRemoved, directiveAdded, directiveRepeatableRemoved, directiveRepeatableAdded
        case directiveLocationRemoved, directiveLocationAdded
        case directiveArgRemoved, requiredDirectiveArgAdded, optionalDirectiveArgAdded
        case deprecationAdded, deprecationRemoved
        case oneOfAdded, oneOfRemoved
    }
}

/// Finds the changes between two schemas.
package enum SchemaChanges {
    /// The changes: types in the order of the old schema and then of the new one, then directives.
    ///
    /// Descriptions are not compared.
    package static func between(_ old: Schema, _ new: Schema) -> [SchemaChange] {
        var changes = SchemaComparison()
        changes.compareRoots(old, new)
        let types = Difference(old.typeNames, new.typeNames) { $0 }
        for name in types.removed { changes.add(.breaking, .typeRemoved, name, "the type '\(name)' was removed") }
        for name in types.added { changes.add(.safe, .typeAdded, name, "the type '\(name)' was added") }
        for (name, _) in types.kept {
            if let before = old.types[name], let after = new.types[name] { changes.compare(before, after) }
        }
        changes.compareDirectives(old, new)
        return changes.all
    }
}

/// The parts of two lists by name.
struct Difference<Part> {
    var removed: [Part] = []
    var added: [Part]
    var kept: [(old: Part, new: Part)] = []

    init(_ old: [Part], _ new: [Part], _ name: (Part) -> String) {
        let after = Dictionary(new.map { (name($0), $0) }) { first, _ in first }
        for part in old {
            if let other = after[name(part)] { kept.append((part, other)) } else { removed.append(part) }
        }
        let before = Set(old.map(name))
        added = new.filter { !before.contains(name($0)) }
    }
}
