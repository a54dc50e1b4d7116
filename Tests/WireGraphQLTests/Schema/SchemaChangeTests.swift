import Testing
import WireGraphQL

@Suite("GraphQL schema changes")
struct SchemaChangeTests {
    private static let rest = " type A { x: Int } type B { x: Int }"

    @Test(
        "a change has a severity, a kind, a coordinate and a sentence",
        arguments: [
            (
                "type Query { a: Int }", "type Query { b: Int }",
                "breaking fieldRemoved Query.a: the field 'Query.a' was removed"
            ),
            (
                "type Query { a: Int! }", "type Query { a: Int }",
                "breaking fieldChangedKind Query.a: the type of the field 'Query.a' changed from 'Int!' to 'Int'"
            ),
            (
                "type Query { a: [Int] }", "type Query { a: [Int!]! }",
                "safe fieldChangedKindSafe Query.a: the type of the field 'Query.a' changed from '[Int]' to '[Int!]!'"
            ),
            (
                "type Query { a(b: Int): Int }", "type Query { a(b: Int!): Int }",
                "breaking argChangedKind Query.a(b:): the type of the argument 'Query.a(b:)' changed from 'Int' to 'Int!'"
            ),
            (
                "type Query { a(b: I = { x: 1, y: 2 }): Int } input I { x: Int y: Int }",
                "type Query { a(b: I = { y: 3, x: 1 }): Int } input I { x: Int y: Int }",
                "dangerous argDefaultValueChange Query.a(b:): the default value of the argument 'Query.a(b:)' changed from { x: 1, y: 2 } to { x: 1, y: 3 }"
            ),
            (
                "type Query { a(b: I = { x: 1, y: 2 }): Int } input I { x: Int y: Int }",
                "type Query { a(b: I = { y: 2, x: 1 }): Int } input I { x: Int y: Int }", nil
            ),
            (
                "type Query { a: Int }", "type Query { a(b: Int!): Int }",
                "breaking requiredArgAdded Query.a(b:): the required argument 'Query.a(b:)' was added"
            ),
            (
                "type Query { a: Int }", "type Query { a(b: Int): Int }",
                "dangerous optionalArgAdded Query.a(b:): the optional argument 'Query.a(b:)' was added"
            ),
            ("type Query { a: Int }", "\"Described.\" type Query { \"Too.\" a: Int }", nil),
            (
                "type Query { a: Int }", "type Query { a: Int @deprecated(reason: \"use b\") }",
                "safe deprecationAdded Query.a: 'Query.a' was deprecated: \"use b\""
            ),
            (
                "schema { query: A }" + rest, "schema { query: B }" + rest,
                "breaking rootTypeChanged A: the type of the operation 'query' changed from 'A' to 'B'"
            ),
            (
                "schema { query: A mutation: B }" + rest, "schema { query: A }" + rest,
                "breaking rootTypeChanged B: the type of the operation 'mutation' changed from 'B' to none"
            ),
            (
                "type Query { a: Int } input I { a: Int }", "type Query { a: Int } input I @oneOf { a: Int }",
                "breaking oneOfAdded I: 'I' now takes exactly one field"
            ),
            (
                "type Query { a: Int } scalar S", "type Query { a: Int } enum S { A }",
                "breaking typeChangedKind S: 'S' changed from 'scalar' to 'enum'"
            ),
            (
                "type Query { a: Int } directive @d on FIELD | QUERY", "type Query { a: Int } directive @d on FIELD",
                "breaking directiveLocationRemoved @d: '@d' is no longer allowed on QUERY"
            ),
        ] as [(String, String, String?)]
    )
    func change(old: String, new: String, expected: String?) throws {
        let changes = SchemaChanges.between(
            try #require(buildSchema(old).schema),
            try #require(buildSchema(new).schema)
        )
        let texts = changes.map { "\($0.severity) \($0.kind) \($0.coordinate): \($0.message)" }
        #expect(texts.first == expected)
    }

    /// Two schemas that differ in each way there is.
    static let versions = [
        """
        schema { query: Query mutation: A }
        type Query implements I { a: Int b: Int! c: Int d(e: Int f: Int! g: Int = 1 h: Int = 1 i: Int j: Int!): Int }
        type A { b: Int } type B { a: Int @deprecated b: Int }
        interface I { a: Int } interface J { a: Int }
        union U = A | B
        enum E { F G }
        scalar S
        input In { a: Int b: Int = 1 c: Int d: Int e: Int! }
        input One @oneOf { a: Int } input Two { a: Int }
        directive @a(b: Int, c: Int! = 1) repeatable on FIELD | QUERY
        directive @b on FIELD
        directive @c on FIELD
        """,
        """
        schema { query: Query mutation: B }
        type Query implements J { a: Int b: Int c: Int! d(f: Int g: Int = 2 h: Int i: Int = 1 j: ID! k: Int! l: Int): Int }
        type B { a: Int b: Int @deprecated c: Int } type C { a: Int }
        interface I { a: Int } interface J { a: Int }
        union U = B | C
        enum E { G H }
        type S { a: Int }
        input In { b: Int = 2 c: Int = 3 d: [Int] e: Int f: Int! g: Int }
        input One { a: Int } input Two @oneOf { a: Int }
        directive @a(c: Int, d: Int!, e: Int) on FIELD | MUTATION
        directive @b repeatable on FIELD
        directive @d on FIELD
        """,
    ]

    @Test("each kind of change is found")
    func kinds() throws {
        let old = try #require(buildSchema(Self.versions[0]).schema)
        let new = try #require(buildSchema(Self.versions[1]).schema)
        #expect(Set(SchemaChanges.between(old, new).map(\.kind)) == Set(SchemaChange.Kind.allCases))
        #expect(SchemaChanges.between(new, new).isEmpty)
    }
}
