import Testing
import WireGraphQL

/// SDL that breaks one rule, and the finding it gets.
struct BrokenSchema: CustomTestStringConvertible, Sendable {
    let text: String
    let rule: Finding.Rule
    /// The text at the finding's place.
    let place: String
    let message: String
    var help: String?
    /// The text at the related place.
    var related: String?

    init(
        _ text: String,
        _ rule: Finding.Rule,
        at place: String,
        _ message: String,
        help: String? = nil,
        related: String? = nil
    ) {
        (self.text, self.rule, self.place, self.message) = (text, rule, place, message)
        (self.help, self.related) = (help, related)
    }

    var testDescription: String { message }

    static let query = "type Query { a: Int } "

    static let names: [Self] = [
        Self(
            query + "query { a }",
            .executableDefinitions,
            at: "q",
            "a schema cannot contain a query",
            help: "put operations and fragments into separate files"
        ),
        Self(
            query + "schema { query: Query } schema @x { query: Query }",
            .loneSchemaDefinition,
            at: "s",
            "duplicate schema definition",
            related: "s"
        ),
        Self(
            "schema { query: Q query: Q } type Q { a: Int }",
            .uniqueOperationTypes,
            at: "query: Q",
            "duplicate type for the operation 'query'",
            related: "query: Q"
        ),
        Self(
            query + "enum Query { A }",
            .uniqueTypeNames,
            at: "Query",
            "duplicate definition of the type 'Query'",
            help: "use 'extend' to add to a type",
            related: "Query"
        ),
        Self(
            query + "scalar ID",
            .uniqueTypeNames,
            at: "ID",
            "'ID' is a built-in scalar and cannot be defined",
            help: "remove the definition"
        ),
        Self(
            query + "directive @a on FIELD directive @a on FIELD",
            .uniqueDirectiveNames,
            at: "a",
            "duplicate definition of the directive '@a'",
            related: "a"
        ),
        Self(
            query + "extend type Query { a: ID }",
            .uniqueFieldDefinitionNames,
            at: "a",
            "duplicate field 'Query.a'",
            related: "a"
        ),
        Self(
            query + "enum E { A } extend enum E { A }",
            .uniqueEnumValueNames,
            at: "A",
            "duplicate value 'E.A'",
            related: "A"
        ),
        Self(
            "type Query { a(b: Int, b: ID): Int }",
            .uniqueArgumentDefinitionNames,
            at: "b",
            "duplicate argument 'Query.a(b:)'",
            related: "b"
        ),
        Self(
            query + "directive @d(b: Int, b: ID) on FIELD",
            .uniqueArgumentDefinitionNames,
            at: "b",
            "duplicate argument '@d(b:)'",
            related: "b"
        ),
        Self(
            query + "input I { a: Int a: Int }",
            .uniqueFieldDefinitionNames,
            at: "a",
            "duplicate field 'I.a'",
            related: "a"
        ),
        Self(
            "type Query { a: Strng }",
            .knownTypeNames,
            at: "Strng",
            "unknown type 'Strng'",
            help: "did you mean 'String'?"
        ),
        Self(
            "type Query { a(b: [Filtr!]): Int } input Filter { a: Int } type Filtre { a: Int }",
            .knownTypeNames,
            at: "Filtr",
            "unknown type 'Filtr'",
            help: "did you mean 'Filter'?"
        ),
        Self(
            query + "extend type Qury { b: Int }",
            .possibleTypeExtensions,
            at: "Qury",
            "the unknown type 'Qury' is extended",
            help: "did you mean 'Query'?"
        ),
        Self(
            query + "extend scalar ID @specifiedBy(url: \"\")",
            .possibleTypeExtensions,
            at: "ID",
            "the built-in type 'ID' is extended"
        ),
        Self(
            query + "extend interface Query { b: Int }",
            .possibleTypeExtensions,
            at: "Query",
            "'Query' is extended as 'interface', but it is a 'type'",
            help: "write 'extend type Query'",
            related: "Query"
        ),
        Self(
            query + "type __T { a: Int }",
            .names,
            at: "__T",
            "the name of the object type '__T' begins with '__'",
            help: "names that begin with '__' are reserved for introspection"
        ),
        Self(
            "type Query { __a: Int }",
            .names,
            at: "__a",
            "the name of the field '__a' begins with '__'",
            help: "names that begin with '__' are reserved for introspection"
        ),
    ]

    static let kinds: [Self] = [
        Self(
            "type Task { a: Int }",
            .rootTypes,
            at: "t",
            "the schema has no query type",
            help: "define 'type Query', or name another type in 'schema { query: … }'"
        ),
        Self(
            "schema { mutation: M } type M { a: Int }",
            .rootTypes,
            at: "s",
            "the schema has no query type",
            help: "define 'type Query', or name another type in 'schema { query: … }'"
        ),
        Self(
            "schema { query: Q mutation: Q } type Q { a: Int }",
            .rootTypes,
            at: "Q",
            "'Q' is the type of two operations: 'query' and 'mutation'",
            related: "Q"
        ),
        Self(
            "interface Query { a: Int }",
            .rootTypes,
            at: "Query",
            "the type of the operation 'query' is 'Query', an interface, not an object type"
        ),
        Self(
            "type Query { a: I } input I { a: Int }",
            .outputTypes,
            at: "I",
            "'Query.a' is an output, so its type cannot be the input type 'I'",
            related: "I"
        ),
        Self(
            "type Query { a(b: [Query]): Int }",
            .inputTypes,
            at: "Query",
            "'Query.a(b:)' is an input, so its type cannot be the object type 'Query'",
            related: "Query"
        ),
        Self(
            query + "union U = Query | E enum E { A }",
            .unions,
            at: "E",
            "the union 'U' has 'E', which is an enum, not an object type",
            related: "E"
        ),
        Self(
            query + "union U = Query | Query",
            .unions,
            at: "Query",
            "duplicate mention of the type 'Query' by the union 'U'",
            related: "Query"
        ),
        Self(query + "union U", .unions, at: "U", "the union 'U' has no member types"),
        Self(query + "enum E", .enums, at: "E", "the enum 'E' has no values"),
        Self(query + "input I", .inputObjects, at: "I", "the input type 'I' has no fields"),
        Self(query + "type T", .outputTypes, at: "T", "the object type 'T' has no fields"),
    ]

    static let interfaces: [Self] = [
        Self(
            "type Query implements Named { a: Int } interface Named { name: String }",
            .interfaces,
            at: "Query",
            "'Query' lacks the field 'name' of the interface 'Named'",
            help: "add 'name: String'",
            related: "name"
        ),
        Self(
            "type Query implements E { a: Int } enum E { A }",
            .interfaces,
            at: "E",
            "'Query' implements 'E', which is an enum",
            related: "E"
        ),
        Self(
            "type Query implements I & I { a: Int } interface I { a: Int }",
            .interfaces,
            at: "I",
            "duplicate mention of the interface 'I' by 'Query'",
            related: "I"
        ),
        Self(
            "type Query implements I { a: [ID] } interface I { a: [ID!] }",
            .interfaces,
            at: "[ID]",
            "'Query.a' is '[ID]', but the interface 'I' requires '[ID!]'",
            related: "[ID!]"
        ),
        Self(
            "type Query implements I { a: Int } interface I { a(b: Int): Int }",
            .interfaces,
            at: "a",
            "'Query.a' lacks the argument 'b' of the interface 'I'",
            help: "add 'b: Int'",
            related: "b"
        ),
        Self(
            "type Query implements I { a(b: Int!): Int } interface I { a(b: Int): Int }",
            .interfaces,
            at: "Int!",
            "'Query.a(b:)' is 'Int!', but the interface 'I' has 'Int'",
            related: "Int"
        ),
        Self(
            "type Query implements I { a(b: Int!): Int } interface I { a: Int }",
            .interfaces,
            at: "b",
            "the argument 'Query.a(b:)' is required, but the interface 'I' lacks it",
            help: "make it optional",
            related: "a"
        ),
        Self(
            "type Query implements B { a: Int } interface A { a: Int } interface B implements A { a: Int }",
            .interfaces,
            at: "B",
            "'Query' implements 'B', so it must implement 'A' too",
            help: "add '& A'",
            related: "A"
        ),
        Self(
            query + "interface A implements A { a: Int }",
            .interfaces,
            at: "A",
            "the interface 'A' implements itself"
        ),
        Self(
            "type Query implements I { a: Int @deprecated } interface I { a: Int }",
            .interfaces,
            at: "@deprecated",
            "'Query.a' is deprecated, but the field of the interface 'I' is not",
            related: "a"
        ),
    ]

    static let all = names + kinds + interfaces + inputs + directives
}
