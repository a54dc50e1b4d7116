import Testing
import WireBase
import WireGraphQL

@Suite("Declared GraphQL operations")
struct DeclaredOperationsTests {
    private static let queries = """
        # All of an animal.
        query Pet("which" $name: String!) {
          dog(name: $name) { ...Parts owner { ...Person } }
        }
        subscription Changes { changed { id } }
        """
    private static let fragments = """
        fragment Unused on Cat { id }
        fragment Person on Person { name pets { ... on Dog { barks } } }
        fragment Parts on Animal { ... on Dog { color ...Deep } ... on Cat { meows } }
        fragment Deep on Node { id }
        """

    private func operations(_ texts: String...) throws -> DeclaredOperations {
        DeclaredOperations(
            try texts.enumerated().map { number, text in
                try Parser.document(SourceFile(name: "\(number).graphql", bytes: Array(text.utf8)))
            }
        )
    }

    @Test("an operation is sent with the fragments it uses, from any file")
    func text() throws {
        let operations = try operations(Self.queries, Self.fragments)
        #expect(operations.names == ["Pet", "Changes"])
        #expect(
            operations["Pet"]?.text == "query Pet($name:String!){dog(name:$name){...Parts owner{...Person}}}"
                + "fragment Person on Person{name pets{...on Dog{barks}}}"
                + "fragment Parts on Animal{...on Dog{color ...Deep}...on Cat{meows}}fragment Deep on Node{id}"
        )
        #expect(operations["Changes"]?.text == "subscription Changes{changed{id}}")
        #expect(operations["Pet"]?.variables.map(\.name.text) == ["name"])
        #expect(operations["Changes"]?.kind == .subscription)
        #expect(operations["Nothing"] == nil)
        let sent = try #require(operations["Pet"]).document
        #expect(Validator.findings(in: sent, against: TestSchema.zoo).isEmpty)
    }

    @Test("an operation lists the fields it reads, by type")
    func reads() throws {
        let reads = try #require(operations(Self.queries, Self.fragments)["Pet"]).reads(in: TestSchema.zoo)
        #expect(
            reads.map { "\($0.type): \($0.fields.joined(separator: " "))" } == [
                "Cat: meows", "Dog: barks color owner", "Node: id", "Person: name pets", "Query: dog",
            ]
        )
    }

    @Test("operation names are unique across files, and required")
    func names() throws {
        let second = "query Pet { cat { id } } { cat { meows } } fragment Deep on Cat { id }"
        let findings = try operations(Self.queries, Self.fragments, second).findings(against: TestSchema.zoo)
        let told = findings.map { finding in
            "\(finding.place?.file.name ?? "") \(ValidatorTests.text(finding))"
                + finding.related.map { " in \($0.place.file.name)" }.joined()
        }
        #expect(
            told == [
                "1.graphql noUnusedFragments at 1:10 `Unused`: no operation uses the fragment 'Unused'",
                "2.graphql uniqueOperationNames at 1:7 `Pet`: duplicate operation 'Pet'; "
                    + "the first is here at 2:7 `Pet` in 0.graphql",
                "2.graphql operationName at 1:26 `{`: an operation in a file needs a name "
                    + "(help: write 'query Name { … }')",
                "2.graphql uniqueFragmentNames at 1:53 `Deep`: duplicate fragment 'Deep'; "
                    + "the first is here at 4:10 `Deep` in 1.graphql",
            ]
        )
    }

    @Test("an unused fragment is reported on request")
    func unused() throws {
        var limits = ValidationLimits.file
        limits.reportsUnusedFragments = false
        #expect(try operations(Self.queries, Self.fragments).findings(against: TestSchema.zoo, limits: limits).isEmpty)
    }
}

@Suite("Limits of GraphQL requests")
struct RequestLimitsTests {
    private static let text = """
        query Pet @trace(label: RED) {
          cat { id a: id owner { id @skip(if: true) pets { ...P } } }
          ...Q
          ...Q
        }
        fragment P on Animal { __typename ... on Cat { x: id } }
        fragment Q on Query @trace(label: RED) { ...R ...R }
        fragment R on Query { speakers { says } }
        """

    @Test(
        "an operation over a limit is rejected, with fragments counted per use",
        arguments: [
            (\RequestLimits.depth, 4, "nests deeper than"), (\.fields, 16, "has more than"),
            (\.rootFields, 5, "has more than"),
            (\.aliases, 2, "has more than"), (\.directives, 4, "has more than"),
        ] as [(any WritableKeyPath<RequestLimits, Int> & Sendable, Int, String)]
    )
    func limit(limit: any WritableKeyPath<RequestLimits, Int> & Sendable, size: Int, words: String) throws {
        let document = try TestSchema.document(Self.text)
        let operation = try #require(document.operations.first)
        var limits = RequestLimits()
        limits[keyPath: limit] = size
        #expect(limits.finding(of: operation, in: document) == nil)
        limits[keyPath: limit] = size - 1
        let finding = try #require(limits.finding(of: operation, in: document))
        #expect(finding.rule == .limits)
        #expect(finding.message.hasPrefix("query 'Pet' \(words) \(size - 1) "))
    }

    @Test("the standard introspection query is within the limits")
    func introspection() throws {
        let types = String(repeating: "{ kind name ofType ", count: 9) + "{ name }" + String(repeating: " }", count: 9)
        let text = "{ __schema { types { fields { args { type \(types) } } } } }"
        let document = try TestSchema.document(text, limits: .request)
        #expect(RequestLimits().finding(of: try #require(document.operations.first), in: document) == nil)
    }
}
