import WireBase

/// The rules about arguments and directives (sections 5.4 and 5.7).
extension Validator {
    /// The owner of arguments, for messages.
    struct Owner {
        let title: String
        let place: SourceRange

        init(_ field: Syntax.Field, _ parent: Schema.NamedType?) {
            title = "the field '\(parent.map { $0.name + "." } ?? "")\(field.name.text)'"
            place = field.name.place
        }

        init(_ directive: Syntax.Directive) {
            title = "the directive '@\(directive.name.text)'"
            place = directive.nameWithMark
        }
    }

    /// Checks arguments against their declarations; without declarations, only the general rules.
    mutating func check(_ arguments: [Syntax.Argument], _ declared: [Schema.InputValue]?, _ owner: Owner) {
        var given: [String: SourceRange] = [:]
        for argument in arguments {
            let name = argument.name.text
            if let first = given[name] {
                let finding = Finding(
                    .uniqueArgumentNames,
                    "duplicate argument '\(name)'",
                    at: argument.name.place
                )
                report(finding.related(first, "the first is here"))
            } else {
                given[name] = argument.name.place
            }
            let input = declared?.first { $0.name == name }
            if let declared, input == nil {
                report(
                    .knownArgumentNames,
                    "\(owner.title) has no argument '\(name)'",
                    at: argument.name.place,
                    help: meant(name, declared.map(\.name))
                )
            }
            collect(argument.value, Expected(input))
            if let input { check(argument.value, for: input.type) }
        }
        for input in declared ?? [] where input.isRequired && given[input.name] == nil {
            report(
                .providedRequiredArguments,
                "\(owner.title) requires the argument '\(input.name)' of type '\(input.type)'",
                at: owner.place
            )
        }
    }

    mutating func check(_ directives: [Syntax.Directive], at location: DirectiveLocation) {
        var given: [String: SourceRange] = [:]
        for directive in directives {
            let name = directive.name.text
            guard let declared = schema.directives[name] else {
                report(
                    .knownDirectives,
                    "unknown directive '@\(name)'",
                    at: directive.nameWithMark,
                    help: meant(name, schema.directiveNames, mark: "@")
                )
                check(directive.arguments, nil, Owner(directive))
                continue
            }
            if !declared.locations.contains(location.rawValue) {
                report(
                    .knownDirectives,
                    "the directive '@\(name)' is not allowed on \(location.title)",
                    at: directive.nameWithMark
                )
            }
            if let first = given[name], !declared.isRepeatable {
                let finding = Finding(
                    .uniqueDirectivesPerLocation,
                    "the directive '@\(name)' is not repeatable",
                    at: directive.nameWithMark
                )
                report(finding.related(first, "the first is here"))
            }
            given[name] = given[name] ?? directive.nameWithMark
            check(directive.arguments, declared.arguments, Owner(directive))
        }
    }
}

extension Syntax.Directive {
    /// The name with '@'.
    var nameWithMark: SourceRange {
        SourceRange(place.file, place.bytes.lowerBound..<name.place.bytes.upperBound)
    }
}

extension DirectiveLocation {
    /// The name of a location in messages.
    var title: String {
        switch self {
        case .query: "a query"
        case .mutation: "a mutation"
        case .subscription: "a subscription"
        case .field: "a field"
        case .fragmentDefinition: "a fragment"
        case .fragmentSpread: "the spread of a fragment"
        case .inlineFragment: "an inline fragment"
        case .variableDefinition: "a variable"
        default: rawValue
        }
    }
}
