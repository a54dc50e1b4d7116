import Testing
import WireBase
import WireConfig
import WireGraphQL

/// What the generators do with operations whose types cannot be written.
///
/// What they write for others is compiled and read in `CorewireTests`.
@Suite("Generated types for operations")
struct GeneratorTests {
    private static let schema = """
        interface Node { id: ID! }
        type Task implements Node { id: ID! title: String! next: Task }
        type User implements Node { id: ID! name: String! }
        type Query { node: Node, task: Task }
        """

    private func declared(_ text: String, _ schema: String = schema) throws -> (DeclaredOperations, Schema) {
        let document = try Parser.document(SourceFile(name: "o.graphql", bytes: Array(text.utf8)))
        let types = try Parser.document(SourceFile(name: "s.graphqls", bytes: Array(schema.utf8)))
        return (DeclaredOperations([document]), try #require(SchemaBuilder.build([types]).schema))
    }

    @Test("an object with type-dependent fields must select __typename")
    func typename() throws {
        let (operations, schema) = try declared("query N { node { id ... on Task { title } } }")
        let finding = #expect(throws: Finding.self) { try SwiftGenerator().text(of: operations, in: schema) }
        #expect(finding?.help == "select '__typename' here")
        #expect(finding?.place?.start.column == 16)
        let (other, _) = try declared("query N { task { id ... on Node { id } ...P } } fragment P on Node { id }")
        #expect(try SwiftGenerator().text(of: other, in: schema).contains("let p: P\n"))
    }

    @Test("operations with too many types are rejected", .timeLimit(.minutes(1)))
    func size() throws {
        let chain = (0..<40).map { number in
            let next = "...F\(number + 1) @include(if: $x)"
            return "fragment F\(number) on Task { a: next { \(next) } b: next { \(next) } }"
        }
        let text =
            "query N($x: Boolean!) { task { ...F0 @include(if: $x) } } \(chain.joined()) fragment F40 on Task { id }"
        let (operations, schema) = try declared(text)
        #expect(throws: Finding.self) { try SwiftGenerator().text(of: operations, in: schema) }
        #expect(throws: Finding.self) { try JSONSchemaGenerator.text(of: operations, in: schema) }
    }

    @Test("Swift names are not shadowed by schema names")
    func names() throws {
        let (operations, schema) = try declared(
            "query Data($init: String) { data: task(x: $init) { string: next { variables: id } self: title kind } }",
            "enum String2 { A } enum Data { init self A_B a_B } type Task { id: ID! title: Int! next: Task! kind: Data! }"
                + " type Query { task(x: String): Task! }"
        )
        let text = try SwiftGenerator().text(of: operations, in: schema)
        for line in [
            "let data: DataField\n", "struct DataField: ", "let string: StringField\n", "let kind: DataType\n",
            "let selfValue: Int\n", "init(initValue: String?? = nil) {\n", "case aB\n", "case a_B\n",
        ] { #expect(text.contains(line), "\(line)\(text)") }
    }
}
