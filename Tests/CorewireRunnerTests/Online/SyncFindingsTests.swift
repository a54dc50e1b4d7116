import Foundation
import Support
import Testing

/// What a GraphQL server and the files of `sync` can disagree about, each with the whole text that is told.
@Suite("validate-config --online: the GraphQL server")
struct SyncFindingsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let graphql: String
        var status: Int32 = 1

        var testDescription: String { name }
    }

    private static let introspection = Repository.root
        .appendingPathComponent("Tests/CorewireRunnerTests/Online/tasks.json").path

    static let cases = [
        Case(name: "sync-rejected", graphql: #""\#(introspection)""#),
        Case(name: "sync-no-graphql", graphql: #"[404, "text/html", "<h1>Not here</h1>"]"#),
        Case(name: "sync-token", graphql: #"[401, "text/plain", ""]"#, status: 0),
        Case(
            name: "sync-refused",
            graphql: #"[400, "application/json", "{\"errors\": [{\"message\": \"introspection is off\"}]}"]"#,
            status: 0
        ),
    ]

    private static let file = """
        version: 1
        app: { id: com.example.tasks, name: Tasks }
        environment: dev
        environments: { dev: { baseUrl: "BASE" } }
        sync:
          url: graphql
          authenticated: false
          secretHeaders: { api-key: "${env:KEY}" }
          schema: files/old.graphqls
          operations:
            - files/none.graphql
            - files/*.graphql

        """

    @Test("each finding is reported in full, at its place in the GraphQL file", arguments: cases)
    func told(_ row: Case) throws {
        let server = try TestServer(#"{"graphql": \#(row.graphql)}"#)
        let checkup = try OnlineCheckup(Self.file, base: "http://127.0.0.1:\(server.port)", port: server.port)
        try checkup.folder.write(
            """
            type Query { tasks(first: Int): [Task!]! }
            type Task { id: ID! title: String! isDone: Boolean! }

            """,
            to: "files/old.graphqls"
        )
        try checkup.folder.write(
            """
            query Tasks {
              tasks(first: "many") { id ...Parts }
            }

            """,
            to: "files/tasks.graphql"
        )
        try checkup.folder.write("fragment Parts on Task { titel isDone }\n", to: "files/parts.graphql")
        let run = try checkup.run(environment: ["KEY": "not-for-this"])
        #expect(run.status == row.status)
        try OnlineCheckup.expect(OnlineCheckup.settled(run.everything, port: server.port), is: row.name)
        let log = try server.log
        #expect(log.contains("__schema") && !log.contains("not-for-this") && !log.contains("uthorization"))
    }
}
