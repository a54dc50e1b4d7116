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
        let changes = SchemaChanges.between(try #require(build(old).schema), try #require(build(new).schema))
        let texts = changes.map { "\($0.severity) \($0.kind) \($0.coordinate): \($0.message)" }
        #expect(texts.first == expected)
    }
}
