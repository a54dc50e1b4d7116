import Support
import Testing
import WireBase
import WireGraphQL

@Suite("GraphQL schemas compared with graphql-core", .enabled(if: SchemaOracle.isInstalled))
struct SchemaOracleTests {
    @Test("a document is valid for both or for neither")
    func verdict() throws {
        var generator = SchemaGenerator(seed: 20)
        let valid = (0..<40).map { _ in generator.document() }
        let documents = valid + (0..<160).map { generator.mutated(valid[$0 % valid.count], times: 1) }
        let judgements = try SchemaOracle.judge(documents, prints: false)
        for (document, result) in zip(documents, judgements) {
            let findings = buildSchema(document).findings
            #expect(
                findings.isEmpty == result.errors.isEmpty,
                "\(document)\nours: \(findings.map(\.message))\ntheirs: \(result.errors)"
            )
        }
        #expect(judgements.prefix(40).flatMap(\.errors) == [])
        #expect((40..<160).contains(judgements.count { !$0.errors.isEmpty }))
    }

    @Test("the printed schema equals that of graphql-core, and parses to the same schema")
    func printed() throws {
        var generator = SchemaGenerator(seed: 21)
        let documents = (0..<20).map { _ in generator.document() }
        for (document, result) in zip(documents, try SchemaOracle.judge(documents)) {
            try #require(result.errors == [], "\(document)")
            let schema = try #require(buildSchema(document).schema)
            for type in schema.types.values where !Schema.builtInScalars.contains(type.name) {
                #expect(SchemaPrinter.text(type).trimmed == result.types[type.name]?.trimmed)
            }
            let text = SchemaPrinter.text(schema)
            let again = try #require(buildSchema(text).schema)
            #expect(SchemaPrinter.text(again) == text)
        }
    }

    @Test(
        "the response to each introspection query gives the same schema",
        arguments: IntrospectionQuery.allCases
    )
    func introspection(query: IntrospectionQuery) throws {
        var generator = SchemaGenerator(seed: 22)
        let documents = (0..<5).map { _ in generator.document() }
        for result in try SchemaOracle.judge(documents, query: query.text) {
            try #require(result.errors == [])
            let schema = try Schema(introspection: result.introspection)
            guard query == .september2025 else { continue }
            #expect(SchemaPrinter.text(schema).trimmed == result.sorted.trimmed + "\n")
        }
    }

    @Test("breaking and dangerous changes equal those of graphql-core")
    func changes() throws {
        var generator = SchemaGenerator(seed: 23)
        var pairs = (0..<24).map { _ in [generator.document(), generator.document()] }
        for index in 0..<100 {
            let mutated = generator.mutated(pairs[index % 24][0], times: 1 + index % 2)
            if buildSchema(mutated).findings.isEmpty { pairs.append([pairs[index % 24][0], mutated]) }
        }
        #expect(pairs.count > 30)
        pairs.append(SchemaChangeTests.versions)
        for (pair, theirs) in zip(pairs, try SchemaOracle.changes(pairs)) {
            let (old, new) = (try #require(buildSchema(pair[0]).schema), try #require(buildSchema(pair[1]).schema))
            let ours = SchemaChanges.between(old, new)
            let (worse, safe) = (ours.filter { $0.severity != .safe }, ours.filter { $0.severity == .safe })
            #expect(worse.compactMap(\.theirName).sorted() == theirs.filter { !$0.hasPrefix("safe") })
            #expect(Set(safe.compactMap(\.theirName)).isSuperset(of: theirs.filter { $0.hasPrefix("safe") }))
        }
    }
}

extension SchemaChange {
    /// Severity and kind as graphql-core writes them; nil for what it does not compare.
    fileprivate var theirName: String? {
        guard kind != .rootTypeChanged, kind != .oneOfAdded else { return nil }
        let words = kind.rawValue.replacing(/[A-Z]/) { "_" + $0.output }
        return "\(severity) \(words.uppercased())"
    }
}

extension String {
    /// Without white space at ends of lines and in empty objects, which graphql-core writes.
    fileprivate var trimmed: String {
        replacing(/\ +\n/, with: "\n").replacing("{  }", with: "{}")
    }
}
