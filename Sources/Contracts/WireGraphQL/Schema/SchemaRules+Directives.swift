import WireBase

extension SchemaRules {
    /// Checks each use of a directive in the definitions.
    mutating func checkDirectives() {
        check(system.schemaDirectives, at: .schema)
        for type in types {
            check(type.directives, at: type.kind.location)
            for field in type.fields {
                check(field.directives, at: .fieldDefinition)
                for argument in field.arguments { check(argument.directives, at: .argumentDefinition) }
            }
            for value in type.values { check(value.directives, at: .enumValue) }
            for field in type.inputFields { check(field.directives, at: .inputFieldDefinition) }
        }
        for directive in directives {
            for argument in directive.arguments { check(argument.directives, at: .argumentDefinition) }
        }
    }

    private mutating func check(_ uses: [Syntax.Directive], at location: DirectiveLocation) {
        var first: [String: Syntax.Directive] = [:]
        for use in uses {
            checkArgumentNames(of: use)
            guard let definition = definition(of: use.name.text) else {
                let finding = unknown(use.name)
                findings.add(finding)
                continue
            }
            if !definition.locations.contains(location.rawValue) {
                let finding = misplaced(use, definition.syntax, location)
                findings.add(finding)
            }
            if let earlier = first[use.name.text], !definition.syntax.isRepeatable {
                let message = "duplicate '@\(use.name.text)'"
                findings.add(
                    Finding(.uniqueDirectivesPerLocation, message, at: use.place)
                        .related(earlier.place, "the first is here")
                )
            }
            first[use.name.text] = first[use.name.text] ?? use
            checkArguments(of: use, definition)
        }
    }

    private mutating func definition(of name: String) -> UsableDirective? {
        if let known = usable[name] { return known }
        usable[name] = system.directives[name].map(UsableDirective.init)
        return usable[name]
    }

    private func unknown(_ name: Syntax.Name) -> Finding {
        Finding(
            .knownDirectives,
            "unknown directive '@\(name.text)'",
            at: name.place,
            help: nearest(to: name.text, among: system.directiveNames, prefix: "@")
        )
    }

    private func misplaced(
        _ use: Syntax.Directive,
        _ definition: Syntax.DirectiveDefinition,
        _ location: DirectiveLocation
    ) -> Finding {
        let locations = definition.locations.prefix(20).map(\.text).joined(separator: ", ")
        let message = "'@\(use.name.text)' is not allowed on \(location.rawValue)"
        let finding = Finding(.knownDirectives, message, at: use.place, help: "it is allowed on \(locations)")
        return definition.isBuiltIn ? finding : finding.related(definition.name.place, "defined here")
    }

    private mutating func checkArgumentNames(of use: Syntax.Directive) {
        var first: [String: Syntax.Name] = [:]
        for argument in use.arguments {
            let name = argument.name
            if let earlier = first[name.text] {
                let message = "duplicate argument '\(name.text)' of '@\(use.name.text)'"
                findings.add(
                    Finding(.uniqueArgumentNames, message, at: name.place).related(earlier.place, "the first is here")
                )
            } else {
                first[name.text] = name
            }
            checkUniqueFields(in: argument.value)
        }
    }

    private mutating func checkArguments(of use: Syntax.Directive, _ definition: UsableDirective) {
        let directive = use.name.text
        for argument in use.arguments {
            let name = argument.name
            if let definition = definition.arguments[name.text] {
                checkConstant(argument.value, as: Schema.TypeReference(definition.type))
            } else {
                let near = nearest(to: name.text, among: definition.syntax.arguments.lazy.map(\.name.text))
                let message = "'@\(directive)' has no argument '\(name.text)'"
                findings.add(Finding(.knownArgumentNames, message, at: name.place, help: near))
            }
        }
        guard !definition.required.isEmpty, !findings.isFull else { return }
        let given = Set(use.arguments.map(\.name.text))
        for argument in definition.required where !given.contains(argument.name.text) {
            let wanted = "\(argument.name.text): \(Schema.TypeReference(argument.type))"
            let message = "'@\(directive)' lacks the required argument '\(argument.name.text)'"
            findings.add(Finding(.providedRequiredArguments, message, at: use.place, help: "add '\(wanted)'"))
        }
    }
}

/// A directive with what each use of it is checked against.
struct UsableDirective {
    let syntax: Syntax.DirectiveDefinition
    let locations: Set<String>
    let arguments: [String: Syntax.InputValueDefinition]
    let required: [Syntax.InputValueDefinition]

    init(_ syntax: Syntax.DirectiveDefinition) {
        self.syntax = syntax
        locations = Set(syntax.locations.map(\.text))
        arguments = Dictionary(syntax.arguments.map { ($0.name.text, $0) }) { first, _ in first }
        required = syntax.arguments.filter(\.isRequired)
    }
}

extension Syntax.DirectiveDefinition {
    /// Whether it is the specification's own definition, which no document contains.
    var isBuiltIn: Bool { place.file === BuiltInDefinitions.source }
}

extension TypeKind {
    /// The place of a directive on a definition of the kind.
    fileprivate var location: DirectiveLocation {
        switch self {
        case .scalar: .scalar
        case .object: .object
        case .interface: .interface
        case .union: .union
        case .enumeration: .enumeration
        case .inputObject: .inputObject
        }
    }
}
