import Testing
import WireBase
import WireGraphQL

@Suite("GraphQL parser")
struct ParserTests {
    @Test("reads an operation with its parts and places")
    func operation() throws {
        let source = SourceFile(
            name: "a.graphql",
            bytes: Array("query A($id: ID! = 1) @x { t: task(id: $id) { ...F ... on T { a } } }".utf8)
        )
        let document = try Parser.document(source)
        let operation = try #require(document.operations.first)
        #expect(operation.name?.text == "A")
        #expect(operation.variables.map(\.name.text) == ["id"])
    }
}
