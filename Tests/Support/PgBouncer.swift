import Foundation

/// pgbouncer before a server of PostgreSQL; it ends with the last reference to it.
package final class PgBouncer: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        case session, transaction, statement
    }

    package let port: Int
    private let program: StartedProgram

    /// Starts a pooler whose users need no password; `size` is the number of its connections to the server.
    ///
    /// It refuses to run as root, and does then as another user, who must reach the server's folder.
    package init(before server: PostgresServer, _ mode: Mode, size: Int, users: [String] = ["owner"]) async throws {
        port = try PostgresServer.freePort()
        let name = "pgbouncer-\(port)"
        try server.write(users.map { "\"\($0)\" \"\"\n" }.joined(), to: "\(name).users")
        try server.write(
            """
            [databases]
            postgres = host=\(server.folder) port=\(server.port) dbname=postgres
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = trust
            auth_file = \(server.folder)/\(name).users
            pool_mode = \(mode.rawValue)
            default_pool_size = \(size)

            """,
            to: name
        )
        let (path, arguments) = PostgresServer.asItsUser("/usr/sbin/pgbouncer", ["\(server.folder)/\(name)"])
        let log = "\(server.folder)/\(name).log"
        program = try StartedProgram(path, arguments, environment: [:], output: log, errors: log)
        let isReady = await eventually {
            (try? String(contentsOfFile: log, encoding: .utf8))?.contains("process up") == true
        }
        guard isReady else {
            throw PostgresServer.Failure(description: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "no log")
        }
    }
}
