import Testing
import WireBase
import WireConfig
import WireGraphQL
import WireSync

@Suite("Cache records")
struct RecordTests {
    @Test("a result is read back unchanged, in selection order")
    func roundTrip() throws {
        var records = Records()
        let query = """
            query Q($done: Boolean, $deep: Boolean!) {
              open: tasks(done: $done, page: {limit: 2, offset: 0}) { ...T id2: id tags matrix { x } }
              none viewer { name @include(if: $deep) login @skip(if: $deep) settings }
              __typename
            }
            fragment T on Task { id title author { id name } }
            """
        let answer = """
            {"open":[{"__typename":"Task","id":"1","title":"a","author":{"__typename":"User","id":7,"name":"Ann"},"id2":"1",\
            "tags":["x",null],"matrix":[[{"x":1},{"x":2}],[]]},\
            {"__typename":"Task","id":"2","title":"b","author":null,"id2":"2","tags":[],"matrix":null}],\
            "none":null,"viewer":{"name":"Ann","settings":{"z":[1,2.5],"a":true}},"__typename":"Query"}
            """
        try records.write(query, answer, #"{"done":false,"deep":true}"#)
        let expected = """
            {"open":[{"id":"1","title":"a","author":{"id":7,"name":"Ann"},"id2":"1",\
            "tags":["x",null],"matrix":[[{"x":1},{"x":2}],[]]},\
            {"id":"2","title":"b","author":null,"id2":"2","tags":[],"matrix":null}],\
            "none":null,"viewer":{"name":"Ann","settings":{"z":[1,2.5],"a":true}},"__typename":"Query"}
            """
        #expect(try records.read(query, #"{"deep":true,"done":false}"#) == expected)
        #expect(
            records.known.keys.map(\.text).filter { !$0.contains("/") }.sorted() == [
                "Query.none", #"Query.tasks({"done":false,"page":{"limit":2,"offset":0}})"#, "Query.viewer", "Task:1",
                "Task:2", "User:7",
            ]
        )
    }

    @Test("an object's fields are shared by all queries")
    func sharing() throws {
        var records = Records()
        try records.write("{ tasks { id title } }", #"{"tasks":[{"__typename":"Task","id":"1","title":"old"}]}"#)
        let changed = try records.write(
            "mutation { rename { id title } }",
            #"{"rename":{"__typename":"Task","id":"1","title":"new"}}"#
        )
        #expect(changed.contains(RecordKey("Task", ["1"])))
        #expect(try records.read("{ tasks { title } }") == #"{"tasks":[{"title":"new"}]}"#)
    }

    @Test(
        "equal arguments are one field, in any notation; others are another",
        arguments: [
            ("{ t(a: 1, b: {x: \"é\", y: [ONE]}) }", "{}", true),
            ("{ t(b: {y: [\"ONE\"], x: \"é\"}, a: 1) }", "{}", true),
            ("query($b: B, $n: Int) { t(a: 1, b: $b, c: $n) }", #"{"b":{"y":["ONE"],"x":"é"}}"#, true),
            ("query($b: B = {x: \"é\", y: [ONE]}) { t(a: 1, b: $b) }", "{}", true),
            ("query($n: Int) { t(a: 1, b: {x: \"é\", y: [ONE]}, c: $n) }", #"{"n":null}"#, false),
            ("{ t(a: 2, b: {x: \"é\", y: [ONE]}) }", "{}", false),
            ("{ t(a: \"1\", b: {x: \"é\", y: [ONE]}) }", "{}", false),
            ("{ t }", "{}", false),
        ] as [(String, String, Bool)]
    )
    func arguments(query: String, variables: String, isSame: Bool) throws {
        var records = Records()
        try records.write("{ t(a: 1, b: {x: \"é\", y: [ONE]}) }", #"{"t":5}"#)
        #expect(try records.read(query, variables).hasPrefix("miss: ") != isSame)
    }

    @Test("objects are identified by the key fields of their type, else by path")
    func keys() throws {
        var records = Records()
        let rules = RecordRules(keyFields: ["Line": ["order", "number"], "Point": []])
        try records.write(
            "{ lines { order number } points { id } plain { id } odd { id } rest { x } }",
            """
            {"lines":[{"__typename":"Line","order":"a/b,c","number":1}],"points":[{"__typename":"Point","id":"1"}],\
            "plain":{"id":"1"},"odd":{"__typename":"Odd","id":null},"rest":{"__typename":"Rest","x":1}}
            """,
            rules: rules
        )
        let keys = records.known.keys.map(\.text).filter { !$0.contains(".") }.sorted()
        #expect(keys == ["Line:a%2Fb%2Cc,1", "Query/odd", "Query/plain", "Query/points/0", "Query/rest"])
    }

    @Test("a root type inside a result is the root")
    func rootInside() throws {
        var records = Records()
        try records.write(
            "mutation { add { query { count } } }",
            #"{"add":{"query":{"__typename":"Query","count":3}}}"#
        )
        #expect(try records.read("{ count }") == #"{"count":3}"#)
    }

    @Test("each root query is a separate record")
    func rootFields() throws {
        var records = Records()
        let changed = try records.write("{ a b }", #"{"a":1,"b":2}"#)
        #expect(changed == [RecordKey("Query.a"), RecordKey("Query.b")])
        #expect(try records.write("{ a b }", #"{"a":1,"b":3}"#) == [RecordKey("Query.b")])
        #expect(try records.answer("{ a }").keys == [RecordKey("Query.a")])
    }

    // MARK: Partial answers

    @Test(
        "a failed field keeps its former value",
        arguments: [
            // Null at the place of the error, at one above, in a list, and by an error that names no place.
            (#"{"task":{"__typename":"Task","id":"1","title":null}}"#, [[.name("task"), .name("title")]]),
            (#"{"task":null}"#, [[.name("task"), .name("title")]]),
            (#"{"task":null}"#, [[]]),
            (#"{"task":{"__typename":"Task","id":"1"}}"#, []),
            (#"{"task":"text"}"#, []),
        ] as [(String, [[Normalizer.PathPart]])]
    )
    func partial(answer: String, errors: [[Normalizer.PathPart]]) throws {
        var records = Records()
        let query = "{ task { id title } }"
        try records.write(query, #"{"task":{"__typename":"Task","id":"1","title":"known"}}"#)
        try records.write(query, answer, errors: errors)
        #expect(try records.read(query) == #"{"task":{"id":"1","title":"known"}}"#)
    }

    @Test("null is a value, an absent member is not")
    func nullAndAbsent() throws {
        var records = Records()
        try records.write("{ a b { c } d }", #"{"a":null,"b":null}"#)
        #expect(try records.read("{ a b { c } }") == #"{"a":null,"b":null}"#)
        #expect(try records.read("{ a d }") == "miss: field Query d")
    }

    @Test("a list with a failed element is not stored, its other objects are")
    func failedElement() throws {
        var records = Records()
        try records.write(
            "{ ts { id n } }",
            #"{"ts":[{"__typename":"T","id":"1","n":1},{"__typename":"T","id":"2","n":1}]}"#
        )
        try records.write(
            "{ ts { id n } }",
            #"{"ts":[{"__typename":"T","id":"1","n":5},null]}"#,
            errors: [[.name("ts"), .index(1), .name("n")]]
        )
        #expect(try records.read("{ ts { id n } }") == #"{"ts":[{"id":"1","n":5},{"id":"2","n":1}]}"#)
    }

    // MARK: Fragments

    static let shapes =
        "{ shapes { id ... on Round { r } ...S ... on Named { name } } } fragment S on Square { r: side }"
    static let shapesAnswer = """
        {"shapes":[{"__typename":"Round","id":"1","r":1.5,"name":"a"},{"__typename":"Square","id":"2","r":2}]}
        """

    @Test("fragments apply by the schema, or without one by type name")
    func fragments() throws {
        let rules = RecordRules(schema: schema)
        var records = Records()
        try records.write(Self.shapes, Self.shapesAnswer, rules: rules)
        #expect(
            try records.read(Self.shapes, rules: rules)
                == #"{"shapes":[{"id":"1","r":1.5,"name":"a"},{"id":"2","r":2}]}"#
        )
        #expect(records.known[RecordKey("Square", ["2"])]?.fields.keys.sorted() == ["id", "side"])
        #expect(try records.read(Self.shapes) == "miss: type Round:1 Square")
        #expect(try records.read("{ shapes { ... on Round { id } } }") == "miss: type Square:2 Round")
        var unknown = Records()
        try unknown.write(Self.shapes, Self.shapesAnswer)
        #expect(unknown.known[RecordKey("Round", ["1"])]?.fields.keys.sorted() == ["id", "name", "r"])
        #expect(unknown.known[RecordKey("Round", ["1"])]?.fields["r"]?.value == .scalar(.number(1.5)))
    }

    private var schema: Schema {
        let named = Schema.NamedType(.interface, "Named")
        var shape = Schema.NamedType(.union, "Shape")
        shape.members = ["Round", "Square"]
        var round = Schema.NamedType(.object, "Round")
        round.interfaces = ["Named"]
        let square = Schema.NamedType(.object, "Square")
        var query = Schema.NamedType(.object, "Query")
        query.fields = [Schema.FieldType("shapes", .list(.named("Shape")))]
        return Schema(
            types: [query, named, shape, round, square],
            directives: [],
            query: "Query",
            mutation: nil,
            subscription: nil
        )
    }

    @Test("by the schema a missing type name is inferred, and an invalid null is no value")
    func schemaTypes() throws {
        var thing = Schema.NamedType(.object, "Thing")
        thing.fields = [Schema.FieldType("id", .nonNull(.named("ID"))), Schema.FieldType("n", .nonNull(.named("Int")))]
        var query = Schema.NamedType(.object, "Root")
        query.fields = [Schema.FieldType("thing", .named("Thing"))]
        let schema = Schema(types: [query, thing], directives: [], query: "Root", mutation: nil, subscription: nil)
        var records = Records()
        try records.write("{ thing { id n } }", #"{"thing":{"id":"1","n":4}}"#, rules: RecordRules(schema: schema))
        try records.write("{ thing { id n } }", #"{"thing":{"id":"1","n":null}}"#, rules: RecordRules(schema: schema))
        #expect(records.known[RecordKey("Thing", ["1"])]?.fields["n"]?.value == .scalar(.integer(4)))
        #expect(
            try records.read("{ thing { __typename n } }", rules: RecordRules(schema: schema))
                == #"{"thing":{"__typename":"Thing","n":4}}"#
        )
    }

    // MARK: Age

    @Test("a result has the age of its oldest field, and expires with the first, by field, type or default")
    func age() throws {
        var records = Records()
        try records.write("{ t { id a b } u }", #"{"t":{"__typename":"T","id":"1","a":1,"b":1},"u":1}"#, at: 1_000)
        try records.write("{ t { id a } }", #"{"t":{"__typename":"T","id":"1","a":2}}"#, at: 2_000)
        let rules = RecordRules(ages: AgeRules(fields: ["T.a": 10], types: ["T": 50], usual: 5_000))
        #expect(try records.answer("{ t { a } }", rules: rules).oldest == 2_000)
        #expect(try records.answer("{ t { b } }", rules: rules).oldest == 1_000)
        #expect(try records.answer("{ t { a } }", rules: rules).end == 2_010)
        #expect(try records.answer("{ t { b } }", rules: rules).end == 1_050)
        #expect(try records.answer("{ t { b a } }", rules: rules).end == 1_050)
        #expect(try records.answer("{ t { b a } }", rules: rules).oldest == 1_000)
        #expect(try records.answer("{ u }", rules: rules).end == 6_000)
        #expect(try records.answer("{ u }").end == .max)
    }

    // MARK: Typename

    @Test(
        "a field is stored under the arguments of the applied fragment, and omitted if unknown",
        arguments: [
            ("{ animal { __typename id ... on Cat { pic(size: 2) } ... on Dog { pic(size: 1) } } }", "1"),
            ("{ animal { __typename id ... on Dog { pic(size: 1) } ... on Cat { pic(size: 2) } } }", "1"),
            ("{ animal { __typename id ... on Cat { pic(size: 2) } pic(size: 2) } }", "2"),
            ("{ animal { __typename id ... on Pet { pic(size: 2) } ... on Named { pic(size: 1) } } }", ""),
            (
                """
                { animal { __typename id ... on Pet { ...P } ...P ... on Cat { pic(size: 2) } } }
                fragment P on Dog { pic(size: 1) }
                """,
                "1"
            ),
        ]
    )
    func argumentsOfFragments(query: String, size: String) throws {
        var records = Records()
        try records.write(query, #"{"animal":{"__typename":"Dog","id":"d","pic":"p"}}"#)
        for asked in ["1", "2"] {
            let found = try records.read("{ animal { pic(size: \(asked)) } }")
            #expect(
                found == (asked == size ? #"{"animal":{"pic":"p"}}"# : "miss: field Dog:d pic({\"size\":\(asked)})")
            )
        }
    }

    @Test("the sent document adds __typename, and is otherwise unchanged")
    func typenames() throws {
        let text = """
            # first
            query Q { a{b} c { __typename d } ...F ... on Query { e { f @skip(if: true) } } }
            fragment Unused on X { y { z } }
            fragment F on Query { g(x: "{") { "quoted" } }
            """.replacing("\"quoted\"", with: "h { i } __typename @include(if: $v)")
        #expect(
            try Asked(text).sent == """
                query Q { a{ __typename b} c { __typename d } ...F ... on Query { e { __typename  f @skip(if: true) } } }
                fragment F on Query { g(x: "{") { __typename  h { __typename  i } __typename @include(if: $v) } }
                """
        )
        #expect(try Asked("{ a { __typename: b } }").sent == "{ a { __typename: b } }")
    }
}
