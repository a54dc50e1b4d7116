import Support
import Testing
import WireBase
import WireStore

@testable import WirePostgres

@Suite("Runners of a group", .serialized)
struct MembershipTests {
    @Test("a runner that is silent for too long is given up, and knows it before the others do")
    func evicted() async throws {
        let database = try await Database()
        let line = try await database.line()
        let time = HandClock()
        var limits = StoreLimits()
        limits.patience = .seconds(1)
        let silent = try await database.open(by: line, clock: .hand(time), limits: limits, time: time.clockwork)
        let other = try await database.open(clock: .hand(time), time: time.clockwork)
        try await silent.add(NewWork(id: "a", lane: "l", payload: []), to: "q")
        let lost = try #require(try await silent.claim(from: "q", for: .seconds(3_600)))
        try await line.tell("hold")
        // Both go by the same clock here; the silent one has to stop first.
        var hasStopped = false
        var claim: ClaimedWork?
        let isTaken =
            try await eventually {
                if time.wakes(in: .seconds(2)) { time.pass(.seconds(1)) }
                if silent.presence.isSilent { hasStopped = lost.lost?.hasFired ?? false }
                claim = try await other.claim(from: "q", for: .seconds(30))
                return claim != nil
            }
        #expect(isTaken && hasStopped)
        #expect(claim?.id == "a" && claim?.attempts == 1)
        #expect(try await silent.extend(lost, by: .seconds(30)) == false)
        #expect(lost.lost?.hasFired == true)
        try await line.tell("cut")
        // It is a member again, and its former claims are not its own.
        #expect(
            await eventually {
                time.pass(.milliseconds(100))
                return (try? await silent.complete(lost)) == false
            }
        )
        #expect(try await other.complete(try #require(claim)))
        await silent.close()
        await other.close()
    }

    @Test("a runner that leaves gives its claims back at once")
    func left() async throws {
        let database = try await Database()
        let (one, other) = (try await database.open(), try await database.open())
        try await one.add(NewWork(id: "a", lane: "l", payload: []), to: "q")
        _ = try #require(try await one.claim(from: "q", for: .seconds(3_600)))
        await one.close()
        #expect(try await other.claim(from: "q", for: .seconds(30))?.id == "a")
        #expect(try database.sql("SELECT count(*) FROM corewire.runners") == "1")
        await other.close()
    }

    @Test("a runner knows its group without asking: who is silent, and for how long it has not heard itself")
    func view() async throws {
        let database = try await Database()
        let line = try await database.line()
        let time = HandClock()
        let one = try await database.open(by: line, time: time.clockwork, named: "one")
        // Its clock stands still, so that it beats once.
        let other = try await database.open(time: HandClock().clockwork, named: "two")
        /// Lets time pass for so many beats, each of which is answered; between them three tasks of the store sleep.
        func pass(beats: Int) async {
            for _ in 0..<beats {
                #expect(await eventually { time.sleepers >= 3 })
                time.pass(.seconds(2))
            }
            #expect(await eventually { time.sleepers >= 3 })
        }
        func silent() -> [Bool] { one.members.runners.map { $0.silence != nil } }
        #expect(await eventually { other.members.runners.map(\.isSelf) == [false, true] })
        await pass(beats: 1)
        #expect(silent() == [false, false])
        let members = one.members.runners
        #expect(members.map(\.runner.instance) == ["one", "two"] && members.map(\.isSelf) == [true, false])
        #expect(members.allSatisfy { $0.runner.machine == "machine" && $0.runner.version == "0.1.0" })
        await pass(beats: 5)
        #expect(silent() == [false, true] && one.members.age == nil)
        try await line.tell("hold")
        time.pass(.seconds(8))
        // What was known is told at once.
        #expect((one.members.age ?? .zero) > .seconds(6))
        #expect(one.members.runners.map(\.runner.id) == members.map(\.runner.id))
        try await line.tell("cut")
        let isKnown = await eventually {
            if time.sleepers >= 3 { time.pass(.seconds(1)) }
            return one.members.age == nil
        }
        #expect(isKnown)
        await one.close()
        await other.close()
    }

    @Test("a runner that was alone notifies one that has joined at once, and not only from its next beat on")
    func joined() async throws {
        let database = try await Database()
        let line = try await database.line()
        // The clocks stand still, so that each beats once.
        let one = try await database.open(by: line, time: HandClock().clockwork)
        #expect(await eventually { !one.presence.hasOthers })
        // A new connection may have missed notifications, and shows no other runner.
        try await line.tell("cut")
        let isBack = await eventually {
            (try? await one.client.rows(PostgresStatement("SELECT 1"), on: .listener, within: .seconds(60))) != nil
        }
        #expect(isBack && !one.presence.hasOthers)
        let other = try await database.open(time: HandClock().clockwork)
        #expect(await eventually { one.presence.hasOthers })
        let before = try await other.changes(after: .max, in: nil, limit: 1).version
        async let changed = other.changed(after: before)
        let receipt = try await one.put(NewValue([1], type: "t"), under: "k", in: "n", if: .always)
        #expect(try await changed == receipt.version)
        await one.close()
        await other.close()
    }

    @Test("a database that has lost confirmed writes is told apart, and the runner joins again")
    func rewound() async throws {
        let database = try await Database()
        let line = try await database.line()
        let store = try await database.open(by: line)
        for number in 0..<3 {
            _ = try await store.put(NewValue([1], type: "t"), under: "\(number)", in: "n", if: .always)
        }
        let former = try #require(store.writer.member?.runner)
        // As after a failover to a standby that lacks the last two.
        _ = try database.sql("UPDATE corewire.writers SET op = op - 2")
        try await line.tell("cut")
        // One that was sent over the lost connection may be lost too, and fails.
        #expect(
            await eventually {
                (try? await store.put(NewValue([1], type: "t"), under: "4", in: "n", if: .always)) != nil
            }
        )
        let runner = try #require(store.writer.member?.runner)
        #expect(runner != former)
        #expect(try database.sql("SELECT id FROM corewire.runners") == "\(runner)")
        await store.close()
    }
}
