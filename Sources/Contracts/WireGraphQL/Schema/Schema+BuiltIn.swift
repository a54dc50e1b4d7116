import WireBase

extension Schema {
    /// The standard scalars.
    package static let builtInScalars = ["Int", "Float", "String", "Boolean", "ID"]
    package static let builtInDirectives = ["include", "skip", "deprecated", "specifiedBy", "oneOf"]

    /// The introspection types.
    package static let introspectionTypes: [String: NamedType] = Dictionary(
        BuiltInDefinitions.types.map { ($0.name.text, NamedType($0, keepsPlaces: false)) }
    ) { first, _ in first }

    /// `__typename`, a field of each object, interface and union.
    package static let typenameField = FieldType("__typename", .nonNull(.named("String")))
    /// `__schema`, a field of the query root.
    package static let schemaField = FieldType("__schema", .nonNull(.named("__Schema")))
    /// `__type(name:)`, a field of the query root.
    package static let typeField = {
        var field = FieldType("__type", .named("__Type"))
        field.arguments = [InputValue("name", .nonNull(.named("String")))]
        return field
    }()

    /// The default reason of a deprecation.
    package static let defaultDeprecation = "No longer supported"

    static let scalars = builtInScalars.map { NamedType(.scalar, $0) }
}

/// The definitions that every schema has (GraphQL specification, September 2025, sections 3.13 and 4.2).
enum BuiltInDefinitions {
    static let source = SourceFile(name: "built in", bytes: Array(text.utf8), isFile: false)
    private static let document = try? Parser.document(source)

    static let directives: [Syntax.DirectiveDefinition] =
        document?.definitions.compactMap { if case .directive(let directive) = $0 { directive } else { nil } } ?? []
    static let types: [Syntax.TypeDefinition] =
        document?.definitions.compactMap { if case .type(let type) = $0 { type } else { nil } } ?? []

    private static let text = """
        directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @deprecated(reason: String! = "No longer supported")
          on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
        directive @specifiedBy(url: String!) on SCALAR
        directive @oneOf on INPUT_OBJECT

        type __Schema {
          description: String
          types: [__Type!]!
          queryType: __Type!
          mutationType: __Type
          subscriptionType: __Type
          directives: [__Directive!]!
        }

        type __Type {
          kind: __TypeKind!
          name: String
          description: String
          specifiedByURL: String
          fields(includeDeprecated: Boolean! = false): [__Field!]
          interfaces: [__Type!]
          possibleTypes: [__Type!]
          enumValues(includeDeprecated: Boolean! = false): [__EnumValue!]
          inputFields(includeDeprecated: Boolean! = false): [__InputValue!]
          ofType: __Type
          isOneOf: Boolean
        }

        enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT LIST NON_NULL }

        type __Field {
          name: String!
          description: String
          args(includeDeprecated: Boolean! = false): [__InputValue!]!
          type: __Type!
          isDeprecated: Boolean!
          deprecationReason: String
        }

        type __InputValue {
          name: String!
          description: String
          type: __Type!
          defaultValue: String
          isDeprecated: Boolean!
          deprecationReason: String
        }

        type __EnumValue {
          name: String!
          description: String
          isDeprecated: Boolean!
          deprecationReason: String
        }

        type __Directive {
          name: String!
          description: String
          isRepeatable: Boolean!
          locations: [__DirectiveLocation!]!
          args(includeDeprecated: Boolean! = false): [__InputValue!]!
        }

        enum __DirectiveLocation {
          QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION
          SCHEMA SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT
          INPUT_FIELD_DEFINITION
        }
        """
}
