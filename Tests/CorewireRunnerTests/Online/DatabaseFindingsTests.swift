import Foundation
import Support
import Testing

/// What a database can lack that the runners of a group share, each with the whole text that is told.
@Suite("validate-config --online: the database of a group", .timeLimit(.minutes(3)))
struct DatabaseFindingsTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks, group: com.example.shared }
        environment: dev
        environments: { dev: { backend: embedded } }
        persistence:
          key: "${env:STORE_KEY}"
          store:
            url: "postgresql://runners@127.0.0.1:PORT/postgres"
            password: "${env:DB_PASSWORD}"
            migrate: never

        """
    private static let secrets = [
        "STORE_KEY": Data(repeating: 7, count: 32).base64EncodedString(), "DB_PASSWORD": "secret-word",
    ]
    private static let valid = "a.yaml: valid in 1 environment (dev)\n"

    /// A server that asks for the user's password.
    private static func server() async throws -> PostgresServer {
        let access = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256"
        let server = try await PostgresServer(access: access)
        try server.sql("CREATE ROLE runners LOGIN PASSWORD 'secret-word'")
        try server.sql("ALTER ROLE owner PASSWORD 'owner-word'")
        return server
    }

    private static func migrate(_ server: PostgresServer, _ checkup: OnlineCheckup) throws {
        let words = ["store", "migrate", "a.yaml", "--as", "owner", "--password"]
        let run = try Program.corewire(
            words,
            in: checkup.folder.url,
            input: Data("owner-word\n".utf8),
            environment: secrets
        )
        #expect(run.status == 0, "\(run.everything)")
    }

    private static func checkup(_ server: PostgresServer, _ more: String = "") throws -> OnlineCheckup {
        try OnlineCheckup(file + more, base: "", port: server.port)
    }

    private static func expect(_ run: Run, _ server: PostgresServer, is name: String, status: Int32 = 1) throws {
        #expect(run.status == status)
        #expect(!run.everything.contains("secret-word"))
        try OnlineCheckup.expect(OnlineCheckup.settled(run.everything, port: server.port), is: name)
    }

    @Test("a database that fits is valid, also for an environment with embedded servers; nothing is joined or changed")
    func fits() async throws {
        let server = try await Self.server()
        let checkup = try Self.checkup(server)
        try Self.migrate(server, checkup)
        #expect(try checkup.run("--strict", environment: Self.secrets).everything == Self.valid)
        #expect(try server.sql("SELECT count(*) FROM corewire.runners") == "0")
        #expect(try server.sql("SELECT count(*) FROM corewire.groups") == "0")
    }

    @Test("a schema that is missing is an error where the runner may not make it, otherwise a note")
    func missing() async throws {
        let server = try await Self.server()
        let never = try Self.checkup(server)
        try Self.expect(try never.run(environment: Self.secrets), server, is: "database-missing")
        let text = Self.file.replacingOccurrences(of: "migrate: never", with: "migrate: automatic")
        let automatic = try OnlineCheckup(text, base: "", port: server.port)
        try Self.expect(try automatic.run(environment: Self.secrets), server, is: "database-not-makeable")
        try server.sql("GRANT CREATE ON DATABASE postgres TO runners")
        let run = try automatic.run("--strict", environment: Self.secrets)
        try Self.expect(run, server, is: "database-makeable", status: 0)
    }

    @Test("another key, a missing standby, and too many rights are told at their values")
    func unfit() async throws {
        let server = try await Self.server()
        let checkup = try Self.checkup(server, "    confirm: replica\n")
        try Self.migrate(server, checkup)
        try server.sql("SELECT corewire.join_1('com.example.shared', 1, '', '', '', 0, 1, 'other')")
        try server.sql("GRANT SELECT ON corewire.groups TO runners")
        try Self.expect(try checkup.run(environment: Self.secrets), server, is: "database-unfit")
    }

    @Test("a user that may not call the functions is told of the command that lets it")
    func rights() async throws {
        let server = try await Self.server()
        let checkup = try Self.checkup(server)
        try Self.migrate(server, checkup)
        try server.sql("REVOKE EXECUTE ON FUNCTION corewire.beat_1(int8) FROM runners")
        try Self.expect(try checkup.run(environment: Self.secrets), server, is: "database-rights")
    }

    @Test("an old server, a transaction that has been open for long, and tables that are not vacuumed are told")
    func server() async throws {
        let server = try await Self.server()
        let checkup = try Self.checkup(server)
        try Self.migrate(server, checkup)
        // The server is as it is, so that the user finds these before what the server says.
        try server.sql(
            """
            CREATE SCHEMA said; GRANT USAGE ON SCHEMA said TO runners; ALTER ROLE runners SET search_path = said, pg_catalog;
            CREATE FUNCTION said.current_setting(name text) RETURNS text LANGUAGE sql AS $$
                SELECT CASE name WHEN 'server_version' THEN '12.3' WHEN 'server_version_num' THEN '120003'
                    ELSE pg_catalog.current_setting(name) END $$;
            CREATE VIEW said.pg_stat_activity AS
                SELECT clock_timestamp() - interval '665 seconds' AS xact_start, 1 AS backend_xmin, 0 AS pid;
            CREATE VIEW said.pg_stat_all_tables AS SELECT relid, schemaname, relname,
                CASE relname WHEN 'lanes' THEN 123456 WHEN 'work' THEN 20000 ELSE 0 END AS n_dead_tup
                FROM pg_catalog.pg_stat_all_tables;
            GRANT SELECT ON said.pg_stat_activity, said.pg_stat_all_tables TO runners
            """
        )
        try Self.expect(try checkup.run(environment: Self.secrets), server, is: "database-server")
    }

    @Test("a database that cannot be reached is an error, and an unresolved secret a note")
    func unreached() async throws {
        let server = try await Self.server()
        let checkup = try Self.checkup(server)
        var wrong = Self.secrets
        wrong["DB_PASSWORD"] = "wrong-word"
        let refused = try checkup.run(environment: wrong)
        #expect(refused.status == 1 && refused.output.contains("error[CW0601]: persistence.store.url"))
        #expect(refused.output.contains("password authentication failed"), "\(refused.output)")
        #expect(!refused.everything.contains("wrong-word"))
        wrong["DB_PASSWORD"] = nil
        try Self.expect(try checkup.run(environment: wrong), server, is: "database-no-password", status: 0)
        try Self.migrate(server, checkup)
        try server.sql("SELECT corewire.join_1('com.example.shared', 1, '', '', '', 0, 1, 'other')")
        var keyless = Self.secrets
        keyless["STORE_KEY"] = nil
        // Everything but the key is checked.
        try Self.expect(try checkup.run(environment: keyless), server, is: "database-no-key", status: 0)
    }

    @Test("a pooler without sessions is told at the address, by doctor too, and refused at the start with status 74")
    func pooler() async throws {
        let server = try await Self.server()
        let pooler = try await PgBouncer(before: server, .transaction, size: 20, users: ["runners", "owner"])
        let direct = try Self.checkup(server)
        try Self.migrate(server, direct)
        let checkup = try OnlineCheckup(Self.file, base: "", port: pooler.port)
        let run = try checkup.run(environment: Self.secrets)
        #expect(run.status == 1)
        try OnlineCheckup.expect(OnlineCheckup.settled(run.everything, port: pooler.port), is: "database-pooler")
        let home = checkup.folder.url.path
        let environment = Self.secrets.merging(["HOME": home, "XDG_RUNTIME_DIR": "\(home)/run"]) { $1 }
        let doctor = try Program.corewire(
            ["doctor", "--config", "a.yaml"],
            in: checkup.folder.url,
            environment: environment
        )
        let words = "a pooler that gives connections no sessions of their own"
        #expect(doctor.status == 1 && doctor.output.contains(words), "\(doctor.output)")
        let start = try Program.corewire(
            ["run", "--config", "a.yaml"],
            in: checkup.folder.url,
            environment: environment
        )
        #expect(start.status == 74 && start.errors.contains(words), "\(start.everything)")
        #expect(start.errors.contains("a.yaml:8:10 (persistence.store.url)"), "\(start.everything)")
        #expect(start.errors.contains("pool_mode = session"), "\(start.everything)")
    }

    @Test("doctor tells the same")
    func doctor() async throws {
        let server = try await Self.server()
        let checkup = try Self.checkup(server, "    confirm: replica\n")
        let home = checkup.folder.url.path
        let run = try Program.corewire(
            ["doctor", "--config", "a.yaml"],
            in: checkup.folder.url,
            environment: Self.secrets.merging(["HOME": home, "XDG_RUNTIME_DIR": "\(home)/run"]) { $1 }
        )
        #expect(run.status == 1)
        #expect(
            run.output.contains("persistence.store.migrate: the database has no schema 'corewire'"),
            "\(run.output)"
        )
        #expect(run.output.contains("persistence.store.confirm: the server has no synchronous standby"))
    }
}
