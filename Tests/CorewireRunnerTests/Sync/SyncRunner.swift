import Foundation
import Support
import Testing

/// A runner with the GraphQL server built in and the operations of the sample beside it.
enum SyncRunner {
    static let json = ["Content-Type: application/json"]

    /// Starts it; `sync` adds to the section, `more` to the file.
    ///
    /// The server of a URL may take the place of the one built in.
    static func start(
        _ sync: String = "",
        server: String? = nil,
        more: String = "api: {}\n",
        in home: TemporaryFolder? = nil
    ) async throws -> RunningRunner {
        let home = try home ?? TemporaryFolder()
        for name in ["schema.graphql", "server.graphqls", "tasks.graphql", "data.yaml"] {
            try home.write(try Repository.text(of: "configs/local/graphql/\(name)"), to: name)
        }
        let file = """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { \(server.map { "baseUrl: '\($0)'" } ?? "backend: embedded") } }
            backends:
              graphql: { schema: schema.graphql, data: data.yaml }
            sync:
              url: graphql
              authenticated: false
              operations: tasks.graphql
              schema: server.graphqls
            \(sync.split(separator: "\n").map { "  \($0)\n" }.joined())
            \(more)
            """
        return try await RunningRunner(file, in: home)
    }
}

extension RunningRunner {
    /// Runs a query by its name.
    func query(_ name: String, _ more: String = "") async throws -> RawClient.Answer {
        let text = #"{"operation":"\#(name)"\#(more.isEmpty ? "" : ",\(more)")}"#
        return try await ask("POST", "/v1/sync/query", SyncRunner.json, text: text)
    }

    func mutate(_ name: String, _ variables: String) async throws -> RawClient.Answer {
        let text = #"{"operation":"\#(name)","variables":\#(variables)}"#
        return try await ask("POST", "/v1/sync/mutate", SyncRunner.json, text: text)
    }

    /// Has the GraphQL server fail until it is told otherwise.
    func breakServer() async throws {
        let fault = #"{"kind":"status","status":503,"on":"/graphql","count":100000}"#
        let answer = try await ask("POST", "/v1/backends/faults", SyncRunner.json, text: fault)
        try #require(answer.status < 300, "\(answer.text)")
    }
}
