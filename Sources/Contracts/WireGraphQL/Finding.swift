package import WireBase

/// A problem in a GraphQL document or schema, with its location.
package struct Finding: Error, Sendable {
    /// The rule of the specification that is broken.
    package let rule: Rule
    /// The problem in one phrase, without a full stop.
    package let message: String
    /// The location; nil for a schema without text, such as one from introspection.
    package let place: SourceRange?
    /// Related locations, each with a phrase.
    package var related: [Related] = []
    /// What to write instead.
    package var help: String?

    package struct Related: Sendable {
        package let place: SourceRange
        package let text: String
    }

    package init(_ rule: Rule, _ message: String, at place: SourceRange?, help: String? = nil) {
        self.rule = rule
        self.message = message
        self.place = place
        self.help = help
    }

    /// The finding with a further location.
    package func related(_ place: SourceRange?, _ text: String) -> Self {
        guard let place else { return self }
        var copy = self
        copy.related.append(Related(place: place, text: text))
        return copy
    }
}

extension Finding {
    /// A rule, by the name that the specification's authors and most libraries use.
    package enum Rule: String, Sendable, CaseIterable {
        case syntax
        // Documents: section 5.
        case executableDefinitions, knownOperationTypes, uniqueOperationNames, loneAnonymousOperation,
            singleFieldSubscriptions
        case knownTypeNames, fragmentsOnCompositeTypes, variablesAreInputTypes, scalarLeafs, fieldsOnCorrectType
        case uniqueFragmentNames, knownFragmentNames, noUnusedFragments, possibleFragmentSpreads, noFragmentCycles
        case uniqueVariableNames, noUndefinedVariables, noUnusedVariables, knownDirectives
        case uniqueDirectivesPerLocation, knownArgumentNames, uniqueArgumentNames, valuesOfCorrectType
        case providedRequiredArguments, variablesInAllowedPosition, overlappingFieldsCanBeMerged
        case uniqueInputFieldNames
        // Schemas: section 3.
        case loneSchemaDefinition, uniqueOperationTypes, uniqueTypeNames, uniqueEnumValueNames
        case uniqueFieldDefinitionNames, uniqueArgumentDefinitionNames, uniqueDirectiveNames, possibleTypeExtensions
        case rootTypes, names, interfaces, unions, enums, inputObjects, directives, outputTypes, inputTypes
        case introspection
        // Requests: section 6.
        case operationName, variables, limits
    }
}
