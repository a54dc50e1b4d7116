import Support
import Testing
import WireBase
import WireStore

@testable import WirePostgres

@Suite("Answers of PostgreSQL that are lost", .serialized)
struct LostAnswerTests {
    /// Has the answers to a write lost once it was made, and the connection afterwards.
    private static func losing<Answer: Sendable>(
        _ line: ScriptedServer,
        _ write: @escaping @Sendable () async throws -> Answer,
        once isMade: () throws -> Bool
    ) async throws -> Answer {
        try await line.tell("mute")
        let writing = Task { try await write() }
        #expect(try await eventually { try isMade() })
        try await line.tell("cut")
        return try await writing.value
    }

    @Test("writes whose answer was lost are made once, and answered as they were made")
    func once() async throws {
        let database = try await Database()
        let line = try await database.line()
        let store = try await database.open(by: line)
        _ = try await store.put(NewValue([1], type: "t"), under: "k", in: "n", if: .absent)
        let receipt = try await Self.losing(line) {
            try await store.put(NewValue([1], type: "t"), under: "l", in: "n", if: .absent)
        } once: {
            try database.sql("SELECT count(*) FROM corewire.entries") == "2"
        }
        #expect(receipt.isNew)
        #expect(try await store.summary("l", in: "n")?.version == receipt.version)
        #expect(try database.sql("SELECT count(*) FROM corewire.changes") == "2")
        let added = try await Self.losing(line) {
            try await store.add(NewWork(id: "a", lane: "l", payload: [1, 2], isSealed: true), to: "q")
        } once: {
            try database.sql("SELECT count(*) FROM corewire.work") == "1"
        }
        #expect(added)
        let claim = try await Self.losing(line) {
            try await store.claim(from: "q", for: .seconds(30))
        } once: {
            try database.sql("SELECT count(*) FROM corewire.lanes WHERE owner IS NOT NULL") == "1"
        }
        #expect(claim?.payload == [1, 2] && claim?.attempts == 0)
        let isDone = try await Self.losing(line) {
            try await store.complete(try #require(claim))
        } once: {
            try database.sql("SELECT count(*) FROM corewire.work") == "0"
        }
        #expect(isDone)
        #expect(try database.sql("SELECT count(*) FROM corewire.done") == "1")
        await store.close()
    }

    @Test("a write that did not reach the server is made when the server is reached")
    func later() async throws {
        let database = try await Database()
        let line = try await database.line()
        // Its clock stands still, so that it sends nothing else.
        let store = try await database.open(by: line, time: HandClock().clockwork)
        try await line.tell("hold")
        let writing = Task { try await store.put(NewValue([1], type: "t"), under: "k", in: "n", if: .absent) }
        try await line.saw("held")
        try await line.tell("cut")
        #expect(try await writing.value.isNew)
        #expect(try database.sql("SELECT count(*) FROM corewire.changes") == "1")
        await store.close()
    }

    @Test("a claim whose answer came too late is given back")
    func orphaned() async throws {
        let database = try await Database()
        let line = try await database.line()
        var limits = StoreLimits()
        limits.patience = .seconds(3)
        let store = try await database.open(by: line, limits: limits)
        try await store.add(NewWork(id: "a", lane: "l", payload: []), to: "q")
        try await line.tell("mute")
        let failure = await #expect(throws: StoreFailure.self) { try await store.claim(from: "q", for: .seconds(30)) }
        #expect(failure?.kind == .away)
        #expect(try database.sql("SELECT count(*) FROM corewire.lanes WHERE owner IS NOT NULL") == "1")
        try await line.tell("cut")
        var claim: ClaimedWork?
        #expect(
            await eventually {
                claim = try? await store.claim(from: "q", for: .seconds(30))
                return claim != nil
            }
        )
        // It was not begun.
        #expect(claim?.attempts == 0)
        await store.close()
    }

    @Test("a transaction that was given up changes nothing when it arrives late")
    func stale() async throws {
        let database = try await Database()
        let line = try await database.line()
        var limits = StoreLimits()
        limits.patience = .milliseconds(500)
        let store = try await database.open(by: line, limits: limits)
        _ = try await store.put(NewValue([0], type: "t"), under: "k", in: "n", if: .always)
        let member = try #require(store.writer.member)
        try await line.tell("hold")
        let failure = await #expect(throws: StoreFailure.self) {
            try await store.put(NewValue([1], type: "t"), under: "k", in: "n", if: .always)
        }
        #expect(failure?.kind == .away)
        try await line.tell("cut")
        #expect(
            await eventually {
                (try? await store.put(NewValue([2], type: "t"), under: "k", in: "n", if: .always)) != nil
            }
        )
        // As the held one would, had it been in a buffer of the network.
        let late =
            "SELECT corewire.standing_1(\(member.runner)); SELECT corewire.begin_1(\(member.runner), \(member.operation), \(member.operation + 1))"
        #expect(throws: PostgresServer.Failure.self) { try database.sql(late) }
        #expect(try await store.entry("k", in: "n")?.bytes == [2])
        await store.close()
    }

    @Test("a write beside one that the server rejects is made once, also where their first sending arrives late")
    func divided() async throws {
        let database = try await Database()
        try database.sql(Self.doors)
        let line = try await database.line()
        // Its clock stands still, so that it sends nothing else after its first beat.
        let store = try await database.open(by: line, limits: Self.patient, time: HandClock().clockwork)
        #expect(await eventually { !store.presence.hasOthers })
        let put = { @Sendable (key: String) async throws(StoreFailure) in
            try await store.put(NewValue([1], type: "t"), under: key, in: "n", if: .always)
        }
        // The other two come while this one is carried out, and share the next transaction.
        let first = Task { try await put("first") }
        let isInside = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        #expect(try await eventually { try database.sql(isInside) == "1" })
        let good = Task.immediate { try await put("good") }
        let bad = Task.immediate { try await put("bad") }
        try await line.tell("withhold")
        try database.sql("INSERT INTO door VALUES (1)")
        try await line.saw("held")
        try await line.tell("cut")
        #expect(try await eventually { try database.sql(isInside) == "1" })
        let late = try database.server.start(Self.next(try #require(store.writer.member), puts: ["good", "bad"]))
        _ = try await (first.value, good.value)
        _ = await bad.result
        try await late.end()
        #expect(try database.sql("SELECT count(*) FROM corewire.changes WHERE key = 'good'") == "1")
        await store.close()
    }

    /// The next transaction of a runner, as it would be carried out had it been in a buffer of the network.
    private static func next(_ member: Membership, puts keys: [String]) -> String {
        let (runner, former, number) = (member.runner, member.operation, member.operation + 1)
        let puts = keys.map { key in
            """
            SELECT corewire.put_1(\(member.group), NULL, 'n', '\(key)', 't', 1, NULL, false, 'x', 0::int2,
                NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 10000);
            """
        }
        return
            "BEGIN; SELECT corewire.standing_1(\(runner)); SELECT corewire.begin_1(\(runner), \(former), \(number)); "
            + puts.joined() + "SELECT corewire.keep_1(\(runner), \(number)); COMMIT"
    }

    /// Has a runner write `first` only once there is a row in `door`, and `bad` not at all: its first attempt ends when
    /// another transaction waits for it.
    private static let doors = """
        CREATE TABLE door (open int4);
        CREATE SEQUENCE attempts;
        CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF current_setting('application_name') <> 'corewire' THEN RETURN NEW; END IF;
            WHILE NEW.key = 'first' AND NOT EXISTS (SELECT FROM public.door) LOOP PERFORM pg_sleep(0.01); END LOOP;
            IF NEW.key <> 'bad' THEN RETURN NEW; END IF;
            IF nextval('public.attempts') = 1 THEN
                WHILE NOT EXISTS (SELECT FROM pg_stat_activity
                    WHERE application_name = 'psql' AND wait_event_type = 'Lock')
                LOOP
                    PERFORM pg_sleep(0.01);
                    PERFORM pg_stat_clear_snapshot();
                END LOOP;
            END IF;
            RAISE 'a bad key';
        END
        $$;
        CREATE TRIGGER pass BEFORE INSERT ON corewire.entries FOR EACH ROW EXECUTE FUNCTION pass();
        """

    @Test("a runner that ends waits for a silent database no longer than it may", .timeLimit(.minutes(5)))
    func ending() async throws {
        let database = try await Database()
        let line = try await database.line()
        var limits = StoreLimits()
        limits.patience = .seconds(36_000)
        let store = try await database.open(by: line, limits: limits)
        _ = try await store.put(NewValue([0], type: "t"), under: "k", in: "n", if: .always)
        try await line.tell("hold")
        let writing = Task { try await store.put(NewValue([1], type: "t"), under: "k", in: "n", if: .always) }
        let reading = Task { try await store.entry("k", in: "n") }
        try await line.saw("held")
        let queued = Task { try await store.put(NewValue([2], type: "t"), under: "l", in: "n", if: .always) }
        store.finish(within: .milliseconds(100))
        for write in [writing, queued] {
            let failure = await #expect(throws: StoreFailure.self) { try await write.value }
            #expect(failure?.kind == .away)
        }
        await #expect(throws: StoreFailure.self) { try await reading.value }
        await #expect(throws: StoreFailure.self) { try await store.entry("k", in: "n") }
        await store.close()
        #expect(try database.sql("SELECT encode(bytes, 'hex') FROM corewire.entries") == "00")
    }

    @Test("a runner that ends can still write where the database answers")
    func endingWell() async throws {
        let database = try await Database()
        let store = try await database.open()
        store.finish(within: .zero)
        _ = try await store.put(NewValue([0], type: "t"), under: "k", in: "n", if: .always)
        #expect(try await store.entry("k", in: "n")?.bytes == [0])
        await store.close()
        #expect(try database.sql("SELECT count(*) FROM corewire.runners") == "0")
    }

    @Test("writes go on after the server was killed, and none is lost or made twice")
    func killed() async throws {
        let database = try await Database()
        let store = try await database.open(limits: Self.patient)
        let versions = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await store.put(NewValue([1], type: "t"), under: "\(number)", in: "n", if: .absent).version
                }
            }
            for _ in 0..<3 {
                database.server.kill()
                try await database.server.start()
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(versions.count == 200)
        #expect(try database.sql("SELECT count(*) FROM corewire.changes") == "200")
        await store.close()
    }

    private static var patient: StoreLimits {
        var limits = StoreLimits()
        limits.patience = .seconds(60)
        return limits
    }
}
