package import WireBase

/// The types of a GraphQL service, from SDL or from introspection.
///
/// The schema is complete: it contains the standard scalars and directives, extensions are merged, and all referenced
/// names exist.
package struct Schema: Sendable {
    /// The types by name; introspection types (`__Schema` and others) are in `Schema.introspectionTypes`.
    package let types: [String: NamedType]
    /// The names of the types in the order of the text.
    package let typeNames: [String]
    package let directives: [String: DirectiveType]
    package let directiveNames: [String]
    package let description: String?
    /// The names of the root types.
    package let query: String?
    package let mutation: String?
    package let subscription: String?
    /// The types that implement an interface or belong to a union, by its name, in the order of the text.
    package let possibleTypes: [String: [String]]

    package init(
        types: [NamedType],
        directives: [DirectiveType],
        description: String? = nil,
        query: String?,
        mutation: String?,
        subscription: String?
    ) {
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
        typeNames = types.map(\.name)
        self.directives = Dictionary(directives.map { ($0.name, $0) }) { first, _ in first }
        directiveNames = directives.map(\.name)
        self.description = description
        self.query = query
        self.mutation = mutation
        self.subscription = subscription
        var possible: [String: [String]] = [:]
        for type in types {
            if type.kind == .object { type.interfaces.forEach { possible[$0, default: []].append(type.name) } }
            if type.kind == .union { possible[type.name] = type.members }
        }
        possibleTypes = possible
    }

    /// The name of the root type of an operation.
    package func root(of kind: OperationKind) -> String? {
        switch kind {
        case .query: query
        case .mutation: mutation
        case .subscription: subscription
        }
    }

    /// A type by its name, those of introspection too.
    package func type(_ name: String) -> NamedType? { types[name] ?? Self.introspectionTypes[name] }

    /// Whether a value of an object type, interface or union can be an object of a type: the type itself, one that
    /// implements the interface, or a member of the union.
    package func isPossible(_ object: String, in name: String) -> Bool {
        object == name || possibleTypes[name]?.contains(object) == true
    }

    /// The object types that a composite type can be at run time.
    package func objects(of name: String) -> [String] {
        type(name)?.kind == .object ? [name] : possibleTypes[name] ?? []
    }
}

extension Schema {
    /// A named type; members that its kind does not have are empty.
    package struct NamedType: Sendable {
        package let kind: TypeKind
        package let name: String
        package var description: String?
        package var interfaces: [String] = []
        package var fields: [FieldType] = []
        package var members: [String] = []
        package var values: [EnumValue] = []
        package var inputFields: [InputValue] = []
        /// The address of a scalar's specification (`@specifiedBy`).
        package var specifiedBy: String?
        /// Whether exactly one field of the input object is given (`@oneOf`).
        package var isOneOf = false
        /// The directives of the definition and of its extensions, as written.
        package var directives: [Syntax.Directive] = []
        /// The location of the name; nil where there is no text.
        package var place: SourceRange?

        package init(_ kind: TypeKind, _ name: String, place: SourceRange? = nil) {
            self.kind = kind
            self.name = name
            self.place = place
        }

        package func field(_ name: String) -> FieldType? { fields.first { $0.name == name } }

        package func inputField(_ name: String) -> InputValue? { inputFields.first { $0.name == name } }

        package func value(_ name: String) -> EnumValue? { values.first { $0.name == name } }

        /// Whether the type has fields or members to select from.
        package var isComposite: Bool { kind == .object || kind == .interface || kind == .union }

        /// Whether the type can be that of an argument or variable.
        package var isInput: Bool { kind == .scalar || kind == .enumeration || kind == .inputObject }

        /// Whether a value of the type has nothing to select from.
        package var isLeaf: Bool { kind == .scalar || kind == .enumeration }
    }

    package struct FieldType: Sendable {
        package let name: String
        package let type: TypeReference
        package var description: String?
        package var arguments: [InputValue] = []
        /// Why the field is deprecated; nil where it is not.
        package var deprecation: String?
        package var directives: [Syntax.Directive] = []
        package var place: SourceRange?

        package init(_ name: String, _ type: TypeReference) {
            self.name = name
            self.type = type
        }

        package func argument(_ name: String) -> InputValue? { arguments.first { $0.name == name } }
    }

    /// An argument, or a field of an input object.
    package struct InputValue: Sendable {
        package let name: String
        package let type: TypeReference
        package var description: String?
        package var defaultValue: Syntax.Value?
        package var deprecation: String?
        package var directives: [Syntax.Directive] = []
        package var place: SourceRange?

        package init(_ name: String, _ type: TypeReference) {
            self.name = name
            self.type = type
        }

        /// Whether a value is required.
        package var isRequired: Bool { type.isNonNull && defaultValue == nil }
    }

    package struct EnumValue: Sendable {
        package let name: String
        package var description: String?
        package var deprecation: String?
        package var directives: [Syntax.Directive] = []
        package var place: SourceRange?

        package init(_ name: String) { self.name = name }
    }

    package struct DirectiveType: Sendable {
        package let name: String
        package var description: String?
        package var arguments: [InputValue] = []
        package var isRepeatable = false
        /// The allowed locations, such as `FIELD`.
        package var locations: [String]
        package var place: SourceRange?

        package init(_ name: String, on locations: [String]) {
            self.name = name
            self.locations = locations
        }

        package func argument(_ name: String) -> InputValue? { arguments.first { $0.name == name } }
    }

    /// The type of a field, argument or variable.
    package indirect enum TypeReference: Sendable, Hashable, CustomStringConvertible {
        case named(String)
        case list(TypeReference)
        case nonNull(TypeReference)

        package init(_ reference: Syntax.TypeReference) {
            self =
                switch reference {
                case .named(let name): .named(name.text)
                case .list(let inner, _): .list(Self(inner))
                case .nonNull(let inner, _): .nonNull(Self(inner))
                }
        }

        /// The type name without lists and exclamation marks.
        package var name: String {
            switch self {
            case .named(let name): name
            case .list(let inner), .nonNull(let inner): inner.name
            }
        }

        package var isNonNull: Bool {
            if case .nonNull = self { true } else { false }
        }

        /// The type without its outer exclamation mark.
        package var nullable: Self {
            if case .nonNull(let inner) = self { inner } else { self }
        }

        /// The type as it is written: `[Task!]!`.
        package var description: String {
            switch self {
            case .named(let name): name
            case .list(let inner): "[\(inner)]"
            case .nonNull(let inner): "\(inner)!"
            }
        }
    }
}
