package import WireBase

/// The six kinds of named types.
package enum TypeKind: String, Sendable, CaseIterable {
    case scalar, object, interface, union, enumeration, inputObject

    /// The keyword of a definition.
    package var keyword: String {
        switch self {
        case .scalar: "scalar"
        case .object: "type"
        case .interface: "interface"
        case .union: "union"
        case .enumeration: "enum"
        case .inputObject: "input"
        }
    }

    /// The name in introspection.
    package var introspectionName: String {
        switch self {
        case .scalar: "SCALAR"
        case .object: "OBJECT"
        case .interface: "INTERFACE"
        case .union: "UNION"
        case .enumeration: "ENUM"
        case .inputObject: "INPUT_OBJECT"
        }
    }
}

extension Syntax {
    /// `schema { query: Query }`, or an extension of it.
    package struct SchemaDefinition: Sendable {
        package let isExtension: Bool
        package let description: Description?
        package let directives: [Directive]
        package let roots: [Root]
        package let place: SourceRange

        package struct Root: Sendable {
            package let kind: OperationKind
            package let type: Name
            package let place: SourceRange
        }
    }

    /// A named type or an extension of one; members that its kind does not have are empty.
    package struct TypeDefinition: Sendable {
        package let kind: TypeKind
        package let isExtension: Bool
        package let description: Description?
        package let name: Name
        package var directives: [Directive] = []
        /// The interfaces that an object or interface implements.
        package var interfaces: [Name] = []
        package var fields: [FieldDefinition] = []
        /// The types of a union.
        package var members: [Name] = []
        package var values: [EnumValueDefinition] = []
        package var inputFields: [InputValueDefinition] = []
        package var place: SourceRange
    }

    package struct FieldDefinition: Sendable {
        package let description: Description?
        package let name: Name
        package let arguments: [InputValueDefinition]
        package let type: TypeReference
        package let directives: [Directive]
        package let place: SourceRange
    }

    /// An argument, or a field of an input object.
    package struct InputValueDefinition: Sendable {
        package let description: Description?
        package let name: Name
        package let type: TypeReference
        package let defaultValue: Value?
        package let directives: [Directive]
        package let place: SourceRange
    }

    package struct EnumValueDefinition: Sendable {
        package let description: Description?
        package let name: Name
        package let directives: [Directive]
        package let place: SourceRange
    }

    package struct DirectiveDefinition: Sendable {
        package let description: Description?
        /// The name without '@'.
        package let name: Name
        package let arguments: [InputValueDefinition]
        package let isRepeatable: Bool
        package let locations: [Name]
        package let place: SourceRange
    }
}
