import WireBase

extension SchemaRules {
    /// Checks for forbidden cycles: input objects, default values, directives.
    mutating func checkCycles() {
        checkInputObjects()
        checkDefaultValues()
        checkDirectiveDefinitions()
    }

    /// The maximum number of references to examine.
    private static let limit = 1_000_000

    private static func text(of cycle: [String]) -> String {
        let names = cycle.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
        return cycle.count > 10 ? names + " …" : names
    }

    // MARK: Input objects

    /// Each input object must have a finite value.
    private mutating func checkInputObjects() {
        let inputs = types.filter { $0.kind == .inputObject }
        let infinite = inputsWithoutFiniteValue(inputs)
        var graph = ReferenceGraph()
        for type in inputs where infinite.contains(type.name.text) {
            for field in type.inputFields {
                guard let target = target(of: field, in: type), infinite.contains(target) else { continue }
                graph.add(type.name.text, refersTo: target)
            }
        }
        for cycle in graph.cycles() {
            guard let first = cycle.first, let type = system.types[first] else { continue }
            let next = cycle.count > 1 ? cycle[1] : first
            let field = type.inputFields.first { target(of: $0, in: type) == next }
            let message =
                "no finite value of the input type '\(first)' exists: it needs \(Self.text(of: cycle.dropFirst() + [first]))"
            findings.add(
                Finding(
                    .inputObjects,
                    message,
                    at: field?.type.place ?? type.name.place,
                    help: oneOfs.contains(type.name.text)
                        ? "add a field of another type" : "make the field nullable, or a list"
                )
            )
        }
    }

    /// The input types that have no finite value, found by removing those that have one.
    private func inputsWithoutFiniteValue(_ inputs: [Syntax.TypeDefinition]) -> Set<String> {
        var infinite = Set(inputs.map(\.name.text))
        var missing: [String: Int] = [:]
        var dependents: [String: [Syntax.TypeDefinition]] = [:]
        var finite: [String] = []
        for type in inputs {
            let targets = type.inputFields.compactMap { target(of: $0, in: type) }
            targets.forEach { dependents[$0, default: []].append(type) }
            let needed =
                oneOfs.contains(type.name.text)
                ? (targets.count < type.inputFields.count ? 0 : min(1, targets.count)) : targets.count
            missing[type.name.text] = needed
            if needed == 0 { finite.append(type.name.text) }
        }
        while let name = finite.popLast() {
            guard infinite.remove(name) != nil else { continue }
            for type in dependents[name] ?? [] {
                missing[type.name.text, default: 0] -= 1
                if missing[type.name.text] == 0 { finite.append(type.name.text) }
            }
        }
        return infinite
    }

    /// The input object required by any value of a field.
    private func target(of field: Syntax.InputValueDefinition, in type: Syntax.TypeDefinition) -> String? {
        let name: Syntax.Name
        switch field.type {
        case .named(let named) where oneOfs.contains(type.name.text): name = named
        case .nonNull(.named(let named), _) where !oneOfs.contains(type.name.text): name = named
        default: return nil
        }
        return system.types[name.text]?.kind == .inputObject ? name.text : nil
    }

    // MARK: Default values

    /// A default value of an input field must not depend on itself through other default values.
    private mutating func checkDefaultValues() {
        var graph = ReferenceGraph()
        var places: [String: SourceRange] = [:]
        for type in types where type.kind == .inputObject {
            for field in type.inputFields {
                guard let value = field.defaultValue, let input = inputObject(field.type) else { continue }
                let name = "\(type.name.text).\(field.name.text)"
                places[name] = value.place
                graph.add(type.name.text, refersTo: name)
                addReferences(of: value, as: input, from: name, to: &graph)
            }
        }
        if graph.count > Self.limit {
            findings.add(Finding(.limits, "the default values of the input types are too many to check", at: nil))
            return
        }
        for cycle in graph.cycles(through: { places[$0] != nil }) {
            let fields = cycle.filter { places[$0] != nil }
            guard let first = fields.first else { continue }
            let message = "the default value of '\(first)' depends on itself through \(Self.text(of: fields))"
            findings.add(
                Finding(
                    .inputObjects,
                    message,
                    at: places[first],
                    help: "set the field in the value, or remove the default value"
                )
            )
        }
    }

    private func inputObject(_ type: Syntax.TypeReference) -> Syntax.TypeDefinition? {
        system.types[type.name.text].flatMap { $0.kind == .inputObject ? $0 : nil }
    }

    private func addReferences(
        of value: Syntax.Value,
        as type: Syntax.TypeDefinition,
        from name: String,
        to graph: inout ReferenceGraph
    ) {
        guard graph.count <= Self.limit else { return }
        switch value.kind {
        case .list(let items): for item in items { addReferences(of: item, as: type, from: name, to: &graph) }
        // The type itself stands for all its default values.
        case .object(let fields) where fields.isEmpty: graph.add(name, refersTo: type.name.text)
        case .object(let fields):
            let given = Dictionary(fields.map { ($0.name.text, $0.value) }) { first, _ in first }
            for field in type.inputFields {
                guard let input = inputObject(field.type) else { continue }
                if let value = given[field.name.text] {
                    addReferences(of: value, as: input, from: name, to: &graph)
                } else if field.defaultValue != nil {
                    graph.add(name, refersTo: "\(type.name.text).\(field.name.text)")
                }
            }
        default: return
        }
    }

    // MARK: Directives

    /// A directive must not be used in its own definition, directly or indirectly.
    private mutating func checkDirectiveDefinitions() {
        var graph = ReferenceGraph()
        for directive in directives {
            for argument in directive.arguments { add(argument, of: "@\(directive.name.text)", to: &graph) }
        }
        for type in types where type.kind == .scalar || type.kind == .enumeration || type.kind == .inputObject {
            let name = type.name.text
            let uses = type.directives + type.values.flatMap(\.directives)
            for use in uses { graph.add(name, refersTo: "@\(use.name.text)") }
            for field in type.inputFields { add(field, of: name, to: &graph) }
        }
        for cycle in graph.cycles(through: { $0.hasPrefix("@") }) {
            guard let first = cycle.first, let directive = system.directives[String(first.dropFirst())] else {
                continue
            }
            let way = cycle.count > 1 ? ", through \(Self.text(of: Array(cycle.dropFirst())))" : ""
            let message = "the definition of the directive '\(first)' refers to itself\(way)"
            findings.add(Finding(.directives, message, at: directive.name.place))
        }
    }

    private func add(_ input: Syntax.InputValueDefinition, of name: String, to graph: inout ReferenceGraph) {
        for use in input.directives { graph.add(name, refersTo: "@\(use.name.text)") }
        if system.types[input.type.name.text] != nil { graph.add(name, refersTo: input.type.name.text) }
    }
}

extension Syntax.TypeDefinition {
    /// Whether exactly one field is given.
    var isOneOf: Bool { kind == .inputObject && directives.contains { $0.name.text == "oneOf" } }
}
