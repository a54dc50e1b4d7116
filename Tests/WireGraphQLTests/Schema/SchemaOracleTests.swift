import Support
import Testing
import WireBase
import WireGraphQL

@Suite("GraphQL schemas against graphql-core", .enabled(if: SchemaOracle.isInstalled))
struct SchemaOracleTests {
    @Test("a document is valid for both or for neither")
    func verdict() throws {
        var generator = SchemaGenerator(seed: 20)
        let valid = (0..<60).map { _ in generator.document() }
        let documents = valid + (0..<440).map { generator.mutated(valid[$0 % valid.count], times: 1 + $0 % 3) }
        let judgements = try SchemaOracle.judge(documents)
        for (document, judgement) in zip(documents, judgements) {
            let findings = build(document).findings
            #expect(
                findings.isEmpty == judgement.errors.isEmpty,
                "\(document)\nours: \(findings.map(\.message))\ntheirs: \(judgement.errors)"
            )
        }
        #expect(judgements.prefix(60).flatMap(\.errors) == [])
        #expect((50..<400).contains(judgements.count { !$0.errors.isEmpty }))
    }

    @Test("a schema is printed as graphql-core prints it, and the text gives the same schema")
    func printed() throws {
        var generator = SchemaGenerator(seed: 21)
        let documents = (0..<60).map { _ in generator.document() }
        for (document, judgement) in zip(documents, try SchemaOracle.judge(documents)) {
            try #require(judgement.errors == [], "\(document)")
            let schema = try #require(build(document).schema)
            for type in schema.types.values where !Schema.builtInScalars.contains(type.name) {
                #expect(SchemaPrinter.text(type).trimmed == judgement.types[type.name]?.trimmed)
            }
            let text = SchemaPrinter.text(schema)
            let again = try #require(build(text).schema)
            #expect(SchemaPrinter.text(again) == text)
        }
    }
}

extension String {
    /// Without white space at ends of lines and in empty objects, which graphql-core writes.
    fileprivate var trimmed: String {
        replacing(/\ +\n/, with: "\n").replacing("{  }", with: "{}")
    }
}
