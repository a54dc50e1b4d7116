import WireBase

extension SchemaRules {
    /// Checks that types implement their interfaces.
    mutating func checkInterfaces() {
        for type in types where !type.interfaces.isEmpty {
            for name in type.interfaces {
                guard !findings.isFull else { return }
                guard let interface = system.types[name.text], interface.kind == .interface else { continue }
                if name.text == type.name.text {
                    let message = "the interface '\(name.text)' implements itself"
                    findings.add(Finding(.interfaces, message, at: name.place))
                } else {
                    checkAncestors(of: interface, named: name, in: type)
                    check(type, implements: interface, named: name)
                }
            }
        }
    }

    private mutating func checkAncestors(
        of interface: Syntax.TypeDefinition,
        named name: Syntax.Name,
        in type: Syntax.TypeDefinition
    ) {
        let implemented = implemented[type.name.text] ?? []
        for ancestor in interface.interfaces where !implemented.contains(ancestor.text) {
            let isCycle = ancestor.text == type.name.text
            let message =
                isCycle
                ? "'\(type.name.text)' and '\(name.text)' implement each other"
                : "'\(type.name.text)' implements '\(name.text)', so it must implement '\(ancestor.text)' too"
            let help = isCycle ? nil : "add '& \(ancestor.text)'"
            findings.add(
                Finding(.interfaces, message, at: name.place, help: help)
                    .related(ancestor.place, "'\(name.text)' implements it here")
            )
        }
    }

    private mutating func check(
        _ type: Syntax.TypeDefinition,
        implements interface: Syntax.TypeDefinition,
        named name: Syntax.Name
    ) {
        let index = index(of: type)
        for promised in interface.fields {
            guard !findings.isFull else { return }
            guard let position = index[promised.name.text] else {
                let field = "\(promised.name.text): \(Schema.TypeReference(promised.type))"
                let message =
                    "'\(type.name.text)' lacks the field '\(promised.name.text)' of the interface '\(name.text)'"
                findings.add(
                    Finding(.interfaces, message, at: type.name.place, help: "add '\(field)'")
                        .related(promised.name.place, "the interface defines it here")
                )
                continue
            }
            check(type.fields[position], of: type, fits: promised, of: name.text)
        }
    }

    private mutating func check(
        _ field: Syntax.FieldDefinition,
        of type: Syntax.TypeDefinition,
        fits promised: Syntax.FieldDefinition,
        of interface: String
    ) {
        let (own, other) = (Schema.TypeReference(field.type), Schema.TypeReference(promised.type))
        let coordinate = "\(type.name.text).\(field.name.text)"
        if !isSubtype(own, of: other) {
            let message = "'\(coordinate)' is '\(own)', but the interface '\(interface)' requires '\(other)'"
            findings.add(
                Finding(.interfaces, message, at: field.type.place).related(promised.type.place, "required here")
            )
        }
        checkArguments(of: field, coordinate, promised, interface)
        guard let deprecated = field.directives.first(where: { $0.name.text == "deprecated" }),
            promised.directives.deprecation == nil
        else { return }
        let message = "'\(coordinate)' is deprecated, but the field of the interface '\(interface)' is not"
        findings.add(
            Finding(.interfaces, message, at: deprecated.place).related(promised.name.place, "the interface's field")
        )
    }

    private mutating func checkArguments(
        of field: Syntax.FieldDefinition,
        _ coordinate: String,
        _ promised: Syntax.FieldDefinition,
        _ interface: String
    ) {
        guard !field.arguments.isEmpty || !promised.arguments.isEmpty else { return }
        let own = Dictionary(field.arguments.map { ($0.name.text, $0) }) { first, _ in first }
        for argument in promised.arguments {
            let (name, wanted) = (argument.name.text, Schema.TypeReference(argument.type))
            guard let found = own[name] else {
                let message = "'\(coordinate)' lacks the argument '\(name)' of the interface '\(interface)'"
                findings.add(
                    Finding(.interfaces, message, at: field.name.place, help: "add '\(name): \(wanted)'")
                        .related(argument.name.place, "the interface defines it here")
                )
                continue
            }
            let type = Schema.TypeReference(found.type)
            guard type != wanted else { continue }
            let message = "'\(coordinate)(\(name):)' is '\(type)', but the interface '\(interface)' has '\(wanted)'"
            findings.add(
                Finding(.interfaces, message, at: found.type.place).related(argument.type.place, "defined here")
            )
        }
        let known = Set(promised.arguments.map(\.name.text))
        for argument in field.arguments where argument.isRequired && !known.contains(argument.name.text) {
            let message =
                "the argument '\(coordinate)(\(argument.name.text):)' is required, but the interface '\(interface)' lacks it"
            findings.add(
                Finding(.interfaces, message, at: argument.name.place, help: "make it optional")
                    .related(promised.name.place, "the interface's field")
            )
        }
    }

    /// Whether the first type may implement a field of the second type (covariance).
    private func isSubtype(_ type: Schema.TypeReference, of other: Schema.TypeReference) -> Bool {
        var (type, other) = (type, other)
        while true {
            switch (type, other) {
            case (.nonNull(let inner), .nonNull(let wanted)), (.list(let inner), .list(let wanted)):
                (type, other) = (inner, wanted)
            case (.nonNull(let inner), _): type = inner
            case (.named(let name), .named(let wanted)):
                return name == wanted || implemented[name]?.contains(wanted) == true
                    || members[wanted]?.contains(name) == true
            default: return false
            }
        }
    }
}
