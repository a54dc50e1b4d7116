import Foundation
import Support
import Testing
import WireConfig

/// An identity server for runners without embedded servers: the one of another runner.
struct PushUsers {
    let runner: RunningRunner
    /// The section `auth` of a file whose users are ada and bob.
    let section: String

    init() async throws {
        runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.users }
            environment: dev
            environments: { dev: { backend: embedded } }
            auth: { clientId: users }
            backends:
              issuer:
                users: { ada: { password: wonder }, bob: { password: builder } }
                clients: { tasks: { redirectUris: ["http://127.0.0.1/callback"] } }
            """,
            app: "com.example.users"
        )
        let status = try JSONValue(parsing: try await runner.ask("GET", "/v1/backends").body, named: "backends")
        let base = try #require(status["baseUrl"]?.string)
        section = """
            auth:
              provider: keycloak
              url: \(base)
              realm: com.example.users
              clientId: tasks
              redirectUri: http://127.0.0.1/callback
            """
    }
}
