import Foundation
import Support
import Synchronization
import Testing
import WireBase

@testable import WirePostgres

@Suite("Client of PostgreSQL", .serialized)
struct ClientTests {
    private static let limit = Duration.seconds(60)

    private static func settings(_ server: PostgresServer) -> PostgresSettings {
        PostgresSettings([.init(server.folder, port: server.port)], database: "postgres", user: "owner")
    }

    /// A line to a server that can be disturbed, and the settings of a client that uses it.
    private static func line(to server: PostgresServer) async throws -> (ScriptedServer, PostgresSettings) {
        let script = Repository.root.appendingPathComponent("Tests/PostgresFunctions/proxy.py")
        let line = try await ScriptedServer(script, ["127.0.0.1", "\(server.port)"])
        var settings = settings(server)
        settings.hosts = [.init("127.0.0.1", port: try #require(line.readyWords.first.flatMap(Int.init)))]
        return (line, settings)
    }

    private static func number(_ client: PostgresClient, _ line: PostgresLine = .reader) async throws -> Int64? {
        try await client.rows(PostgresStatement("SELECT 1"), on: line, within: limit).first?.integer(0)
    }

    /// Why a statement cannot be carried out, as far as that is known soon.
    static func failure(_ client: PostgresClient) async -> PostgresFailure? {
        do throws(PostgresFailure) {
            _ = try await client.rows(PostgresStatement("SELECT 1"), on: .reader, within: .milliseconds(100))
            return nil
        } catch {
            return error
        }
    }

    @Test("parameters and columns keep their values, as do empty and missing ones")
    func values() async throws {
        let server = try await PostgresServer()
        let client = try PostgresClient(Self.settings(server))
        let bytes: [UInt8] = [0, 1, 255, 39, 92]
        let statement = PostgresStatement(
            "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $3 IS NULL, array_length($9, 1), $8 + interval '1 s'",
            [
                .int8(.min), .int4(-7), .int8(nil), .int2(-2), .bool(true), .bytea(bytes), .text("Ä'\\"),
                .timestamp(1_790_000_000_123), .byteas([bytes, nil, []]), .byteas([]), .bools([true, false]),
                .int8s([1, nil, -3]),
            ]
        )
        for _ in 0..<2 {
            let row = try #require(try await client.rows(statement, on: .reader, within: Self.limit).first)
            #expect(try row.integer(0) == .min && row.integer(1) == -7 && row.integer(3) == -2)
            #expect(try row.optionalInteger(2) == nil && row.bool(4) && row.bool(12))
            #expect(try row.bytes(5) == bytes && row.text(6) == "Ä'\\")
            #expect(try row.timestamp(7) == 1_790_000_000_123 && row.timestamp(14) == 1_790_000_001_123)
            #expect(try row.byteas(8) == [bytes, nil, []] && row.byteas(9) == [] && row.bools(10) == [true, false])
            #expect(try row.integer(13) == 3)
            #expect(throws: PostgresFailure.self) { try row.text(5) }
            #expect(throws: PostgresFailure.self) { try row.bool(0) }
            #expect(throws: PostgresFailure.self) { try row.bytes(2) }
            #expect(throws: PostgresFailure.self) { try row.bytes(15) }
        }
        await client.close()
    }

    @Test("no two connections have a prepared statement of the same name")
    func names() async throws {
        let server = try await PostgresServer()
        let clients = [try PostgresClient(Self.settings(server)), try PostgresClient(Self.settings(server))]
        let statement = PostgresStatement(
            "SELECT name FROM pg_prepared_statements WHERE statement LIKE $1",
            [.text("%prepared%")]
        )
        var names: [String] = []
        for client in clients {
            for line in [PostgresLine.reader, .writer] {
                names += try await client.rows(statement, on: line, within: Self.limit).map { try $0.text(0) }
            }
        }
        #expect(names.count == 4 && Set(names).count == 4, "\(names)")
        for client in clients { await client.close() }
    }

    @Test("a value of 64 MiB arrives whole, both ways")
    func large() async throws {
        let server = try await PostgresServer()
        let client = try PostgresClient(Self.settings(server))
        let value = [UInt8](repeating: 0xa7, count: 64 << 20)
        let statement = PostgresStatement("SELECT $1, md5($1)", [.bytea(value)])
        let row = try #require(try await client.rows(statement, on: .writer, within: Self.limit).first)
        #expect(try row.bytes(0) == value)
        await client.close()
    }

    @Test("statements of a batch are one transaction; a rejected one changes nothing, and names its code")
    func batches() async throws {
        let server = try await PostgresServer()
        try server.sql("CREATE TABLE t (n bigint PRIMARY KEY)")
        let client = try PostgresClient(Self.settings(server))
        func insert(_ numbers: Int64...) async throws {
            let statements = numbers.map { PostgresStatement("INSERT INTO t VALUES ($1) RETURNING n", [.int8($0)]) }
            let rows = try await client.carryOut(statements, on: .writer, within: Self.limit)
            #expect(try rows.map { try $0.first?.integer(0) } == numbers)
        }
        try await insert(1, 2)
        let failure = await #expect(throws: PostgresFailure.self) { try await insert(3, 1, 4) }
        #expect(failure?.state == "23505")
        let unknown = await #expect(throws: PostgresFailure.self) {
            try await client.rows(PostgresStatement("SELECT missing($1)", [.int8(1)]), on: .writer, within: Self.limit)
        }
        #expect(unknown?.state == "42883")
        try await insert(5)
        #expect(try server.sql("SELECT string_agg(n::text, ' ' ORDER BY n) FROM t") == "1 2 5")
        await client.close()
    }

    @Test("many callers share a connection, and get their own answers")
    func many() async throws {
        let server = try await PostgresServer()
        let client = try PostgresClient(Self.settings(server))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let statement = PostgresStatement("SELECT $1 + 1", [.int8(Int64(number))])
                    let line: PostgresLine = number % 2 == 0 ? .reader : .writer
                    let rows = try await client.rows(statement, on: line, within: Self.limit)
                    return try rows.first?.integer(0) == Int64(number + 1)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        await client.close()
    }

    @Test("callers that read share transactions; one that is rejected takes no other with it")
    func together() async throws {
        let server = try await PostgresServer()
        let client = try PostgresClient(Self.settings(server))
        let other = try PostgresClient(Self.settings(server))
        _ = try await other.rows(PostgresStatement("SELECT pg_advisory_lock(1)"), on: .writer, within: Self.limit)
        // Others gather while the server is busy.
        let lock = PostgresStatement("SELECT pg_advisory_xact_lock_shared(1)")
        let held = Task { try await client.read([lock], within: Self.limit) }
        let isHeld = try await eventually {
            try server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'") == "1"
        }
        #expect(isHeld)
        let reads = (0..<100).map { number in
            Task.immediate {
                let statement = PostgresStatement("SELECT $1 / ($1 - 7), now()::text", [.int8(Int64(number))])
                return try await client.read([statement], within: Self.limit)[0][0]
            }
        }
        await other.close()
        _ = try await held.value
        var transactions: Set<String> = []
        for (number, read) in reads.enumerated() {
            guard number != 7 else {
                let failure = await #expect(throws: PostgresFailure.self) { try await read.value }
                #expect(failure?.state == "22012")
                continue
            }
            let row = try await read.value
            #expect(try row.integer(0) == Int64(number / (number - 7)))
            transactions.insert(try row.text(1))
        }
        #expect(transactions.count < 10, "\(transactions.count)")
        await client.close()
    }

    @Test("data that moves is not late, in either direction")
    func slow() async throws {
        let server = try await PostgresServer()
        let (line, settings) = try await Self.line(to: server)
        let client = try PostgresClient(settings)
        #expect(try await Self.number(client) == 1)
        try await line.tell("slow")
        let large = PostgresStatement("SELECT repeat('0123456789abcdef', 1 << 19)")
        let row = try #require(try await client.read([large], within: .seconds(1)).first?.first)
        #expect(try row.bytes(0).count == 8 << 20)
        let size = PostgresStatement("SELECT length($1)", [.bytea([UInt8](repeating: 7, count: 8 << 20))])
        #expect(try await client.read([size], within: .seconds(1)).first?.first?.integer(0) == 8 << 20)
        await client.close()
    }

    @Test("an answer that trickles is late", .timeLimit(.minutes(1)))
    func trickling() async throws {
        let server = try await PostgresServer()
        let (line, settings) = try await Self.line(to: server)
        let client = try PostgresClient(settings)
        #expect(try await Self.number(client) == 1)
        try await line.tell("trickle")
        let failure = await #expect(throws: PostgresFailure.self) {
            try await client.read([PostgresStatement("SELECT repeat('x', 1000)")], within: .seconds(1))
        }
        #expect(failure?.kind == .unanswered)
        await client.close()
    }

    @Test("a statement waits for its server; one that waits too long was not sent")
    func away() async throws {
        let server = try await PostgresServer()
        server.kill()
        let client = try PostgresClient(Self.settings(server))
        let failure = await #expect(throws: PostgresFailure.self) {
            try await client.rows(PostgresStatement("SELECT 1"), on: .reader, within: .milliseconds(200))
        }
        #expect(failure?.kind == .away)
        let waiting = Task { try await Self.number(client) }
        try await server.start()
        #expect(try await waiting.value == 1)
        await client.close()
    }

    @Test("what was sent on a connection that ends is unanswered; later statements get a new one")
    func broken() async throws {
        let server = try await PostgresServer()
        let client = try PostgresClient(Self.settings(server))
        for line in PostgresLine.allCases {
            let sleeping = Task {
                let statement = PostgresStatement("SELECT 1 FROM pg_sleep(600)")
                return try await client.rows(statement, on: line, within: Self.limit).count
            }
            let isAsleep = try await eventually {
                try server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1"
            }
            #expect(isAsleep)
            try server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
            let failure = await #expect(throws: PostgresFailure.self) { try await sleeping.value }
            // The server says so before it closes the connection, or it does not.
            #expect(failure?.kind == .unanswered || failure?.state == "57P01")
            #expect(try await Self.number(client, line) == 1)
        }
        await client.close()
    }

    @Test("a silent server is given up in time, and a cancelled caller waits for nothing")
    func silent() async throws {
        let server = try await PostgresServer()
        let client = try PostgresClient(Self.settings(server))
        #expect(try await Self.number(client) == 1)
        let sleep = PostgresStatement("SELECT 1 FROM pg_sleep(600)")
        let late = await #expect(throws: PostgresFailure.self) {
            try await client.rows(sleep, on: .reader, within: .milliseconds(100))
        }
        #expect(late?.kind == .unanswered)
        let asleep = Task { try await client.rows(sleep, on: .writer, within: Self.limit).count }
        #expect(
            try await eventually {
                try server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") != "0"
            }
        )
        asleep.cancel()
        let cancelled = await #expect(throws: PostgresFailure.self) { try await asleep.value }
        #expect(cancelled?.kind == .cancelled)
        #expect(try await Self.number(client) == 1)
        await client.close()
    }

    @Test("the first server that accepts writes is used; where none does, the reason is told")
    func hosts() async throws {
        let standby = try await PostgresServer("default_transaction_read_only = on")
        let server = try await PostgresServer()
        var settings = Self.settings(standby)
        let readOnly = try PostgresClient(settings)
        let expected = PostgresFailure(.away, "\(standby.folder): the server accepts no writes")
        #expect(await eventually { await Self.failure(readOnly) == expected })
        await readOnly.close()
        settings.hosts = [.init("/nowhere")] + settings.hosts + [.init(server.folder, port: server.port)]
        let client = try PostgresClient(settings)
        let statement = PostgresStatement("SELECT current_setting('unix_socket_directories')")
        #expect(try await client.rows(statement, on: .writer, within: Self.limit).first?.text(0) == server.folder)
        await client.close()
    }

    @Test(
        "all connections are to one server, also where a former primary or a second one accepts those that it has",
        arguments: [true, false]
    )
    func promoted(_ isNewer: Bool) async throws {
        let (former, server) = (try await PostgresServer(), try await PostgresServer("restore_command = 'false'"))
        if isNewer {
            // A recovery ends with a new timeline, as the promotion of a standby does.
            try server.sql("CHECKPOINT")
            server.kill()
            try server.write("", to: "data/recovery.signal")
            try await server.start()
        }
        var settings = Self.settings(former)
        settings.hosts.append(.init(server.folder, port: server.port))
        let client = try PostgresClient(settings)
        let place = PostgresStatement("SELECT current_setting('unix_socket_directories'), pg_backend_pid()")
        var pids: [Int64] = []
        for line in PostgresLine.allCases {
            let row = try #require(try await client.rows(place, on: line, within: Self.limit).first)
            #expect(try row.text(0) == former.folder)
            pids.append(try row.integer(1))
        }
        try former.sql("ALTER SYSTEM SET default_transaction_read_only = on")
        try former.sql("SELECT pg_reload_conf()")
        try former.sql("SELECT pg_terminate_backend(\(pids[0]))")
        for line in PostgresLine.allCases {
            let isMoved = await eventually {
                (try? await client.rows(place, on: line, within: Self.limit).first?.text(0)) == server.folder
            }
            #expect(isMoved, "\(line)")
        }
        await client.close()
    }

    @Test("a server is the same one also where its time zone was changed")
    func zones() async throws {
        let server = try await PostgresServer()
        let client = try PostgresClient(Self.settings(server))
        for line in PostgresLine.allCases { #expect(try await Self.number(client, line) == 1) }
        let place = PostgresStatement("SELECT pg_backend_pid(), current_setting('timezone')")
        let pid = try #require(try await client.rows(place, on: .reader, within: Self.limit).first?.integer(0))
        // West of the zone before, so that a local time would be an earlier one.
        try server.sql("ALTER DATABASE postgres SET timezone = 'Etc/GMT+12'")
        try server.sql("SELECT pg_terminate_backend(\(pid))")
        let isZoned = await eventually {
            (try? await client.rows(place, on: .reader, within: Self.limit).first?.text(1)) == "Etc/GMT+12"
        }
        #expect(isZoned)
        await client.close()
    }

    @Test("a server that was started again is used also where a connection to it has not been told")
    func restarted() async throws {
        let server = try await PostgresServer()
        let (line, settings) = try await Self.line(to: server)
        let client = try PostgresClient(settings)
        for line in PostgresLine.allCases { #expect(try await Self.number(client, line) == 1) }
        try await line.tell("strand")
        server.kill()
        try await server.start()
        #expect(await eventually { await Self.failure(client) == nil })
        for line in PostgresLine.allCases { #expect(try await Self.number(client, line) == 1) }
        await client.close()
    }

    @Test("a notification by another client is heard, and that some may have been missed with a broken connection")
    func notified() async throws {
        let server = try await PostgresServer()
        let heard = Mutex<[Set<String>]>([])
        let client = try PostgresClient(Self.settings(server)) { channels in heard.withLock { $0.append(channels) } }
        client.listen(to: "a\"b")
        #expect(await eventually { heard.withLock { $0 } == [[]] })
        try server.sql("NOTIFY \"a\"\"b\"")
        #expect(await eventually { heard.withLock { $0 } == [[], ["a\"b"]] })
        try server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'")
        #expect(await eventually { heard.withLock { $0 } == [[], ["a\"b"], []] })
        // Its own would be heard before the answer.
        let notify = PostgresStatement("NOTIFY \"a\"\"b\"")
        _ = try await client.carryOut([notify], on: .listener, within: Self.limit)
        #expect(heard.withLock { $0 } == [[], ["a\"b"], []])
        try server.sql("NOTIFY \"a\"\"b\"")
        #expect(await eventually { heard.withLock { $0 } == [[], ["a\"b"], [], ["a\"b"]] })
        await client.close()
    }

    @Test(
        "a pooler that lends sessions for transactions is recognized, also one with a single session",
        arguments: PgBouncer.Mode.allCases
    )
    func sessions(_ mode: PgBouncer.Mode) async throws {
        let server = try await PostgresServer()
        for size in mode == .session ? [3] : [1, 20] {
            let pooler = try await PgBouncer(before: server, mode, size: size)
            var settings = Self.settings(server)
            settings.hosts = [.init("127.0.0.1", port: pooler.port)]
            let client = try PostgresClient(settings)
            #expect(try await client.hasSessions(within: Self.limit) == (mode == .session), "\(size)")
            await client.close()
        }
        let client = try PostgresClient(Self.settings(server))
        #expect(try await client.hasSessions(within: Self.limit))
        await client.close()
    }

    @Test("a session that was reset is replaced: nothing is lost or made twice, and notifications are heard again")
    func reset() async throws {
        let server = try await PostgresServer()
        try server.sql("CREATE TABLE t (n bigint PRIMARY KEY)")
        let heard = Mutex(0)
        let client = try PostgresClient(Self.settings(server)) { _ in heard.withLock { $0 += 1 } }
        let insert = "INSERT INTO t VALUES ($1)"
        for line in [PostgresLine.writer, .listener] {
            let first = PostgresStatement(insert, [.int8(Int64(line.rawValue))])
            _ = try await client.rows(first, on: line, within: Self.limit)
        }
        client.listen(to: "a")
        #expect(await eventually { heard.withLock { $0 } == 1 })
        for line in [PostgresLine.writer, .listener] {
            _ = try await client.rows(PostgresStatement("DISCARD ALL"), on: line, within: Self.limit)
            let number = Int64(line.rawValue) + 10
            let pair = [PostgresStatement("INSERT INTO t VALUES (\(number + 1))"), .init(insert, [.int8(number)])]
            _ = try await client.carryOut(pair, on: line, within: Self.limit)
            let settings = PostgresStatement("SELECT current_setting('lock_timeout')")
            #expect(try await client.rows(settings, on: line, within: Self.limit).first?.text(0) == "8s")
        }
        #expect(try server.sql("SELECT string_agg(n::text, ' ' ORDER BY n) FROM t") == "0 2 10 11 12 13")
        #expect(await eventually { heard.withLock { $0 } == 2 })
        try server.sql("NOTIFY a")
        #expect(await eventually { heard.withLock { $0 } == 3 })
        // Where it is reset each time, the reason is told.
        let lost = [PostgresStatement("DEALLOCATE ALL"), PostgresStatement(insert, [.int8(20)])]
        let failure = await #expect(throws: PostgresFailure.self) {
            try await client.carryOut(lost, on: .writer, within: Self.limit)
        }
        #expect(failure?.state == "26000")
        await client.close()
    }

    @Test("a client is closed when its thread has ended, with all that libraries keep for the thread")
    func joined() async throws {
        let server = try await PostgresServer()
        var key = pthread_key_t()
        unsafe pthread_key_create(&key) { _ in
            // A close that does not wait for the thread returns before this.
            for _ in 0..<1_000 { sched_yield() }
            ClientTests.ended.withLock { $0 += 1 }
        }
        let own = key
        let heard = OneShot()
        let client = try PostgresClient(Self.settings(server)) { _ in
            unsafe pthread_setspecific(own, UnsafeRawPointer(bitPattern: 1))
            heard.fire()
        }
        client.listen(to: "a")
        await heard.wait()
        await client.close()
        #expect(Self.ended.withLock { $0 } == 1)
        pthread_key_delete(own)
    }

    private static let ended = Mutex(0)

    @Test("a closed client ends what waits, and takes nothing")
    func closed() async throws {
        let client = try PostgresClient(PostgresSettings([.init("/nowhere")], database: "d", user: "u"))
        let waiting = Task { try await Self.number(client) }
        await client.close()
        await #expect(throws: PostgresFailure.self) { try await waiting.value }
        let failure = await #expect(throws: PostgresFailure.self) { try await Self.number(client) }
        #expect(failure?.kind == .unusable)
    }
}
