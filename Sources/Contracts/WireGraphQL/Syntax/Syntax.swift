package import WireBase

/// The syntax tree of a GraphQL document (GraphQL specification, appendix B).
package enum Syntax {}

extension Syntax {
    package struct Name: Sendable {
        package let text: String
        package let place: SourceRange

        package init(_ text: String, _ place: SourceRange) {
            self.text = text
            self.place = place
        }
    }

    /// One text, or several whose definitions are used together.
    package struct Document: Sendable {
        package var definitions: [Definition]

        package init(_ definitions: [Definition]) {
            self.definitions = definitions
        }

        package var operations: [Operation] {
            definitions.compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
        }

        package var fragments: [Fragment] {
            definitions.compactMap { if case .fragment(let fragment) = $0 { fragment } else { nil } }
        }
    }

    package enum Definition: Sendable {
        case operation(Operation)
        case fragment(Fragment)
        case schema(SchemaDefinition)
        case type(TypeDefinition)
        case directive(DirectiveDefinition)

        package var place: SourceRange {
            switch self {
            case .operation(let operation): operation.place
            case .fragment(let fragment): fragment.place
            case .schema(let schema): schema.place
            case .type(let type): type.place
            case .directive(let directive): directive.place
            }
        }

        /// Whether the definition is executable, not part of a schema.
        package var isExecutable: Bool {
            switch self {
            case .operation, .fragment: true
            case .schema, .type, .directive: false
            }
        }
    }
}

// MARK: Types and values

extension Syntax {
    package indirect enum TypeReference: Sendable {
        case named(Name)
        case list(TypeReference, SourceRange)
        case nonNull(TypeReference, SourceRange)

        package var place: SourceRange {
            switch self {
            case .named(let name): name.place
            case .list(_, let place), .nonNull(_, let place): place
            }
        }

        /// The name inside of all lists and exclamation marks.
        package var name: Name {
            switch self {
            case .named(let name): name
            case .list(let inner, _), .nonNull(let inner, _): inner.name
            }
        }
    }

    package struct Value: Sendable {
        package let kind: Kind
        package let place: SourceRange

        package indirect enum Kind: Sendable {
            case variable(String)
            /// An integer, as written.
            case int(String)
            /// A number with a fraction or an exponent, as written.
            case float(String)
            case string(String)
            case boolean(Bool)
            case null
            case enumeration(String)
            case list([Value])
            case object([ObjectField])
        }

        package init(_ kind: Kind, _ place: SourceRange) {
            self.kind = kind
            self.place = place
        }
    }

    package struct ObjectField: Sendable {
        package let name: Name
        package let value: Value

        package init(name: Name, value: Value) {
            self.name = name
            self.value = value
        }
    }

    package struct Argument: Sendable {
        package let name: Name
        package let value: Value
        package let place: SourceRange
    }

    package struct Directive: Sendable {
        /// The name without '@'.
        package let name: Name
        package let arguments: [Argument]
        package let place: SourceRange
    }

    /// A description of the following definition.
    package struct Description: Sendable {
        package let text: String
        package let place: SourceRange
    }
}
