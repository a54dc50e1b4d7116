import CorewireCatalogue
import Foundation
import Support
import Testing
import WireBackends
import WireBase
import WireConfig
import WireEmbedded

@Suite("The GraphQL server", .timeLimit(.minutes(2)))
struct GraphQLServerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let target: String
        let fields: [String]
        let body: String?
        let status: Int
        let type: String

        init(_ method: String, _ target: String, _ fields: [String], _ body: String?, _ status: Int, _ type: String) {
            (self.method, self.target, self.fields) = (method, target, fields)
            (self.body, self.status, self.type) = (body, status, type)
        }

        var testDescription: String { "\(method) \(target) \(fields) \(body ?? "")" }
    }

    private static let json = "Content-Type: application/json"
    private static let new = "Accept: application/graphql-response+json"
    private static let plain = "application/json; charset=utf-8"
    private static let response = "application/graphql-response+json; charset=utf-8"

    @Test(
        "requests follow GraphQL over HTTP",
        arguments: [
            Case("POST", "", [json], #"{"query":"{ __typename }"}"#, 200, plain),
            Case("POST", "", [json, new], #"{"query":"{ __typename }"}"#, 200, response),
            Case("POST", "", [json, "Accept: */*"], #"{"query":"{ __typename }"}"#, 200, plain),
            Case("POST", "", [json, "Accept: text/html"], #"{"query":"{ __typename }"}"#, 406, plain),
            Case("POST", "", ["Content-Type: text/plain"], #"{"query":"{ __typename }"}"#, 415, plain),
            Case("POST", "", [], #"{"query":"{ __typename }"}"#, 415, plain),
            Case("POST", "", [json], "{", 400, plain),
            Case("POST", "", [json], #"{"query":1}"#, 400, plain),
            Case("POST", "", [json], #"{"query":"{ nothing }"}"#, 200, plain),
            Case("POST", "", [json, new], #"{"query":"{ nothing }"}"#, 400, response),
            Case("POST", "", [json, new], #"{"query":"{"}"#, 400, response),
            Case("POST", "", [json, new], #"{"query":"query($a: ID!) { getTask(id: $a) { id } }"}"#, 400, response),
            Case("GET", "?query=%7B__typename%7D", [], nil, 200, plain),
            Case(
                "GET",
                "?query=query(%24a:ID!)%7BgetTask(id:%24a)%7Bid%7D%7D&variables=%7B%22a%22:1%7D",
                [],
                nil,
                200,
                plain
            ),
            Case("GET", "?query=mutation%7BdeleteWard(input:%7Bid:1%7D)%7Bid%7D%7D", [], nil, 405, plain),
            Case("GET", "", [], nil, 400, plain),
            Case("POST", "", [json], #"{"query":"subscription { newTask { id } }"}"#, 406, plain),
            Case("DELETE", "", [], nil, 405, ""),
        ]
    )
    func overHTTP(_ test: Case) async throws {
        try await GraphQLHouse.run { house in
            let answer = try await house.web.ask(test.method, "/graphql\(test.target)", test.fields, body: test.body)
            #expect(answer.status == test.status, "\(answer.text)")
            #expect(answer["Content-Type"] ?? "" == test.type)
            if test.status == 405 { #expect(answer["Allow"]?.contains("POST") == true) }
        }
    }

    @Test("no token is required, a given token must be valid, and the log shows who made a change")
    func tokens() async throws {
        try await GraphQLHouse.run { house in
            let mutation = "mutation { createWard(input: { name: \"Night\" }) { id } }"
            _ = try await house.data(mutation)
            let refused = try await house.send(mutation, "{}", ["Authorization: Bearer made-up"])
            #expect(refused.status == 401)
            #expect(refused["WWW-Authenticate"] == "Bearer error=\"invalid_token\"")
            let token = try #require(try await house.house.browser().tokens()["access_token"]?.string)
            _ = try await house.data(mutation, "{}", ["Authorization: Bearer \(token)"])
            #expect(house.house.told.all.contains { $0.contains("mutation") && $0.contains("ada") })
        }
    }

    // MARK: Clients by others

    private static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    private static var hasClient: Bool {
        (try? Program.run(python, ["-c", "import graphql, websockets.sync.client"]).status) == 0
    }

    @Test("a token in connection_init identifies the caller of a WebSocket", .enabled(if: hasClient))
    func socketCaller() async throws {
        try await GraphQLHouse.run { house in
            let token = try #require(try await house.house.browser().tokens()["access_token"]?.string)
            let script = """
                import json, sys
                from websockets.sync.client import connect
                with connect(f"ws://{sys.argv[1]}/graphql", subprotocols=["graphql-transport-ws"]) as socket:
                    payload = {"authorization": "Bearer " + sys.argv[2]}
                    socket.send(json.dumps({"type": "connection_init", "payload": payload}))
                    assert json.loads(socket.recv(20))["type"] == "connection_ack"
                    query = 'mutation { createWard(input: { name: "x" }) { id } }'
                    socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": {"query": query}}))
                    assert json.loads(socket.recv(20))["type"] == "next"
                """
            let run = try await Self.client(["-c", script, "\(house.web.host):\(house.web.port)", token])
            #expect(run.status == 0, "\(run.everything)")
            #expect(house.house.told.all.contains { $0.contains("mutation") && $0.contains("ada") })
        }
    }

    private static func client(_ arguments: [String]) async throws -> Run {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try Program.run(python, arguments) })
            }
        }
    }

    @Test(
        "third-party clients read the schema, and get changes by event streams and both sub-protocols",
        .enabled(if: hasClient)
    )
    func foreignClients() async throws {
        try await GraphQLHouse.run { house in
            let script = Repository.root.appendingPathComponent("Tests/WireBackendsTests/Clients/graphql_client.py")
                .path
            let run = try await Self.client([script, "\(house.web.host):\(house.web.port)"])
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output == "schema\nevents\ngraphql-transport-ws\ngraphql-ws\n")
        }
    }

    // MARK: Files

    @Test("a changed data file changes only its own objects; objects of mutations stay")
    func seeds() async throws {
        let folder = try TemporaryFolder()
        try await GraphQLHouse.run(in: folder) { house in
            _ = try await house.data(
                "mutation { updateTask(input: { id: \"1\", title: \"Mine\", _version: 1 }) { id } }"
            )
            _ = try await house.data("mutation { createWard(input: { id: \"own\", name: \"Own\" }) { id } }")
            let data = GraphQLHouse.data.replacing("Replace the light", with: "Replace both lights")
                .replacing("  - { id: 4A, name: Children }\n", with: "").replacing(", wardId: 4A", with: "")
            try await house.house.rebind(House.issuer, more: GraphQLHouse.more(folder, GraphQLHouse.schema, data))
            #expect(try await house.titles("") == ["Mine", "Check the fridge", "Replace both lights"])
            let wards = try await house.ask("{ findWards { items { id } } }")
            #expect(wards == #"{"data":{"findWards":{"items":[{"id":"3B"},{"id":"own"}]}}}"#)
        }
    }

    @Test(
        "problems of the files are reported with their place",
        arguments: [
            ("Tsak: []", "data.yaml:1:1: unknown key 'Tsak', expected 'Task' or 'Ward'"),
            ("Ward: {}", "data.yaml:1:7: Ward: expected a list of objects"),
            (
                "Ward: [{ name: A, bedz: 1 }]",
                "data.yaml:1:8: unknown field 'bedz' of 'CreateWardInput', did you mean 'beds'?"
            ),
            ("Ward: [{ name: 5 }]", "data.yaml:1:16: 'name': expected 'String', found 5"),
            ("Ward: [{ beds: 5 }]", "data.yaml:1:8: 'name': missing value of type 'String!'"),
            ("Ward: [{ id: a, name: A }, { id: a, name: B }]", "data.yaml:1:34: a second Ward with the id 'a'"),
            ("Task: [{ title: T, wardId: 7 }]", "data.yaml:1:28: unknown Ward '7'"),
        ]
    )
    func wrongData(data: String, message: String) throws {
        #expect(try Self.problems(GraphQLHouse.schema, data) == [message])
    }

    @Test(
        "problems of a model are reported with their place",
        arguments: [
            ("\" @model \" type A { name: String }", "schema.graphql:1:17: the model 'A' has no key"),
            ("type A @model { id: Int! }", "schema.graphql:1:21: the key 'id' has the type 'Int!', expected 'ID!'"),
            (
                "type A @model @datasync(tll: 1) { id: ID! }",
                "schema.graphql:1:15: unknown argument 'tll' of '@datasync'"
            ),
            (
                "type A @model @datasync(ttl: 0) { id: ID! }",
                "schema.graphql:1:15: 'ttl' of '@datasync': expected seconds, 1 to 315360000"
            ),
            (
                "type A @model @datasync(strategy: ClientWins) { id: ID! }",
                "schema.graphql:1:15: 'strategy' of '@datasync': found 'ClientWins', expected ClientSideWins, ServerSideWins, ThrowOnConflict"
            ),
            (
                "type A @model { id: ID! b: B } type B { c: Int }",
                "schema.graphql:1:28: the field 'A.b' has the type 'B', expected a scalar, an enum or a model"
            ),
            (
                "type A @model { id: ID! b: [[B]] } type B @model { id: ID! }",
                "schema.graphql:1:28: the field 'A.b' is a list of lists of a model"
            ),
            (
                "type A @model { id: ID! b: [B] } type B @model { id: ID! a: Int }",
                "schema.graphql:1:25: the field 'A.b' needs a field 'B.a: A'"
            ),
            ("type A @model { id: ID! } input AFilter { a: Int }", nil),
        ] as [(String, String?)]
    )
    func wrongModels(schema: String, message: String?) throws {
        let problems = try Self.problems(schema, nil)
        if let message { #expect(problems == [message]) } else { #expect(!problems.isEmpty) }
    }

    private static func problems(_ schema: String, _ data: String?) throws -> [String] {
        let folder = try TemporaryFolder()
        _ = try GraphQLHouse.more(folder, schema, data)
        let path = folder.url.path
        return GraphQLSeeds.problems(
            schema: "\(path)/schema.graphql",
            data: data.map { _ in "\(path)/data.yaml" },
            Shipped.loader.formats
        ).map { problem in
            let place = problem.place.map {
                "\($0.file.name.dropFirst(path.count + 1)):\($0.start.line):\($0.start.column): "
            }
            return (place ?? "") + problem.message
        }
    }

    @Test("a schema without models is answered by operation name")
    func fixtures() async throws {
        let schema = "type Query { tasks: [Task!] } type Task { id: ID! title: String } type Subscription { tick: Int }"
        let data = """
            operations:
              AllTasks: { data: { tasks: [{ id: 1, title: One }] } }
              Broken: { errors: [{ message: out of order, extensions: { code: BROKEN } }] }
              Ticks: { events: [{ data: { tick: 1 } }, { data: { tick: 2 } }] }
            """
        try await GraphQLHouse.run(schema: schema, data: data) { house in
            #expect(try await house.ask("query AllTasks { tasks { id } }") == #"{"data":{"tasks":[{"id":"1"}]}}"#)
            let broken = try await house.ask("query Broken { tasks { id } }")
            #expect(broken == #"{"data":null,"errors":[{"message":"out of order","extensions":{"code":"BROKEN"}}]}"#)
            let unknown = try await house.ask("query AllTask { tasks { id } }")
            #expect(unknown.contains("no result for the operation 'AllTask', did you mean 'AllTasks'?"))
            let events = try await house.send("subscription Ticks { tick }", "{}", ["Accept: text/event-stream"]).text
            #expect(
                events == "event: next\ndata: {\"data\":{\"tick\":1}}\n\nevent: next\ndata: {\"data\":{\"tick\":2}}\n\n"
                    + "event: complete\ndata: \n\n"
            )
        }
    }
}
