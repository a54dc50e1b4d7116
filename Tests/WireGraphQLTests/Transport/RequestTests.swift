import Testing
import WireBase
import WireConfig
import WireGraphQL

@Suite("GraphQL over HTTP: requests")
struct RequestTests {
    private static let limits = ReadingLimits.graphQL(upTo: .kibibytes(64))

    private static func read(_ body: String) throws(Fault) -> GraphQLRequest {
        try GraphQLRequest(reading: Array(body.utf8), limits: limits)
    }

    @Test(
        "a request round-trips",
        arguments: [
            (#"{"query":"{a}"}"#, #"{"query":"{a}"}"#),
            (#"{"query":"{a}","operationName":null,"variables":null,"extensions":null}"#, #"{"query":"{a}"}"#),
            (
                #"{"variables":{"b":[1,2.5]},"extensions":{"c":{}},"operationName":"A","query":"query A{a}","more":1}"#,
                #"{"query":"query A{a}","operationName":"A","variables":{"b":[1,2.5]},"extensions":{"c":{}}}"#
            ),
            (#"{"query":""}"#, #"{"query":""}"#),
            (
                #"{"extensions":{"persistedQuery":{"version":1}}}"#,
                #"{"extensions":{"persistedQuery":{"version":1}}}"#
            ),
        ]
    )
    func reads(body: String, written: String) throws {
        let request = try Self.read(body)
        #expect(request.json.text() == written)
        let parameters = request.parameters.map { ($0.name, $0.value) }
        #expect(try GraphQLRequest(parameters: parameters, limits: Self.limits).json.text() == written)
    }

    @Test(
        "an invalid request is rejected with the reason",
        arguments: [
            ("", "the body is empty, expected a JSON object"),
            ("{}", "'query' is missing, expected the text of a GraphQL document"),
            (#"{"query":null}"#, "'query' is missing, expected the text of a GraphQL document"),
            (#"{"query":1}"#, "'query': expected text or null, found a number"),
            (#"{"query":"{a}","operationName":{}}"#, "'operationName': expected text or null, found an object"),
            (#"{"query":"{a}","variables":"{}"}"#, "'variables': expected an object or null, found text"),
            (#"{"query":"{a}","variables":[]}"#, "'variables': expected an object or null, found a list"),
            (#"{"query":"{a}","extensions":true}"#, "'extensions': expected an object or null, found true"),
            (#"[{"query":"{a}"}]"#, "expected an object, found a list; batches are not supported"),
            ("null", "expected an object, found null"),
            (
                #"{"extensions":{"persistedQuery":1}}"#,
                "'query' is missing, expected the text of a GraphQL document"
            ),
        ]
    )
    func refuses(body: String, reason: String) {
        #expect(throws: Fault(reason)) { try Self.read(body) }
    }

    @Test(
        "invalid, too deep or too large JSON is rejected",
        arguments: [
            "{", "query=1", String(repeating: "[", count: 100_000),
            #"{"query":"\#(String(repeating: "a", count: 70_000))"}"#,
        ]
    )
    func hostile(body: String) throws {
        let error = try #require(throws: Fault.self) { try Self.read(body) }
        #expect(error.reason.hasPrefix("the body is not JSON: "))
        #expect(error.reason.utf8.count < 300)
    }

    @Test("variables and extensions of a GET are JSON")
    func parameters() throws {
        let request = try GraphQLRequest(
            parameters: [("query", "{a}"), ("operationName", ""), ("variables", #"{"a":1}"#), ("x", "y")],
            limits: Self.limits
        )
        #expect(request.json.text() == #"{"query":"{a}","variables":{"a":1}}"#)
    }

    @Test(
        "invalid parameters of a GET are rejected with the reason",
        arguments: [
            ([("query", "{a}"), ("query", "{b}")], "expected the parameter 'query' once, found 2"),
            ([("query", "{a}"), ("variables", "[]")], "'variables': expected an object or null, found a list"),
            ([("variables", "{}")], "'query' is missing, expected the text of a GraphQL document"),
        ] as [([(String, String)], String)]
    )
    func wrongParameters(parameters: [(String, String)], reason: String) {
        #expect(throws: Fault(reason)) {
            try GraphQLRequest(parameters: parameters.map { ($0.0, $0.1) }, limits: Self.limits)
        }
    }
}

@Suite("GraphQL over HTTP: responses")
struct ResponseFormTests {
    @Test(
        "the response format is negotiated by Accept",
        arguments: [
            ([], .json), ([""], .json), (["*/*"], .json), (["application/*"], .json),
            (["application/json"], .json),
            (["application/graphql-response+json"], .graphQLResponse),
            (["application/graphql-response+json, application/json;q=0.9"], .graphQLResponse),
            (["application/json;q=0.9, application/graphql-response+json"], .graphQLResponse),
            (["application/json, application/graphql-response+json"], .graphQLResponse),
            (["application/json", "application/graphql-response+json;q=0.5"], .json),
            (["APPLICATION/JSON; charset=UTF-8"], .json),
            (["application/graphql-response+json; charset=utf-8, application/json; charset=utf-8"], .graphQLResponse),
            (["text/event-stream"], .eventStream), (["text/event-stream, */*"], .eventStream),
            (["application/graphql-response+json, */*;q=0.1"], .graphQLResponse),
            (["application/json;q=0, */*"], .graphQLResponse),
            (["text/html, application/xhtml+xml, */*;q=0.8"], .json),
            (["text/html"], nil), (["application/json;q=0"], nil), (["application/json;charset=latin1"], nil),
            (["application/json;q=2"], nil), (["nonsense"], nil),
            ([String(repeating: "a/b,", count: 100_000)], nil),
        ] as [([String], ResponseForm?)]
    )
    func form(accept: [String], form: ResponseForm?) {
        #expect(ResponseForm.choose(accept: accept) == form)
    }

    @Test("a subscription requires an event stream")
    func subscriptions() {
        let offered = ResponseForm.ofSubscriptions
        #expect(ResponseForm.choose(accept: ["text/event-stream"], from: offered) == .eventStream)
        #expect(ResponseForm.choose(accept: ["application/json"], from: offered) == nil)
        #expect(ResponseForm.choose(accept: [], from: offered) == .eventStream)
    }

    @Test("the status of a rejected document depends on the format, that of an executed one does not")
    func status() {
        #expect(RequestOutcome.allCases.map { $0.status(in: .json) } == [400, 200, 200, 405, 415, 406])
        #expect(RequestOutcome.allCases.map { $0.status(in: .graphQLResponse) } == [400, 400, 200, 405, 415, 406])
    }
}
