import Foundation
import Support
import Synchronization
import Testing
import WireStore

@testable import WireSQLite

@Suite("Waiting for changes of a store", .timeLimit(.minutes(2)))
struct ChangesTests {
    /// How often a waiter has looked.
    private final class Waiter: Sendable {
        private let state = Mutex((looks: 0, isDone: false))

        var looks: Int { state.withLock(\.looks) }
        /// Notifies so often, each time until this waiter has looked.
        func looksEachTime(_ subjects: Set<Changes.Subject>, _ times: Int, in changes: Changes) async {
            for _ in 0..<times {
                let before = looks
                changes.notify(subjects)
                #expect(await eventually { looks > before })
            }
        }

        func end() { state.withLock { $0.isDone = true } }

        func wait(
            in changes: Changes,
            for subject: Changes.Subject = .entries,
            again: Duration = .milliseconds(20)
        ) async throws {
            try await changes.wait(for: subject) { () throws(StoreFailure) -> Changes.Lookup<Void> in
                state.withLock { state in
                    state.looks += 1
                    return state.isDone ? .found(()) : .nothing(again: again)
                }
            }
        }
    }

    @Test("a waiter that changes have woken often looks no more often than a new one")
    func alarms() async throws {
        let folder = try TemporaryFolder()
        let changes = Changes(by: folder.url.path + "/" + (try folder.write("", to: "mark")), clock: .system) { true }
        let (old, new) = (Waiter(), Waiter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await old.wait(in: changes) }
            await old.looksEachTime([.entries], 300, in: changes)
            group.addTask { try await new.wait(in: changes) }
            #expect(await eventually { new.looks > 0 })
            let before = (old: old.looks, new: new.looks)
            #expect(await eventually { new.looks >= before.new + 25 })
            let (olds, news) = (old.looks - before.old, new.looks - before.new)
            #expect(olds <= news * 3, "\(olds) looks beside \(news)")
            for waiter in [old, new] { waiter.end() }
            changes.notify([.entries])
            try await group.waitForAll()
        }
    }

    @Test("a waiter for a queue is woken by changes of that queue, and not by those of entries and other queues")
    func subjects() async throws {
        let folder = try TemporaryFolder()
        let changes = Changes(by: folder.url.path + "/" + (try folder.write("", to: "mark")), clock: .system) { false }
        let (entries, queue) = (Waiter(), Waiter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await entries.wait(in: changes, again: .seconds(60)) }
            group.addTask { try await queue.wait(in: changes, for: .queue("q"), again: .seconds(60)) }
            #expect(await eventually { entries.looks > 0 && queue.looks > 0 })
            await entries.looksEachTime([.entries, .queue("other")], 300, in: changes)
            // It looks by itself each two seconds.
            #expect(queue.looks < 150, "\(queue.looks) looks")
            await queue.looksEachTime([.queue("q")], 300, in: changes)
            for waiter in [entries, queue] { waiter.end() }
            changes.notify(nil)
            try await group.waitForAll()
        }
    }

    @Test("a store tells another one of the same folder of its commits")
    func others() async throws {
        let folder = try StoreFolder()
        let (one, other) = (try folder.open(), try folder.open())
        let waiting = Task { try? await other.waitUntilDue(in: "q") }
        // Its watch may begin after the first commits.
        let isTold = await eventually {
            _ = try? await one.put(NewValue([1], type: "a/b"), under: "k", in: "n", if: .always)
            return other.changes.heard > 0
        }
        #expect(isTold)
        waiting.cancel()
        await waiting.value
        await one.close()
        await other.close()
    }

    @Test("a commit of which a process told nobody, since it was killed, is noticed")
    func missed() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let version = try await store.put("x", under: "k").version
        async let changed = store.changed(after: version)
        try folder.run("INSERT INTO changes(kind, namespace, key) VALUES (0, 'n', 'other')", on: "state.db")
        #expect(try await changed == version + 1)
        await store.close()
    }

    @Test("lists, the age of the oldest work and the next expiry are read by indexes")
    func indexes() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        // Opening reads the list of tables.
        let opening = await store.state.writer.maintain { $0.effort.unindexedRows }
        for number in 0..<30 {
            try await store.put("x", under: "k\(number)")
            #expect(try await store.add(NewWork(id: "\(number)", lane: "\(number % 3)", payload: []), to: "q"))
        }
        store.sweeper.sweep()
        #expect(try store.list("q", lane: nil, after: nil, limit: 5).map(\.id) == ["0", "1", "2", "3", "4"])
        #expect(try store.list("q", lane: "1", after: nil, limit: 2).map(\.id) == ["1", "4"])
        #expect(try store.usage(ofQueue: "q").entries == 30)
        let reading = try store.state.read { $0.effort }
        let writing = await store.state.writer.maintain { $0.effort }
        #expect(reading.sorts == 0 && reading.unindexedRows == 0, "\(reading)")
        #expect(writing.sorts == 0 && writing.unindexedRows == opening, "\(writing), \(opening) of them at first")
        await store.close()
    }
}
