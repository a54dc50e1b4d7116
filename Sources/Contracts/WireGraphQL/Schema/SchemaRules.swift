import WireBase

/// Validates the definitions of a schema by all rules.
struct SchemaRules {
    let system: TypeSystem
    var findings: FindingList
    /// The places of parts by their names, for types with fields or values that many values are checked against.
    private var indexes: [String: [String: Int]] = [:]
    private var required: [String: [Syntax.Name]] = [:]
    var usable: [String: UsableDirective] = [:]
    /// The interfaces that a type says it implements.
    private(set) var implemented: [String: Set<String>] = [:]
    private(set) var members: [String: Set<String>] = [:]
    /// The input objects of which exactly one field is given.
    private(set) var oneOfs: Set<String> = []

    init(_ system: TypeSystem) {
        self.system = system
        findings = system.findings
        for type in system.types.values {
            if !type.interfaces.isEmpty { implemented[type.name.text] = Set(type.interfaces.map(\.text)) }
            if type.isOneOf { oneOfs.insert(type.name.text) }
            if !type.members.isEmpty { members[type.name.text] = Set(type.members.map(\.text)) }
        }
    }

    /// The types in the order of the text.
    var types: some Sequence<Syntax.TypeDefinition> {
        system.typeNames.lazy.compactMap { [system] in system.types[$0] }
    }

    /// The directives that documents define.
    var directives: [Syntax.DirectiveDefinition] {
        system.directiveNames.compactMap { system.directives[$0] }.filter { !$0.isBuiltIn }
    }

    /// The places of a type's fields, input fields or values by their names.
    mutating func index(of type: Syntax.TypeDefinition) -> [String: Int] {
        if let known = indexes[type.name.text] { return known }
        let names =
            switch type.kind {
            case .enumeration: type.values.map(\.name.text)
            case .inputObject: type.inputFields.map(\.name.text)
            default: type.fields.map(\.name.text)
            }
        let index = Dictionary(zip(names, names.indices)) { first, _ in first }
        indexes[type.name.text] = index
        return index
    }

    /// The fields of an input type that a value must have.
    mutating func requiredFields(of type: Syntax.TypeDefinition) -> [Syntax.Name] {
        if let known = required[type.name.text] { return known }
        let names = type.inputFields.filter(\.isRequired).map(\.name)
        required[type.name.text] = names
        return names
    }

    /// A suggestion with the nearest name; only for the first findings, since it examines all names.
    func nearest(to name: String, among names: some Sequence<String>, prefix: String = "") -> String? {
        guard findings.all.count < 100 else { return nil }
        return Nearest.name(to: name, among: names).map { "did you mean '\(prefix)\($0)'?" }
    }

    private func nearestType(to name: String, where isFit: (TypeKind) -> Bool) -> String? {
        let candidates =
            system.typeNames.filter { system.types[$0].map { isFit($0.kind) } ?? false }
            + (isFit(.scalar) ? Schema.builtInScalars : [])
        return nearest(to: name, among: candidates)
    }

    /// Checks that a name is not reserved for introspection.
    mutating func checkName(_ name: Syntax.Name, _ what: String) {
        guard name.text.utf8.starts(with: "__".utf8) else { return }
        findings.add(
            Finding(
                .names,
                "the name of the \(what) '\(name.text)' begins with '__'",
                at: name.place,
                help: "names that begin with '__' are reserved for introspection"
            )
        )
    }
}

// MARK: References

extension SchemaRules {
    /// Checks that each name refers to a type of the right kind; false where a schema would be incomplete.
    mutating func checkReferences() -> Bool {
        var isComplete = checkRoots()
        for type in types {
            let name = type.name.text
            for field in type.fields {
                isComplete = check(field.type, .output, of: { "\(name).\(field.name.text)" }) && isComplete
                for argument in field.arguments {
                    let owner = { "\(name).\(field.name.text)(\(argument.name.text):)" }
                    isComplete = check(argument.type, .input, of: owner) && isComplete
                }
            }
            for field in type.inputFields {
                isComplete = check(field.type, .input, of: { "\(name).\(field.name.text)" }) && isComplete
            }
            for interface in type.interfaces {
                isComplete = check(.named(interface), .interface, of: { name }) && isComplete
            }
            for member in type.members { isComplete = check(.named(member), .member, of: { name }) && isComplete }
        }
        for directive in directives {
            for argument in directive.arguments {
                let owner = { "@\(directive.name.text)(\(argument.name.text):)" }
                isComplete = check(argument.type, .input, of: owner) && isComplete
            }
        }
        return isComplete
    }

    private mutating func checkRoots() -> Bool {
        var isComplete = true
        var kinds: [String: Syntax.SchemaDefinition.Root] = [:]
        for root in system.roots {
            isComplete = check(.named(root.type), .root, of: { root.kind.rawValue }) && isComplete
            guard let first = kinds.updateValue(root, forKey: root.type.text) else { continue }
            let message = "'\(root.type.text)' is the type of two operations: '\(first.kind)' and '\(root.kind)'"
            findings.add(
                Finding(.rootTypes, message, at: root.type.place).related(first.type.place, "the first is here")
            )
        }
        guard !system.roots.contains(where: { $0.kind == .query }) else { return isComplete }
        let help = "define 'type Query', or name another type in 'schema { query: … }'"
        findings.add(Finding(.rootTypes, "the schema has no query type", at: system.place, help: help))
        return false
    }

    /// The required use of a type.
    private enum Use {
        case output, input, interface, member, root

        func isFit(_ kind: TypeKind) -> Bool {
            switch self {
            case .output: kind != .inputObject
            case .input: kind == .scalar || kind == .enumeration || kind == .inputObject
            case .interface: kind == .interface
            case .member, .root: kind == .object
            }
        }

        var rule: Finding.Rule {
            switch self {
            case .output: .outputTypes
            case .input: .inputTypes
            case .interface: .interfaces
            case .member: .unions
            case .root: .rootTypes
            }
        }

        func mismatch(_ owner: String, _ name: String, _ kind: TypeKind) -> String {
            switch self {
            case .output: "'\(owner)' is an output, so its type cannot be the input type '\(name)'"
            case .input: "'\(owner)' is an input, so its type cannot be the \(kind.phrase) '\(name)'"
            case .interface: "'\(owner)' implements '\(name)', which is \(kind.article) \(kind.phrase)"
            case .member:
                "the union '\(owner)' has '\(name)', which is \(kind.article) \(kind.phrase), not an object type"
            case .root:
                "the type of the operation '\(owner)' is '\(name)', \(kind.article) \(kind.phrase), not an object type"
            }
        }
    }

    private mutating func check(_ type: Syntax.TypeReference, _ use: Use, of owner: () -> String) -> Bool {
        let name = type.name
        guard let kind = system.kind(of: name.text) else {
            let help = nearestType(to: name.text, where: use.isFit) ?? nearestType(to: name.text) { _ in true }
            findings.add(Finding(.knownTypeNames, "unknown type '\(name.text)'", at: name.place, help: help))
            return false
        }
        guard !use.isFit(kind) else { return true }
        let definition = system.types[name.text]?.name.place
        findings.add(
            Finding(use.rule, use.mismatch(owner(), name.text, kind), at: name.place)
                .related(definition == name.place ? nil : definition, "defined here")
        )
        return false
    }
}

extension TypeKind {
    /// The kind in a sentence.
    var phrase: String {
        switch self {
        case .scalar: "scalar"
        case .object: "object type"
        case .interface: "interface"
        case .union: "union"
        case .enumeration: "enum"
        case .inputObject: "input type"
        }
    }

    var article: String { "aeiou".contains(phrase.prefix(1)) && self != .union ? "an" : "a" }
}
