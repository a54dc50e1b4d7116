import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireService
import WireSQLite
import WireStore

@Suite("Clearing what services keep")
struct ClearingTests {
    /// Somebody who keeps something, and notes what is asked.
    private final class Keeper: Clearing {
        let name: String
        let turn: ClearingTurn
        let fails: Bool
        let notes: Notes

        init(_ name: String, _ turn: ClearingTurn, _ notes: Notes, fails: Bool = false) {
            (self.name, self.turn, self.notes, self.fails) = (name, turn, notes, fails)
        }

        func pause(_ scope: ClearingScope) async { notes.add("pause") }
        func resume() async { notes.add("resume") }

        func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
            notes.add(name)
            if fails { throw Fault("it is stuck") }
            return [Cleared("things", 0)]
        }
    }

    private final class Notes: Sendable {
        private let state = Mutex<[String]>([])
        func add(_ note: String) { state.withLock { $0.append(note) } }
        var all: [String] { state.withLock { $0 } }
    }

    private static func stores(_ folder: TemporaryFolder) throws -> Stores {
        let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
        let store = try SQLiteStore.open(folder: folder.url.path, sealer: KeySealer(key, former: []))
        return Stores(store)
    }

    @Test("everybody rests first, then each goes in its turn, and one that fails holds up nobody")
    func turns() async throws {
        let (folder, notes, clearings) = (try TemporaryFolder(), Notes(), Clearings())
        clearings.join("state", Keeper("state", .values, notes), in: Registrations())
        clearings.join("outbox", Keeper("outbox", .queue, notes), in: Registrations())
        clearings.join("push", Keeper("push", .work, notes, fails: true), in: Registrations())
        clearings.join("auth", Keeper("auth", .identity, notes), in: Registrations())
        let answers = await clearings.clear(.user, with: Eraser(try Self.stores(folder)), HandClock().clockwork)
        #expect(Array(notes.all.prefix(4)) == ["pause", "pause", "pause", "pause"])
        #expect(Array(notes.all[4..<8]) == ["auth", "push", "outbox", "state"])
        #expect(Array(notes.all[8...]) == ["resume", "resume", "resume", "resume"])
        #expect(answers.map(\.service) == ["auth", "push", "outbox", "state", "store"])
        #expect(answers.compactMap(\.reason) == ["it is stuck"])
        #expect(answers[0].removed == [Cleared("things", 0)], "what there was none of is told as well")
    }

    @Test("only those who are named are asked, and rest")
    func named() async throws {
        let (folder, notes, clearings) = (try TemporaryFolder(), Notes(), Clearings())
        clearings.join("state", Keeper("state", .values, notes), in: Registrations())
        clearings.join("auth", Keeper("auth", .identity, notes), in: Registrations())
        let answers = await clearings.clear(
            .all,
            of: ["state"],
            with: Eraser(try Self.stores(folder)),
            HandClock().clockwork
        )
        #expect(notes.all == ["pause", "state", "resume"])
        #expect(answers.map(\.service) == ["state", "store"])
    }

    @Test("a dry run asks in the same order, and pauses no service")
    func dryRun() async throws {
        let (folder, notes, clearings) = (try TemporaryFolder(), Notes(), Clearings())
        clearings.join("state", Keeper("state", .values, notes), in: Registrations())
        clearings.join("auth", Keeper("auth", .identity, notes), in: Registrations())
        let eraser = Eraser(try Self.stores(folder), isDryRun: true)
        let answers = await clearings.clear(.all, with: eraser, HandClock().clockwork)
        #expect(notes.all == ["auth", "state"])
        #expect(answers.map(\.service) == ["auth", "state", "store"])
    }

    @Test("a gate that is closed cancels who is inside, waits for them, and lets nobody in before it is open")
    func gate() async throws {
        let (gate, inside) = (WorkBarrier(), OneShot())
        let notes = Notes()
        let work = Task {
            await gate.run {
                inside.fire()
                await OneShot().wait()
                notes.add("left")
                return Task.isCancelled
            }
        }
        await inside.wait()
        let times = gate.times
        await gate.close()
        #expect(notes.all == ["left"])
        #expect(await work.value == true)
        #expect(await gate.run { true } == nil)
        #expect(!gate.isOpen && !gate.enter())
        gate.open()
        #expect(await gate.run { true } == true)
        #expect(!gate.enter(since: times), "what began before it was closed is over")
        #expect(gate.enter(since: gate.times))
        gate.leave()
    }
}
