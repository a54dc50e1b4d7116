import Testing
import WireGraphQL

@Suite("GraphQL schema printer")
struct SchemaPrinterTests {
    @Test("a complete schema is printed, without custom directive uses")
    func whole() throws {
        let text = #"""
            """What it is."""
            schema {
              query: Root
              mutation: Mutation
            }

            directive @tag(name: String = "x") repeatable on OBJECT | FIELD_DEFINITION

            interface Node {
              id: ID!
            }

            """
            A task.

              Indented.
            """
            type Root implements Node {
              id: ID!

              """What it does."""
              done(
                """How."""
                kind: [Kind!]! = [A, B]
                filter: Filter = { text: "a\"b" }
              ): Boolean! @deprecated
            }

            type Mutation {
              a(b: Int = 1): Any
            }

            union Any = Root | Mutation

            scalar Time @specifiedBy(url: "https://example.com")

            enum Kind {
              A
              B @deprecated(reason: "no longer")
            }

            input Filter @oneOf {
              text: String
            }

            """#
        let source = text.replacing("type Mutation {", with: "type Mutation @tag(name: \"m\") {")
        let schema = try #require(buildSchema(source).schema)
        #expect(SchemaPrinter.text(schema) == text)
    }

    @Test(
        "a description is a block string if that preserves it",
        arguments: [
            ("\"a\"", "\"\"\"a\"\"\""), ("\"a\\nb\"", "\"\"\"\na\nb\n\"\"\""), ("\" a\\nb\"", "\"\"\"\n a\nb\n\"\"\""),
            ("\" a\\n b\"", "\" a\\n b\""), ("\"a\\n\"", "\"a\\n\""), ("\"a\\u0007\"", "\"a\\u0007\""),
            ("\"say \\\"\\\"\\\" x\"", "\"\"\"say \\\"\"\" x\"\"\""), ("\"a\\\\\"", "\"\"\"\na\\\n\"\"\""),
            ("\"\"", "\"\"\"\"\"\""), ("\" \"", "\" \""),
        ]
    )
    func description(text: String, printed: String) throws {
        let schema = try #require(buildSchema(text + " type Query { a: Int }").schema)
        #expect(SchemaPrinter.text(schema) == printed + "\ntype Query {\n  a: Int\n}\n")
        #expect(
            buildSchema(SchemaPrinter.text(schema)).schema?.types["Query"]?.description
                == schema.types["Query"]?.description
        )
    }

    @Test("values are printed on one line, with sorted fields on request")
    func values() throws {
        let value = try Parser.value("{ b: [1, 2.5, null, true, X], a: {}, c: \"x\\ny\\u00e9\" }")
        #expect(ValuePrinter.text(value) == "{ b: [1, 2.5, null, true, X], a: {}, c: \"x\\nyé\" }")
        #expect(ValuePrinter.text(value, sortingFields: true).hasPrefix("{ a: {}, b: "))
    }
}
