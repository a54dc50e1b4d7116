import Foundation
import Support
import Testing
import WireBase
import WireStore

@testable import WirePostgres

@Suite("Trust between client and PostgreSQL", .serialized)
struct TrustTests {
    private static let limit = Duration.seconds(60)

    private static func settings(_ host: String, _ server: PostgresServer) -> PostgresSettings {
        PostgresSettings([.init(host, port: server.port)], database: "postgres", user: "owner")
    }

    /// Why the client gets no connection.
    private static func refusal(_ settings: PostgresSettings) async throws -> String {
        let client = try PostgresClient(settings)
        var reason = ""
        // With the name of the server begins what it has said.
        let isTold = await eventually {
            reason = await ClientTests.failure(client)?.reason ?? ""
            return reason.hasPrefix(settings.hosts[0].name)
        }
        #expect(isTold)
        await client.close()
        return reason
    }

    @Test("a connection is encrypted, and only to a server whose certificate has its name and a known authority")
    func encryption() async throws {
        let (authority, other) = (try Authority(), try Authority())
        let server = try await PostgresServer()
        let pair = try String(contentsOfFile: authority.certificate(for: "127.0.0.1", in: "server"), encoding: .utf8)
        let key = try #require(pair.range(of: "-----BEGIN PRIVATE KEY"))
        try server.write(String(pair[..<key.lowerBound]), to: "server.crt")
        try server.write(String(pair[key.lowerBound...]), to: "server.key")
        try server.sql("ALTER SYSTEM SET ssl_cert_file = '\(server.folder)/server.crt'")
        try server.sql("ALTER SYSTEM SET ssl_key_file = '\(server.folder)/server.key'")
        try server.sql("ALTER SYSTEM SET ssl = on")
        server.kill()
        try await server.start()
        var settings = Self.settings("127.0.0.1", server)
        settings.encryption = .verified(authorities: authority.file)
        let client = try PostgresClient(settings)
        let statement = PostgresStatement("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        #expect(try await client.rows(statement, on: .writer, within: Self.limit).first?.bool(0) == true)
        await client.close()
        settings.encryption = .verified(authorities: other.file)
        #expect(try await Self.refusal(settings).contains("certificate verify failed"))
        settings.encryption = .verified(authorities: authority.file)
        settings.hosts = [.init("localhost", port: server.port)]
        #expect(try await Self.refusal(settings).contains("does not match host name"))
    }

    @Test("a server without encryption is refused where encryption is demanded")
    func plain() async throws {
        let server = try await PostgresServer()
        var settings = Self.settings("127.0.0.1", server)
        settings.encryption = .verified(authorities: try Authority().file)
        #expect(try await Self.refusal(settings).contains("server does not support SSL"))
    }

    @Test("a wrong password is told without it, and the environment gives none")
    func password() async throws {
        let server = try await PostgresServer(access: "local all owner trust\nhost all all 127.0.0.1/32 scram-sha-256")
        try server.sql("CREATE ROLE runner LOGIN PASSWORD 'correct horse'")
        var settings = Self.settings("127.0.0.1", server)
        settings.user = "runner"
        let variables = ["PGPASSWORD": "correct horse", "PGHOSTADDR": "127.0.0.9", "PGOPTIONS": "-c nonsense=1"]
        for (name, value) in variables { unsafe setenv(name, value, 1) }
        defer { for name in variables.keys { unsafe unsetenv(name) } }
        #expect(try await Self.refusal(settings).contains("no password supplied"))
        settings.password = Secret("wrong horse")
        let reason = try await Self.refusal(settings)
        #expect(reason.contains("password authentication failed") && !reason.contains("wrong horse"))
        settings.password = Secret("correct horse")
        let client = try PostgresClient(settings)
        let rows = try await client.rows(PostgresStatement("SELECT current_user"), on: .reader, within: Self.limit)
        #expect(try rows.first?.text(0) == "runner")
        await client.close()
    }

    /// What a server refuses, with what the user is told to do.
    static let refusals: [(change: @Sendable (inout PostgresSettings) -> Void, words: String, help: String)] = [
        ({ $0.password = Secret("wrong horse") }, "password authentication failed", "'persistence.store.password'"),
        ({ $0.password = nil }, "no password supplied", "'persistence.store.password'"),
        ({ $0.user = "idle" }, "is not permitted to log in", "a role with LOGIN"),
        ({ $0.user = "stranger" }, "no pg_hba.conf entry", "pg_hba.conf"),
        ({ $0.database = "missing" }, "does not exist", "create the database"),
        ({ $0.database = "closed" }, "permission denied", "GRANT CONNECT"),
    ]

    @Test("a start is told at once what a server refuses, and what to do", .timeLimit(.minutes(5)))
    func refused() async throws {
        let access = "local all owner trust\nhost all runner,idle 127.0.0.1/32 scram-sha-256"
        let server = try await PostgresServer(access: access)
        for role in ["runner LOGIN", "idle NOLOGIN", "stranger LOGIN"] {
            try server.sql("CREATE ROLE \(role) PASSWORD 'correct horse'")
        }
        try server.sql("CREATE DATABASE closed")
        try server.sql("REVOKE CONNECT ON DATABASE closed FROM PUBLIC")
        var settings = Self.settings("127.0.0.1", server)
        settings.user = "runner"
        settings.password = Secret("correct horse")
        for (change, words, help) in Self.refusals {
            var changed = settings
            change(&changed)
            let client = try PostgresClient(changed)
            let failure = await #expect(throws: StoreFailure.self, "\(words)") {
                try await client.connect(within: .seconds(36_000))
            }
            let told = "\(failure.debugDescription)"
            #expect(failure?.kind == .refused && failure?.help?.contains(help) == true, "\(told)")
            #expect(failure?.reason.contains(words) == true, "\(told)")
            #expect(!told.contains("horse") && !told.contains("LOCATION") && !told.contains("FATAL:  2"), "\(told)")
            await client.close()
        }
        // Another server may accept what the first one refuses.
        var several = settings
        several.hosts.insert(.init(server.folder, port: server.port), at: 0)
        let client = try PostgresClient(several)
        try await client.connect(within: .seconds(36_000))
        await client.close()
    }

    @Test("a password that is changed while a runner works is told as that, and tried again", .timeLimit(.minutes(5)))
    func rotated() async throws {
        let server = try await PostgresServer(access: "local all owner trust\nhost all all 127.0.0.1/32 scram-sha-256")
        try server.sql("CREATE ROLE runner LOGIN PASSWORD 'correct horse'")
        var settings = Self.settings("127.0.0.1", server)
        (settings.user, settings.password) = ("runner", Secret("correct horse"))
        let client = try PostgresClient(settings)
        try await client.connect(within: Self.limit)
        try server.sql("ALTER ROLE runner PASSWORD 'other horse'")
        try server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'runner'")
        var failure: PostgresFailure?
        #expect(
            await eventually {
                do throws(PostgresFailure) {
                    _ = try await client.rows(PostgresStatement("SELECT 1"), on: .writer, within: .seconds(36_000))
                } catch {
                    failure = error
                }
                return failure?.kind == .refused(state: "28P01")
            }
        )
        // It passes for the services.
        #expect(failure.map { StoreFailure($0).isPassing } == true)
        try server.sql("ALTER ROLE runner PASSWORD 'correct horse'")
        #expect(
            await eventually {
                (try? await client.rows(PostgresStatement("SELECT 1"), on: .writer, within: Self.limit)) != nil
            }
        )
        await client.close()
    }

    @Test("what is no server of the database is refused each time, and said in a line")
    func hostile() async throws {
        let folder = try TemporaryFolder(short: true)
        let socket = folder.url.appendingPathComponent(".s.PGSQL.5432").path
        try folder.write(
            """
            import socket, sys
            ok = b"R" + (8).to_bytes(4, "big") + bytes(4)
            ready = b"Z" + (5).to_bytes(4, "big") + b"I"
            def message(kind, body): return kind + (len(body) + 4).to_bytes(4, "big") + body
            answers = [
                b"", b"HTTP/1.1 400 Bad Request\\r\\n\\r\\n", bytes(64), b"\\xff" * 64, ok, ok + ready + b"\\xff" * 64,
                message(b"E", b"SFATAL\\0C28000\\0M" + b"no\\n" * 9999 + b"\\0\\0"),
                ok + ready + message(b"T", b"\\x7f\\xff"), ok + ready + message(b"D", b"\\x7f\\xff" + bytes(9)),
                ok + ready + ready * 9, ok + ready + message(b"G", bytes(3)), ok + ready + message(b"A", bytes(6)),
            ]
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            server.listen()
            for number in range(10000):
                peer = server.accept()[0]
                try:
                    peer.recv(9999)
                    peer.sendall(answers[number % len(answers)])
                except OSError: pass
                peer.close()
                print(number, flush=True)
            """,
            to: "server.py"
        )
        let output = folder.url.appendingPathComponent("output").path
        let program = try StartedProgram(
            "/usr/bin/python3",
            [folder.url.appendingPathComponent("server.py").path, socket],
            environment: [:],
            output: output,
            errors: folder.url.appendingPathComponent("errors").path
        )
        // There is a pause only when all hosts were tried.
        let hosts = [PostgresSettings.Host](repeating: .init(folder.url.path), count: 16)
        let client = try PostgresClient(PostgresSettings(hosts, database: "d", user: "u"))
        var reasons: Set<String> = []
        let isDone = await eventually {
            if let failure = await ClientTests.failure(client) { reasons.insert(failure.reason) }
            return ((try? String(contentsOfFile: output, encoding: .utf8)) ?? "").contains("\n12\n")
        }
        #expect(isDone, "\(reasons)")
        #expect(reasons.allSatisfy { $0.count < 600 && !$0.contains("\n") }, "\(reasons)")
        await client.close()
        withExtendedLifetime(program) {}
    }

    @Test("an answer that is none of a database ends the connection, and what was sent has no known outcome")
    func oddAnswers() async throws {
        let folder = try TemporaryFolder(short: true)
        try folder.write(
            #"""
            import socket, sys
            def message(kind, body=b""): return kind + (len(body) + 4).to_bytes(4, "big") + body
            def column(kind): return b"c\0" + bytes(6) + kind.to_bytes(4, "big") + bytes(6) + b"\0\1"
            def value(body): return len(body).to_bytes(4, "big") + body
            start = message(b"R", bytes(4)) + message(b"Z", b"I")
            begun, end = message(b"1") + message(b"2"), message(b"Z", b"I")
            one = message(b"T", b"\0\1" + column(23)) + message(b"D", b"\0\1" + value(b"\0\0\0\1")) + message(b"C", b"SELECT 1\0")
            check = begun + message(b"T", b"\0\2" + column(16) + column(25)) \
                + message(b"D", b"\0\2" + value(b"\0") + value(b"x")) + message(b"C", b"SELECT 1\0") + end
            def error(severity, code): return message(b"E", b"S%s\0V%s\0C%s\0Mno\0\0" % (severity, severity, code))
            answers = [
                begun + message(b"H", bytes(3)), begun + message(b"G", bytes(3)), begun + message(b"W", bytes(3)), end, b"",
                begun + message(b"C", b"X\0") * 1000 + end, begun + one,
                begun + b"C" + (2).to_bytes(4, "big"), error(b"FATAL", b"57P01"), error(b"ERROR", b"08P01") + end,
                begun + error(b"ERROR", b"23505") + end,
            ]
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            server.listen()
            def read(peer):
                data = b""
                while not data.endswith(b"S\0\0\0\4"):
                    new = peer.recv(9999)
                    if not new: return
                    data += new
            for answer in answers:
                peer = server.accept()[0]
                peer.recv(9999)
                peer.sendall(start)
                read(peer)
                peer.sendall(check)
                read(peer)
                peer.sendall(answer)
                if answer.endswith(one): peer.close()
                elif answer: peer.recv(9999)
                peer.close()
            """#,
            to: "server.py"
        )
        let program = try StartedProgram(
            "/usr/bin/python3",
            [
                folder.url.appendingPathComponent("server.py").path,
                folder.url.appendingPathComponent(".s.PGSQL.5432").path,
            ],
            environment: [:],
            output: folder.url.appendingPathComponent("output").path,
            errors: folder.url.appendingPathComponent("errors").path
        )
        let hosts = [PostgresSettings.Host](repeating: .init(folder.url.path), count: 16)
        let client = try PostgresClient(PostgresSettings(hosts, database: "d", user: "u"))
        for number in 0..<11 {
            let failure = await #expect(throws: PostgresFailure.self, "\(number)") {
                try await client.rows(PostgresStatement("SELECT 1"), on: .writer, within: Self.limit)
            }
            let expected = number < 10 ? PostgresFailure.Kind.unanswered : .rejected(state: "23505")
            #expect(failure?.kind == expected, "\(number): \(failure.debugDescription)")
        }
        await client.close()
        withExtendedLifetime(program) {}
    }
}
