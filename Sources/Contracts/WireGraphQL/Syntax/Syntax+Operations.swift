package import WireBase

/// The kind of an operation, by its keyword.
package enum OperationKind: String, Sendable, CaseIterable {
    case query, mutation, subscription
}

extension Syntax {
    package struct Operation: Sendable {
        package let kind: OperationKind
        package let name: Name?
        package let description: Description?
        package let variables: [Variable]
        package let directives: [Directive]
        package let selections: SelectionSet
        package let place: SourceRange
    }

    /// A variable that an operation declares.
    package struct Variable: Sendable {
        /// The name without '$'.
        package let name: Name
        package let description: Description?
        package let type: TypeReference
        package let defaultValue: Value?
        package let directives: [Directive]
        package let place: SourceRange
    }

    package struct Fragment: Sendable {
        package let name: Name
        package let description: Description?
        package let typeCondition: Name
        package let directives: [Directive]
        package let selections: SelectionSet
        package let place: SourceRange
    }

    package struct SelectionSet: Sendable {
        package let selections: [Selection]
        package let place: SourceRange
    }

    package enum Selection: Sendable {
        case field(Field)
        case spread(FragmentSpread)
        case inline(InlineFragment)

        package var place: SourceRange {
            switch self {
            case .field(let field): field.place
            case .spread(let spread): spread.place
            case .inline(let fragment): fragment.place
            }
        }

        package var directives: [Directive] {
            switch self {
            case .field(let field): field.directives
            case .spread(let spread): spread.directives
            case .inline(let fragment): fragment.directives
            }
        }
    }

    package struct Field: Sendable {
        package let alias: Name?
        package let name: Name
        package let arguments: [Argument]
        package let directives: [Directive]
        package let selections: SelectionSet?
        package let place: SourceRange

        /// The name of the member in the answer.
        package var responseName: String { (alias ?? name).text }
    }

    package struct FragmentSpread: Sendable {
        package let name: Name
        package let directives: [Directive]
        package let place: SourceRange
    }

    package struct InlineFragment: Sendable {
        package let typeCondition: Name?
        package let directives: [Directive]
        package let selections: SelectionSet
        package let place: SourceRange
    }
}
