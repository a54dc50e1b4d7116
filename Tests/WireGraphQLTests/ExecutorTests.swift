import Testing
import WireBase
import WireConfig
import WireGraphQL

@Suite("GraphQL executor")
struct ExecutorTests {
    // MARK: Requests that are refused

    @Test(
        "an invalid variable is reported with its name, path and expectation",
        arguments: [
            ("$a: Int", #"{"a": "1"}"#, "'$a': expected 'Int', found a string"),
            ("$a: Int", #"{"a": 2147483648}"#, "'$a': expected 'Int', found 2147483648"),
            ("$a: Int!", "{}", "missing variable '$a': expected 'Int!'"),
            ("$a: Int!", #"{"a": null}"#, "'$a': expected 'Int!', found null"),
            ("$a: [[Int!]]", #"{"a": [[1], [2, null]]}"#, "'$a[1][1]': expected 'Int!', found null"),
            ("$a: Colour", #"{"a": "REDD"}"#, "'$a': unknown value 'REDD' of 'Colour', did you mean 'RED'?"),
            ("$a: Filter", #"{"a": {"tag": []}}"#, "'$a': unknown field 'tag' of 'Filter', did you mean 'tags'?"),
            ("$a: Filter", #"{"a": {"range": {}}}"#, "'$a.range.from': missing value of type 'Int!'"),
            ("$a: Filter", #"{"a": {"tags": ["a", 1]}}"#, "'$a.tags[1]': expected 'String', found 1"),
            ("$a: Choice", #"{"a": {"id": 1, "name": "x"}}"#, "'$a': expected exactly one field of 'Choice', found 2"),
            ("$a: Choice", #"{"a": {"id": null}}"#, "'$a': the field 'id' of 'Choice' cannot be null"),
        ]
    )
    func variables(declared: String, given: String, message: String) async throws {
        let result = try await Sample.run("query(\(declared)) { __typename }", given)
        #expect(result.data == nil)
        #expect(result.errors.map(\.message) == [message])
        #expect(result.errors.first?.locations.map(\.column) == [7])
    }

    @Test(
        "an ID may be text or an integer of any size",
        arguments: [
            ("\"a\"", "a"), ("7", "7"), ("-7", "-7"), ("18446744073709551616", "18446744073709551616"),
            ("7.5", nil), ("123456789012345678901.5", nil), ("true", nil),
        ] as [(String, String?)]
    )
    func ids(given: String, id: String?) async throws {
        let value = try JSONValue(parsing: Array(given.utf8), named: "id", exactNumbers: true)
        var coercion = InputCoercion(try Sample.executor().schema)
        #expect(coercion.coerce(value, as: .named("ID"))?.string == id)
    }

    @Test("all invalid variables are reported together")
    func allVariables() async throws {
        let result = try await Sample.run("query($a: Int!, $b: Filter) { __typename }", #"{"b": {"x": 1, "y": 1}}"#)
        #expect(result.errors.count == 3)
    }

    @Test(
        "an ambiguous or unknown operation is rejected",
        arguments: [
            (
                "query A { __typename } query B { __typename }", nil,
                "the document has 2 operations, and the request names none: set 'operationName'"
            ),
            ("query Alpha { __typename }", "Alpa", "unknown operation 'Alpa': did you mean 'Alpha'?"),
            ("fragment F on Query { __typename }", nil, "the document has no operation"),
            ("mutation { x }", nil, "the schema has no mutation type"),
            ("subscription { ticks }", nil, "a subscription requires a stream"),
        ]
    )
    func choice(text: String, name: String?, message: String) async throws {
        let result = try await Sample.run(text, operation: name)
        #expect(result.data == nil)
        #expect(result.errors.map(\.message) == [message])
    }

    // MARK: Errors of fields

    @Test("a field error has message, location, path and extensions, and nulls the nearest nullable field")
    func fieldErrors() async throws {
        let result = try await Sample.run("{ tasks { id\n  bad: hard } count }")
        #expect(
            result.json.text() == #"{"data":{"tasks":[null,null],"count":2},"errors":["#
                + #"{"message":"too hard","locations":[{"line":2,"column":3}],"path":["tasks",0,"bad"],"extensions":{"code":"HARD"}},"#
                + #"{"message":"too hard","locations":[{"line":2,"column":3}],"path":["tasks",1,"bad"],"extensions":{"code":"HARD"}}]}"#
        )
    }

    @Test("details of internal errors are hidden")
    func privateErrors() async throws {
        let result = try await Sample.run("{ secret }")
        #expect(result.errors.map(\.message) == ["the field cannot be resolved"])
    }

    // MARK: Limits

    @Test(
        "an operation over its limits ends with one error",
        arguments: [
            ("{ tasks { id id2: id id3: id } }", ExecutionLimits(fields: 8), "the response has more than 8 fields"),
            ("{ me { me { me { __typename } } } }", ExecutionLimits(depth: 3), "the response is deeper than 3 levels"),
            ("{ a: __typename ...F } fragment F on Query { b: __typename ...F }", ExecutionLimits(fields: 4), nil),
            (
                "{ \(String(repeating: "count ", count: 30)) }", ExecutionLimits(fields: 20),
                "more than 20 selections were read"
            ),
        ] as [(String, ExecutionLimits, String?)]
    )
    func limits(text: String, limits: ExecutionLimits, message: String?) async throws {
        let result = try await Sample.run(text, limits: limits)
        #expect(result.errors.map(\.message) == (message.map { [$0] } ?? []))
        if case .null? = result.data {} else { #expect(message == nil) }
    }

    @Test("exponentially nested fragments end at the limit of selections")
    func doubling() async throws {
        let fragments = (0..<40).map { "fragment F\($0) on Query { a: me { ...F\($0 + 1) } b: me { ...F\($0 + 1) } }" }
        let text = "{ ...F0 } \(fragments.joined(separator: " ")) fragment F40 on Query { __typename }"
        let result = try await Sample.run(text, limits: ExecutionLimits(fields: 20_000))
        #expect(result.errors.map(\.message) == ["more than 20000 selections were read"])
    }

    @Test("long lists and many errors are truncated")
    func lists() async throws {
        let long = try await Sample.run("{ tasks { id } }", limits: ExecutionLimits(items: 1))
        #expect(long.errors.map(\.message) == ["the list has more than 1 items"])
        let many = try await Sample.run("{ tasks { hard } }", limits: ExecutionLimits(errors: 1))
        #expect(many.errors.count == 1)
        #expect(many.data?["tasks"]?.array?.count == 2)
    }

    // MARK: Subscriptions

    @Test("each subscription event gives a response, and a source failure ends it")
    func subscription() async throws {
        let document = try Sample.document("subscription($by: Int = 2) { twice: ticks(by: $by) }")
        guard case .answers(let answers) = try await Sample.executor().subscribe(document) else {
            throw Sample.Unexpected()
        }
        var texts: [String] = []
        await #expect(throws: Sample.Unexpected.self) {
            for try await answer in answers { texts.append(answer.json.text()) }
        }
        #expect(texts == [#"{"data":{"twice":2}}"#, #"{"data":{"twice":4}}"#])
    }

    @Test("a subscription whose source fails to open has no data, and an error with the field's path")
    func refusedSubscription() async throws {
        let document = try Sample.document("subscription { ticks(by: 0) }")
        guard case .refused(let result) = try await Sample.executor().subscribe(document) else {
            throw Sample.Unexpected()
        }
        #expect(result.json["data"] == nil)
        #expect(result.errors.map(\.message) == ["no steps"])
        #expect(result.errors.first?.path == [.name("ticks")])
    }
}

/// A small schema whose fields are resolved by code.
private struct Sample: FieldResolver {
    struct Unexpected: Error {}

    static let sdl = """
        schema { query: Query subscription: Ticks }
        enum Colour { RED GREEN }
        input Filter { tags: [String!] range: Range }
        input Range { from: Int! to: Int = 10 }
        input Choice @oneOf { id: ID name: String }
        type Task { id: ID! hard: String! }
        type Query { tasks(filter: Filter, choice: Choice, colour: Colour): [Task] count: Int me: Query! secret: String }
        type Ticks { ticks(by: Int! = 1): Int }
        """

    static func document(_ text: String) throws -> Syntax.Document {
        try Parser.document(SourceFile(name: "request", bytes: Array(text.utf8), isFile: false))
    }

    static func executor(_ limits: ExecutionLimits = ExecutionLimits()) throws -> Executor {
        let (schema, findings) = SchemaBuilder.build([try document(sdl)])
        try #require(findings.isEmpty)
        return Executor(try #require(schema), Sample(), limits: limits)
    }

    static func run(
        _ text: String,
        _ variables: String = "{}",
        operation: String? = nil,
        limits: ExecutionLimits = ExecutionLimits()
    ) async throws -> ExecutionResult {
        try await executor(limits).execute(
            document(text),
            operation: operation,
            variables: JSONValue(parsing: Array(variables.utf8), named: "variables")
        )
    }

    func value(of call: FieldCall) async throws -> JSONValue? {
        switch call.field {
        case "tasks": return .array([.members(["id": .string("1")]), .members(["id": .integer(2)])])
        case "count": return .integer(2)
        case "me": return call.parent
        case "hard": throw ResolverError("too hard", extensions: .members(["code": .string("HARD")]))
        case "secret": throw Unexpected()
        default: return nil
        }
    }

    func events(of call: FieldCall) async throws -> AsyncThrowingStream<JSONValue, any Error> {
        let step = call.arguments["by"]?.integer ?? 0
        guard step > 0 else { throw ResolverError("no steps") }
        return AsyncThrowingStream { stream in
            stream.yield(.members(["ticks": .integer(step)]))
            stream.yield(.members(["ticks": .integer(2 * step)]))
            stream.finish(throwing: Unexpected())
        }
    }
}
