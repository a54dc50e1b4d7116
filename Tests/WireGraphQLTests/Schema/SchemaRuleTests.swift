import Testing
import WireBase
import WireGraphQL

@Suite("GraphQL schema rules")
struct SchemaRuleTests {
    @Test("a violated rule is reported once, at its place", arguments: BrokenSchema.all)
    func finding(broken: BrokenSchema) throws {
        let findings = buildSchema(broken.text).findings
        let finding = try #require(findings.first)
        #expect(findings.count == 1, "\(findings.map(\.message))")
        #expect(finding.message == broken.message)
        #expect(finding.rule == broken.rule)
        #expect(finding.place?.text == broken.place)
        #expect(finding.help == broken.help)
        #expect(finding.related.first?.place.text == broken.related)
        #expect(finding.place != finding.related.first?.place)
    }

    @Test("graphql-core reports each violation too", .enabled(if: SchemaOracle.isInstalled))
    func oracle() throws {
        let judgements = try SchemaOracle.judge(BrokenSchema.all.map(\.text), prints: false)
        for (broken, result) in zip(BrokenSchema.all, judgements) where broken.rule != .executableDefinitions {
            #expect(result.errors != [], "\(broken.text)")
        }
    }

    @Test(
        "a valid schema has no findings",
        arguments: [
            "type Query { a: Int }",
            "schema { query: Q } type Q { a: Int } type Mutation { b: Int }",
            "type Query { a: Int @deprecated(reason: \"x\") } directive @deprecated(reason: String) on FIELD_DEFINITION",
            "type Query { t: __Type }",
            "extend schema @link(url: \"x\") directive @link(url: String) repeatable on SCHEMA type Query { a: Int }",
            "extend type Query { b: Int } type Query { a: Int }",
            "input A { a: A b: [A!]! c: B! } input B { a: A = null, b: [B] = [] } type Query { a: Int }",
            "input A @oneOf { a: A b: Int } input B { a: A! } type Query { a: Int }",
            "type Query implements I { a(b: Int, c: Int): Query! } interface I { a(b: Int): U } union U = Query",
            "type Query { a(f: Float = 1, i: ID = 1, l: [[Int]] = 1, s: S = { a: [X] }): Int } scalar S",
            "directive @a(b: B) on OBJECT input B { c: B } type Query @a { a: Int }",
        ]
    )
    func allowed(text: String) {
        let (schema, findings) = buildSchema(text)
        #expect(findings.map(\.message) == [])
        #expect(schema != nil)
    }

    @Test("documents are validated together, and findings are in order")
    func together() throws {
        let both = buildSchema("extend type Task { b: Nothing }\ntype Query { a: Task }", "type Task { a: Strin }")
        #expect(both.findings.map { $0.place?.file.name } == ["0.graphql", "1.graphql"])
        let complete = try #require(
            buildSchema("extend type Task { b: Int }", "type Query { a: Task } type Task { a: Int }").schema
        )
        #expect(complete.types["Task"]?.fields.map(\.name) == ["a", "b"])
        #expect(complete.query == "Query")
    }

    @Test("a schema with all names defined is usable despite other findings")
    func usable() {
        #expect(buildSchema("type Query { a: Int __b: Int }").schema != nil)
        #expect(buildSchema("type Query { a: Int b: Nothing }").schema == nil)
    }

    @Test("the introspection types are complete")
    func introspectionTypes() throws {
        #expect(Schema.introspectionTypes.count == 8)
        let type = try #require(Schema.introspectionTypes["__Type"])
        #expect(type.fields.map(\.name).contains("isOneOf"))
        #expect(type.field("fields")?.argument("includeDeprecated")?.type.description == "Boolean!")
        let schema = try #require(buildSchema("type Query { a: Int }").schema)
        #expect(Set(schema.directives.keys) == Set(Schema.builtInDirectives))
        #expect(Set(Schema.builtInScalars).isSubset(of: schema.types.keys))
        #expect(Schema.typeField.argument("name")?.isRequired == true)
    }
}

extension SourceRange {
    /// The bytes as text.
    fileprivate var text: String { String(decoding: file.bytes[bytes], as: UTF8.self) }
}
