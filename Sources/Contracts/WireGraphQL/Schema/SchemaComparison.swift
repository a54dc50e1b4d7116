/// Collects the changes between two versions of each part of a schema.
struct SchemaComparison {
    private(set) var all: [SchemaChange] = []

    mutating func add(
        _ severity: SchemaChange.Severity,
        _ kind: SchemaChange.Kind,
        _ coordinate: String,
        _ message: String
    ) {
        all.append(SchemaChange(severity: severity, kind: kind, coordinate: coordinate, message: message))
    }

    mutating func compareRoots(_ old: Schema, _ new: Schema) {
        for kind in OperationKind.allCases {
            guard let before = old.root(of: kind), new.root(of: kind) != before else { continue }
            let after = new.root(of: kind).map { "from '\(before)' to '\($0)'" } ?? "from '\(before)' to none"
            add(.breaking, .rootTypeChanged, before, "the type of the operation '\(kind.rawValue)' changed \(after)")
        }
    }

    // MARK: Types

    mutating func compare(_ old: Schema.NamedType, _ new: Schema.NamedType) {
        guard old.kind == new.kind else {
            let message = "'\(old.name)' changed from '\(old.kind.keyword)' to '\(new.kind.keyword)'"
            add(.breaking, .typeChangedKind, old.name, message)
            return
        }
        switch old.kind {
        case .scalar: return
        case .object, .interface:
            compareFields(old, new)
            compareInterfaces(old, new)
        case .union: compareMembers(old, new)
        case .enumeration: compareValues(old, new)
        case .inputObject: compareInputFields(old, new)
        }
    }

    private mutating func compareInterfaces(_ old: Schema.NamedType, _ new: Schema.NamedType) {
        let names = Difference(old.interfaces, new.interfaces) { $0 }
        for name in names.removed {
            let message = "'\(old.name)' no longer implements '\(name)'"
            add(.breaking, .implementedInterfaceRemoved, old.name, message)
        }
        for name in names.added {
            add(.dangerous, .implementedInterfaceAdded, old.name, "'\(old.name)' now implements '\(name)'")
        }
    }

    private mutating func compareMembers(_ old: Schema.NamedType, _ new: Schema.NamedType) {
        let names = Difference(old.members, new.members) { $0 }
        for name in names.removed {
            add(.breaking, .typeRemovedFromUnion, old.name, "'\(name)' was removed from the union '\(old.name)'")
        }
        for name in names.added {
            add(.dangerous, .typeAddedToUnion, old.name, "'\(name)' was added to the union '\(old.name)'")
        }
    }

    private mutating func compareValues(_ old: Schema.NamedType, _ new: Schema.NamedType) {
        let values = Difference(old.values, new.values, \.name)
        for value in values.removed {
            let coordinate = "\(old.name).\(value.name)"
            add(.breaking, .valueRemovedFromEnum, coordinate, "the enum value '\(coordinate)' was removed")
        }
        for value in values.added {
            let coordinate = "\(old.name).\(value.name)"
            add(.dangerous, .valueAddedToEnum, coordinate, "the enum value '\(coordinate)' was added")
        }
        for (before, after) in values.kept {
            compare(before.deprecation, after.deprecation, "\(old.name).\(before.name)")
        }
    }

    private mutating func compare(_ old: String?, _ new: String?, _ coordinate: String) {
        switch (old, new) {
        case (nil, let reason?):
            let reason = ValuePrinter.quoted(String(reason.prefix(200)))
            let message = "'\(coordinate)' was deprecated: \(reason)"
            add(.safe, .deprecationAdded, coordinate, message)
        case (_?, nil): add(.safe, .deprecationRemoved, coordinate, "'\(coordinate)' is no longer deprecated")
        default: return
        }
    }

    // MARK: Fields

    private mutating func compareFields(_ old: Schema.NamedType, _ new: Schema.NamedType) {
        let fields = Difference(old.fields, new.fields, \.name)
        for field in fields.removed {
            let coordinate = "\(old.name).\(field.name)"
            add(.breaking, .fieldRemoved, coordinate, "the field '\(coordinate)' was removed")
        }
        for field in fields.added {
            let coordinate = "\(old.name).\(field.name)"
            add(.safe, .fieldAdded, coordinate, "the field '\(coordinate)' was added")
        }
        for (before, after) in fields.kept { compare(before, after, "\(old.name).\(before.name)") }
    }

    private mutating func compare(_ old: Schema.FieldType, _ new: Schema.FieldType, _ coordinate: String) {
        compareArguments(old.arguments, new.arguments, coordinate, isDirective: false)
        compare(old.deprecation, new.deprecation, coordinate)
        guard old.type != new.type else { return }
        let message = "the type of the field '\(coordinate)' changed from '\(old.type)' to '\(new.type)'"
        if new.type.narrows(old.type) {
            add(.safe, .fieldChangedKindSafe, coordinate, message)
        } else {
            add(.breaking, .fieldChangedKind, coordinate, message)
        }
    }

    private mutating func compareInputFields(_ old: Schema.NamedType, _ new: Schema.NamedType) {
        let fields = Difference(old.inputFields, new.inputFields, \.name)
        for field in fields.removed {
            let coordinate = "\(old.name).\(field.name)"
            add(.breaking, .fieldRemoved, coordinate, "the input field '\(coordinate)' was removed")
        }
        for field in fields.added {
            let coordinate = "\(old.name).\(field.name)"
            if field.isRequired {
                let message = "the required input field '\(coordinate)' was added"
                add(.breaking, .requiredInputFieldAdded, coordinate, message)
            } else {
                let message = "the optional input field '\(coordinate)' was added"
                add(.dangerous, .optionalInputFieldAdded, coordinate, message)
            }
        }
        for (before, after) in fields.kept { compare(before, after, "\(old.name).\(before.name)", .inputField) }
        guard old.isOneOf != new.isOneOf else { return }
        if new.isOneOf {
            add(.breaking, .oneOfAdded, old.name, "'\(old.name)' now takes exactly one field")
        } else {
            add(.safe, .oneOfRemoved, old.name, "'\(old.name)' no longer takes exactly one field")
        }
    }

    // MARK: Arguments

    private mutating func compareArguments(
        _ old: [Schema.InputValue],
        _ new: [Schema.InputValue],
        _ owner: String,
        isDirective: Bool
    ) {
        guard !old.isEmpty || !new.isEmpty else { return }
        let arguments = Difference(old, new, \.name)
        for argument in arguments.removed {
            let coordinate = "\(owner)(\(argument.name):)"
            let message = "the argument '\(coordinate)' was removed"
            add(.breaking, isDirective ? .directiveArgRemoved : .argRemoved, coordinate, message)
        }
        for argument in arguments.added {
            let coordinate = "\(owner)(\(argument.name):)"
            if argument.isRequired {
                let kind: SchemaChange.Kind = isDirective ? .requiredDirectiveArgAdded : .requiredArgAdded
                add(.breaking, kind, coordinate, "the required argument '\(coordinate)' was added")
            } else {
                let kind: SchemaChange.Kind = isDirective ? .optionalDirectiveArgAdded : .optionalArgAdded
                let message = "the optional argument '\(coordinate)' was added"
                add(isDirective ? .safe : .dangerous, kind, coordinate, message)
            }
        }
        for (before, after) in arguments.kept { compare(before, after, "\(owner)(\(before.name):)", .argument) }
    }

    /// The kinds of changes of an argument or an input field.
    private struct InputKinds {
        let what: String
        let changed, changedSafe, valueChanged, valueAdded: SchemaChange.Kind

        static let argument = Self(
            what: "argument",
            changed: .argChangedKind,
            changedSafe: .argChangedKindSafe,
            valueChanged: .argDefaultValueChange,
            valueAdded: .argDefaultValueAdded
        )
        static let inputField = Self(
            what: "input field",
            changed: .fieldChangedKind,
            changedSafe: .fieldChangedKindSafe,
            valueChanged: .inputFieldDefaultValueChange,
            valueAdded: .inputFieldDefaultValueAdded
        )
    }

    private mutating func compare(
        _ old: Schema.InputValue,
        _ new: Schema.InputValue,
        _ coordinate: String,
        _ kinds: InputKinds
    ) {
        let isSafe = new.type.widens(old.type)
        if old.type != new.type {
            let types = "from '\(old.type)' to '\(new.type)'"
            let message = "the type of the \(kinds.what) '\(coordinate)' changed \(types)"
            add(isSafe ? .safe : .breaking, isSafe ? kinds.changedSafe : kinds.changed, coordinate, message)
        }
        if isSafe { compareDefaultValues(old, new, coordinate, kinds) }
        compare(old.deprecation, new.deprecation, coordinate)
    }

    private mutating func compareDefaultValues(
        _ old: Schema.InputValue,
        _ new: Schema.InputValue,
        _ coordinate: String,
        _ kinds: InputKinds
    ) {
        let before = old.defaultValue.map { ValuePrinter.text($0, sortingFields: true) }
        let after = new.defaultValue.map { ValuePrinter.text($0, sortingFields: true) }
        let owner = "the default value of the \(kinds.what) '\(coordinate)'"
        switch (before, after) {
        case (let value?, nil): add(.dangerous, kinds.valueChanged, coordinate, "\(owner) was removed: \(value)")
        case (nil, let value?): add(.safe, kinds.valueAdded, coordinate, "\(owner) was added: \(value)")
        case (let old?, let new?) where old != new:
            add(.dangerous, kinds.valueChanged, coordinate, "\(owner) changed from \(old) to \(new)")
        default: return
        }
    }

    // MARK: Directives

    mutating func compareDirectives(_ old: Schema, _ new: Schema) {
        let names = Difference(old.directiveNames, new.directiveNames) { $0 }
        for name in names.removed {
            add(.breaking, .directiveRemoved, "@\(name)", "the directive '@\(name)' was removed")
        }
        for name in names.added { add(.safe, .directiveAdded, "@\(name)", "the directive '@\(name)' was added") }
        for (name, _) in names.kept {
            if let before = old.directives[name], let after = new.directives[name] { compare(before, after) }
        }
    }

    private mutating func compare(_ old: Schema.DirectiveType, _ new: Schema.DirectiveType) {
        let name = "@\(old.name)"
        compareArguments(old.arguments, new.arguments, name, isDirective: true)
        if old.isRepeatable, !new.isRepeatable {
            add(.breaking, .directiveRepeatableRemoved, name, "'\(name)' is no longer repeatable")
        } else if !old.isRepeatable, new.isRepeatable {
            add(.safe, .directiveRepeatableAdded, name, "'\(name)' is repeatable now")
        }
        let locations = Difference(old.locations, new.locations) { $0 }
        for location in locations.removed {
            add(.breaking, .directiveLocationRemoved, name, "'\(name)' is no longer allowed on \(location)")
        }
        for location in locations.added {
            add(.safe, .directiveLocationAdded, name, "'\(name)' is allowed on \(location) now")
        }
    }
}

extension Schema.TypeReference {
    /// Whether all values of the type are values of the old type, so that readers of a field are not affected.
    func narrows(_ old: Self) -> Bool {
        switch (self, old) {
        case (.nonNull(let new), .nonNull(let old)), (.list(let new), .list(let old)): new.narrows(old)
        case (.nonNull(let new), _): new.narrows(old)
        case (.named(let new), .named(let old)): new == old
        default: false
        }
    }

    /// Whether all values of the old type are values of the type, so that inputs stay valid.
    func widens(_ old: Self) -> Bool {
        switch (self, old) {
        case (.nonNull(let new), .nonNull(let old)), (.list(let new), .list(let old)): new.widens(old)
        case (_, .nonNull(let old)): widens(old)
        case (.named(let new), .named(let old)): new == old
        default: false
        }
    }
}
