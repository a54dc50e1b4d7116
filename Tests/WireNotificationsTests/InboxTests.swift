import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireNotificationContract
import WireService
import WireSQLite
import WireStore
import Workbench

@testable import WireNotifications

@Suite("The stored inbox")
struct InboxTests {
    private static let envelope = NotificationEnvelope(
        id: "a",
        received: 1_000,
        way: "api",
        content: .local(.members(["title": .string("x")]))
    )

    private static var entry: InboxEntry { InboxEntry(envelope: envelope, options: [.list], buttons: [], shown: 1_000) }

    private static func repository(_ bench: Workbench, _ values: any KeyValueStore) -> NotificationRepository {
        NotificationRepository(
            work: bench.store,
            values: values,
            device: values,
            app: "app",
            environment: "",
            digest: { $0 }
        )
    }

    private static func rules() throws -> Inbox {
        try SectionInFile<NotificationsSection>(IntakeTests.note).settings.inbox
    }

    @Test(
        "a count outdated by concurrent changes is refreshed after a second, or when the clock was set back",
        arguments: [(0, false), (1_000, false), (1_001, true), (-1, true)]
    )
    func doubted(later: Int, isAnew: Bool) async throws {
        let bench = try Workbench()
        let store = SlowStore(bench.store)
        let inbox = NotificationInbox(Self.repository(bench, store), gone: {})
        let (rules, now) = (try Self.rules(), bench.clock.clockwork.wall())
        async let writing = inbox.put(Self.entry, rules, at: now)
        await store.hasWritten.wait()
        #expect(try await inbox.unread(at: now) == 1)
        store.mayReturn.fire()
        let isNew = try await writing
        #expect(isNew)
        // It was found in the store, and then said to have come.
        #expect(try await inbox.unread(at: now + Int64(later)) == (isAnew ? 1 : 2))
        await bench.store.close()
    }

    @Test("the number of unread entries follows the changes of other processes")
    func others() async throws {
        let bench = try Workbench()
        let repository = Self.repository(bench, bench.store)
        let (one, other) = (
            NotificationInbox(repository, gone: {}), NotificationInbox(repository, gone: {})
        )
        let (rules, now) = (try Self.rules(), bench.clock.clockwork.wall())
        try await bench.store.add(NewWork(Self.envelope), to: repository.queue)
        #expect(try await other.unread(at: now) == 0)
        _ = try await one.put(Self.entry, rules, at: now)
        #expect(try await one.unread(at: now) == 1)
        #expect(try await other.unread(at: now) == 1)
        #expect(try await other.mark("a", isOpened: false, at: now))
        #expect(try await other.unread(at: now) == 0)
        #expect(try await one.unread(at: now) == 0)
        #expect(try await one.remove("a") != nil)
        #expect(try await other.unread(at: now) == 0)
        await bench.store.close()
    }

    @Test("of two entries with one key, shown by two runners at once, the later stays", arguments: [true, false])
    func together(isLaterFirst: Bool) async throws {
        let bench = try Workbench()
        let repository = Self.repository(bench, bench.store)
        let inbox = NotificationInbox(repository, gone: {})
        let (rules, now) = (try Self.rules(), bench.clock.clockwork.wall())
        var later = Self.entry
        (later.envelope.id, later.envelope.received) = ("b", 2_000)
        let entries = isLaterFirst ? [later, Self.entry] : [Self.entry, later]
        // Each looks for former entries before the other one is there.
        for entry in entries { #expect(try await inbox.former(of: entry, place: "k").entries.isEmpty) }
        for entry in entries {
            _ = try await inbox.put(entry, rules, at: now)
            try await inbox.replace([], by: entry, place: "k")
        }
        let page = try await inbox.page(after: nil, limit: 10, onlyUnread: false)
        #expect(page.entries.map(\.entry.envelope.id) == ["b"])
        #expect(try await inbox.unread(at: now) == 1)
        await bench.store.close()
    }

    @Test("a shown notification is found while it is still being handled, and afterwards")
    func waiting() async throws {
        let bench = try Workbench()
        let repository = Self.repository(bench, bench.store)
        let inbox = NotificationInbox(repository, gone: {})
        let (rules, now) = (try Self.rules(), bench.clock.clockwork.wall())
        _ = try await inbox.put(Self.entry, rules, at: now)
        #expect(try await inbox.entry("a")?.isRead == nil)
        try await bench.store.add(NewWork(Self.envelope), to: repository.queue)
        #expect(try await inbox.entry("a")?.isRead == false)
        #expect(try await inbox.mark("a", isOpened: false, at: now))
        #expect(try await inbox.entry("a")?.isRead == true)
        #expect(try await inbox.unread(at: now) == 0)
        #expect(try await inbox.entry("b")?.isRead == nil)
        await bench.store.close()
    }

    @Test("entries in doubt are shown where one of them cannot be read, which is reported once")
    func unreadable() async throws {
        let bench = try Workbench()
        let values = FailingReads(LostAnswers(bench.store))
        let inbox = NotificationInbox(Self.repository(bench, values), gone: {})
        let (rules, now) = (try Self.rules(), bench.clock.clockwork.wall())
        let shown = Mutex(Set<String>())
        for id in ["a", "b", "c", "d"] {
            var entry = Self.entry
            entry.envelope.id = id
            await #expect(throws: StoreFailure.self) {
                try await inbox.put(entry, rules, at: now) { shown.withLock { _ = $0.insert(id) } }
            }
        }
        values.fail("-b", as: .sealed)
        var told = 0
        for _ in 0..<2 { try await inbox.settleDoubts { _ in told += 1 } }
        #expect(shown.withLock { $0 } == ["a", "c", "d"])
        #expect(told == 1)
        #expect(!inbox.hasDoubts)
        await bench.store.close()
    }
}

/// A store whose answers to writes are lost.
private final class LostAnswers: StoreAround {
    let store: any KeyValueStore

    init(_ store: any KeyValueStore) { self.store = store }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        _ = try await store.put(value, under: key, in: namespace, if: condition)
        throw StoreFailure(.away, "the server cannot be reached")
    }
}

/// A store in which what was written is known to whoever wrote it when the test lets it be.
private final class SlowStore: StoreAround {
    let store: any KeyValueStore
    let (hasWritten, mayReturn) = (OneShot(), OneShot())

    init(_ store: any KeyValueStore) { self.store = store }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        let receipt = try await store.put(value, under: key, in: namespace, if: condition)
        hasWritten.fire()
        await mayReturn.wait()
        return receipt
    }
}
