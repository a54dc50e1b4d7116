import Synchronization
import WireBase
import WireHTTP
import WireConfig
import WireNotificationContract
import WireStore

/// The list of shown notifications, latest first, within the limits of the file.
///
/// It is read in pages, and the number of unread ones is counted once and then updated, so that memory use does not
/// grow with the list. Where another process has changed the list, they are counted again.
final class NotificationInbox: Sendable {
    private struct Count {
        var unread: Int
        /// When the first entry expires, in milliseconds since 1970.
        var nextExpiry: Int64?
        var isGood: Bool
        /// When a count ran during a change, which it may have missed or counted twice.
        var doubtedSince: Int64?
        /// The number of changes in progress, and of changes so far.
        var writers = 0
        var changes = 0
        /// The version of the store at the count, and the number of changes by this process since then.
        var version: Int64 = 0
        var own = 0

        init(isGood: Bool) { (unread, self.isGood) = (0, isGood) }
    }

    private let count = Mutex(Count(isGood: false))
    /// An entry that may have been stored by calls whose answers were lost.
    private struct Doubt {
        /// The marks of the entries of these calls.
        var marks: Set<Int> = []
        var show: @Sendable () async -> Void
    }

    /// The entries in doubt, by key.
    private let doubts = Mutex<[String: Doubt]>([:])
    private static let mostDoubts = 1_000
    /// Wakes for each new doubt.
    let doubted = Wakeup()
    private let repository: NotificationRepository
    /// Called when older entries were removed for lack of room.
    private let gone: @Sendable () -> Void

    init(_ repository: NotificationRepository, gone: @escaping @Sendable () -> Void) {
        (self.repository, self.gone) = (repository, gone)
    }

    /// Later entries have lesser keys, so that pages start with the latest.
    static func key(_ id: String, _ received: Int64) -> String {
        let digits = "\(9_999_999_999_999 - max(0, min(received, 9_999_999_999_999)))"
        return String(repeating: "0", count: max(0, 13 - digits.count)) + digits + "-" + id
    }

    private static let unread = "application/json;state=unread"
    private static let read = "application/json;state=read"

    // MARK: Writing

    /// Adds an entry that is about to be shown; false, without a change, where it exists already.
    ///
    /// One that was stored by a former call whose answer was lost has not been shown yet. Where this call is in doubt, it
    /// is shown by a later call, or by ``settleDoubts(unreadable:)`` with the given closure.
    func put(
        _ entry: InboxEntry,
        _ rules: Inbox,
        at now: Int64,
        showingLater show: @escaping @Sendable () async -> Void = {}
    ) async throws(StoreFailure) -> Bool {
        do throws(StoreFailure) {
            guard try await add(entry, rules, at: now) else { return try await takeDoubt(of: entry.key) != nil }
            doubts.withLock { $0[entry.key] = nil }
            return true
        } catch {
            if error.isAway {
                doubts.withLock { doubts in
                    guard doubts.count < Self.mostDoubts || doubts[entry.key] != nil else { return }
                    doubts[entry.key, default: Doubt(show: show)].marks.insert(entry.mark)
                }
                doubted.wake()
            }
            throw error
        }
    }

    /// Ends the doubt about an entry; returns it where one of its calls has stored the entry, once.
    private func takeDoubt(of key: String) async throws(StoreFailure) -> Doubt? {
        guard let marks = doubts.withLock({ $0[key]?.marks }) else { return nil }
        let stored = try await repository.values.entry(key, in: repository.inbox)
        let mark = stored.flatMap { InboxEntry($0.bytes) }?.mark
        let doubt = doubts.withLock { doubts -> Doubt? in
            guard let doubt = doubts[key] else { return nil }
            let isStored = mark.map(doubt.marks.contains) ?? false
            let isOver = isStored || doubt.marks.isSubset(of: marks)
            if isOver { doubts[key] = nil } else { doubts[key]?.marks.subtract(marks) }
            return isStored ? doubt : nil
        }
        if doubt != nil { count.withLock { $0.isGood = false } }
        return doubt
    }

    var hasDoubts: Bool { doubts.withLock { !$0.isEmpty } }

    /// Shows the entries that calls in doubt have stored; entries that remain in doubt are left to a further call.
    ///
    /// Also where another runner has the claim now: that one finds the entry, and does not show it. The doubt about an
    /// entry that cannot be read ends without it being shown.
    func settleDoubts(unreadable tell: (StoreFailure) -> Void) async throws(StoreFailure) {
        for key in doubts.withLock({ Array($0.keys) }) {
            do throws(StoreFailure) {
                // Changes nothing. When it is answered, the former writes of this runner have been stored, or never
                // will be.
                _ = try await nilOnConflict { () async throws(StoreFailure) in
                    try await repository.values.remove(key, in: repository.inbox, if: .version(0))
                }
                try await takeDoubt(of: key)?.show()
            } catch {
                guard error.isOfEntry else { throw error }
                doubts.withLock { $0[key] = nil }
                tell(error)
            }
        }
    }

    private func add(_ entry: InboxEntry, _ rules: Inbox, at now: Int64) async throws(StoreFailure) -> Bool {
        let value = NewValue(
            entry.bytes,
            type: entry.isListed ? Self.unread : Self.read,
            lifetime: entry.lifetime(rules, at: now),
            isSealed: true,
            quota: StorageQuota(entries: rules.entries, removesOldest: true)
        )
        let receipt = try await nilOnConflict { () async throws(StoreFailure) in
            try await changing { () async throws(StoreFailure) in
                try await repository.values.put(value, under: entry.key, in: repository.inbox, if: .absent)
            } counting: { receipt, count in
                count.own += 1
                if receipt.removed > 0 { count.isGood = false }
                if entry.isListed { count.unread += 1 }
                if let expires = receipt.expires { count.nextExpiry = min(count.nextExpiry ?? expires, expires) }
            }
        }
        if let receipt, receipt.removed > 0 { gone() }
        return receipt != nil
    }

    /// The entries that this one replaces: the earlier content of its id, and the last with the same key; and whether
    /// one of them is later.
    func former(of entry: InboxEntry, place: String?) async throws(StoreFailure) -> (
        entries: [InboxEntry], isLate: Bool
    ) {
        var found: [StoredEntry] = []
        if entry.envelope.update != nil, let stored = try await find(entry.envelope.id) { found.append(stored) }
        if let place, let key = try await repository.pointer(.shown, of: Self.byPlace(place)),
            let stored = try await repository.values.entry(key, in: repository.inbox),
            !found.contains(where: { $0.summary.key == key })
        {
            found.append(stored)
        }
        let entries = found.filter { $0.summary.key != entry.key }.compactMap { InboxEntry($0.bytes) }
        return (entries, entries.contains { $0.envelope.received > entry.envelope.received })
    }

    /// Removes replaced entries and stores which entry has their place now.
    ///
    /// May be called again for an existing entry: a process that ended in between leaves the rest to do.
    func replace(_ former: [InboxEntry], by entry: InboxEntry, place: String?) async throws(StoreFailure) {
        for old in former { _ = try await remove(key: old.key) }
        if entry.envelope.update != nil {
            try await repository.point(.shown, of: Self.byID(entry.envelope.id), to: entry.key)
        }
        if let place { try await take(Self.byPlace(place), for: entry) }
    }

    /// Gives an entry its place.
    ///
    /// Another runner may have shown one with the same key meanwhile; the later of both stays.
    private func take(_ place: String, for entry: InboxEntry) async throws(StoreFailure) {
        while true {
            let present = try await repository.storedPointer(.shown, of: place)
            if let other = present?.target, other != entry.key {
                let shown = try await repository.values.summary(other, in: repository.inbox)
                // Later entries have lesser keys.
                let isLater = shown != nil && other < entry.key
                _ = try await remove(key: isLater ? entry.key : other)
                if isLater { return }
            }
            let condition = present.map { StoreCondition.version($0.version) } ?? .absent
            let isTaken: Void? = try await nilOnConflict { () async throws(StoreFailure) in
                try await repository.point(.shown, of: place, to: entry.key, if: condition)
            }
            if isTaken != nil { return }
        }
    }

    private static func byID(_ id: String) -> String { "id/\(id)" }
    private static func byPlace(_ place: String) -> String { "key/\(place)" }

    /// Marks one as read, and as opened; false where there is none.
    func mark(_ id: String, isOpened: Bool, at now: Int64) async throws(StoreFailure) -> Bool {
        guard let stored = try await find(id) else { return false }
        let wasUnread = stored.summary.type == Self.unread
        guard var entry = InboxEntry(stored.bytes), wasUnread || (isOpened && entry.opened == nil) else { return true }
        if isOpened, entry.opened == nil { entry.opened = now }
        // Another process may have marked or removed it at the same time.
        _ = try await markRead(stored, entry.bytes, at: now)
        return true
    }

    /// False where another process has changed it meanwhile.
    private func markRead(_ stored: StoredEntry, _ bytes: [UInt8], at now: Int64) async throws(StoreFailure) -> Bool {
        let (summary, wasUnread) = (stored.summary, stored.summary.type == Self.unread)
        let left = summary.expires.map { Duration.milliseconds(max(1, $0 - now)) }
        let value = NewValue(bytes, type: Self.read, lifetime: left, isSealed: true)
        return try await nilOnConflict { () async throws(StoreFailure) in
            try await changing { () async throws(StoreFailure) in
                try await repository.values.put(
                    value,
                    under: summary.key,
                    in: repository.inbox,
                    if: .version(summary.version)
                )
            } counting: { _, count in
                count.own += 1
                if wasUnread { count.unread -= 1 }
            }
        } != nil
    }

    /// Marks all as read; returns how many were not.
    func markAll(at now: Int64) async throws(StoreFailure) -> Int {
        var (marked, last): (Int, String?) = (0, nil)
        while true {
            let page = try await repository.values.list(repository.inbox, prefix: "", after: last, limit: 500)
            for summary in page where summary.type == Self.unread {
                guard let stored = try await repository.values.entry(summary.key, in: repository.inbox) else {
                    continue
                }
                if try await markRead(stored, stored.bytes, at: now) { marked += 1 }
            }
            guard page.count == 500, let next = page.last?.key else { return marked }
            last = next
        }
    }

    /// Removes an entry; nil where there was none.
    func remove(_ id: String) async throws(StoreFailure) -> InboxEntry? {
        guard let stored = try await find(id) else { return nil }
        return try await remove(stored) ? InboxEntry(stored.bytes) : nil
    }

    private func remove(key: String) async throws(StoreFailure) -> Bool {
        guard let stored = try await repository.values.entry(key, in: repository.inbox) else { return false }
        return try await remove(stored)
    }

    private func remove(_ stored: StoredEntry) async throws(StoreFailure) -> Bool {
        try await changing { () async throws(StoreFailure) in
            try await repository.values.remove(stored.summary.key, in: repository.inbox, if: .always)
        } counting: { isRemoved, count in
            if isRemoved { count.own += 1 }
            if isRemoved, stored.summary.type == Self.unread { count.unread -= 1 }
        }
    }

    func cleared() {
        count.withLock { count in
            // A count in progress must notice this change.
            let (writers, changes) = (count.writers, count.changes + 1)
            count = Count(isGood: true)
            (count.writers, count.changes) = (writers, changes)
        }
    }

    /// Makes a change that a count in progress notices.
    private func changing<Result: Sendable>(
        _ change: () async throws(StoreFailure) -> Result,
        counting: (Result, inout Count) -> Void
    ) async throws(StoreFailure) -> Result {
        count.withLock { $0.writers += 1 }
        defer { count.withLock { ($0.writers, $0.changes) = ($0.writers - 1, $0.changes + 1) } }
        let result = try await change()
        count.withLock { counting(result, &$0) }
        return result
    }

    // MARK: Reading

    func entry(_ id: String) async throws(StoreFailure) -> (entry: InboxEntry, isRead: Bool)? {
        guard let stored = try await find(id), let entry = InboxEntry(stored.bytes) else { return nil }
        return (entry, stored.summary.type == Self.read)
    }

    /// A page of listed entries, latest first, and where the next begins; nil at the end.
    func page(after: String?, limit: Int, onlyUnread: Bool) async throws(StoreFailure)
        -> (entries: [(entry: InboxEntry, isRead: Bool)], next: String?)
    {
        var (entries, last): ([(InboxEntry, Bool)], String?) = ([], after)
        while true {
            let page = try await repository.values.list(repository.inbox, prefix: "", after: last, limit: 200)
            for summary in page {
                if entries.count == limit { return (entries, last) }
                last = summary.key
                let isRead = summary.type != Self.unread
                if onlyUnread, isRead { continue }
                guard let stored = try await repository.values.entry(summary.key, in: repository.inbox),
                    let entry = InboxEntry(stored.bytes), entry.isListed
                else { continue }
                entries.append((entry, isRead))
            }
            if page.count < 200 { return (entries, nil) }
        }
    }

    /// The number of unread entries.
    func unread(at now: Int64) async throws(StoreFailure) -> Int {
        let known = count.withLock { count -> Count? in
            // A doubtful count is repeated later: while entries change often, an immediate one would be doubtful too.
            let isDoubted = count.doubtedSince.map { !($0...$0 + 1_000).contains(now) } ?? false
            return count.isGood && !isDoubted && now < count.nextExpiry ?? .max ? count : nil
        }
        if let known, try await isCurrent(known) { return max(0, known.unread) }
        let changes = count.withLock(\.changes)
        let version = try await repository.values.changes(after: .max, in: repository.inbox, limit: 1).version
        var (unread, next, last): (Int, Int64?, String?) = (0, nil, nil)
        while true {
            let page = try await repository.values.list(repository.inbox, prefix: "", after: last, limit: 1_000)
            for summary in page {
                if summary.type == Self.unread { unread += 1 }
                if let expires = summary.expires { next = min(next ?? expires, expires) }
            }
            guard page.count == 1_000, let key = page.last?.key else { break }
            last = key
        }
        let counted = (unread, next)
        count.withLock { count in
            (count.unread, count.nextExpiry) = counted
            (count.version, count.own) = (version, 0)
            count.isGood = true
            count.doubtedSince = count.writers > 0 || count.changes != changes ? now : nil
        }
        return unread
    }

    /// Whether all changes since a count are this process's own.
    private func isCurrent(_ known: Count) async throws(StoreFailure) -> Bool {
        if known.doubtedSince != nil { return true }
        guard known.own <= Self.mostOwn else { return false }
        let news = try await repository.values.changes(
            after: known.version,
            in: repository.inbox,
            limit: known.own + 1
        )
        guard !news.hasGap, news.changes.count == known.own else { return false }
        count.withLock { count in
            guard count.writers == 0, count.changes == known.changes else { return }
            (count.version, count.own) = (news.version, 0)
        }
        return true
    }

    private static let mostOwn = 1_000

    // MARK: Keys

    /// The time of arrival is found in the queue or the results; the last shown update is stored.
    private func find(_ id: String) async throws(StoreFailure) -> StoredEntry? {
        if let key = try await repository.pointer(.shown, of: Self.byID(id)),
            let stored = try await repository.values.entry(key, in: repository.inbox)
        {
            return stored
        }
        var received: Int64?
        if let waiting = try await repository.work.find(id, in: repository.queue) {
            received = (try? NotificationEnvelope(waiting.payload))?.received
        } else if let ended = try await repository.work.outcome(of: id, in: repository.queue) {
            received = NotificationOutcome(ended.payload)?.received
        }
        guard let received else { return nil }
        return try await repository.values.entry(Self.key(id, received), in: repository.inbox)
    }
}

/// A shown notification, with everything that a tap needs.
struct InboxEntry: Sendable {
    var envelope: NotificationEnvelope
    var options: [PresentationOption]
    /// The buttons of the file shown with it.
    var buttons: [(name: String, label: String)]
    /// When it was shown and opened, in milliseconds since 1970.
    var shown: Int64
    var opened: Int64?
    /// Distinguishes entries of the same notification that several calls, or runners, would store; 0 for none.
    let mark: Int

    var key: String { NotificationInbox.key(envelope.id, envelope.received) }
    /// Whether the list contains it.
    var isListed: Bool { options.contains(.list) || options.contains(.badge) || options.contains(.banner) }

    func lifetime(_ rules: Inbox, at now: Int64) -> Duration {
        guard let expires = envelope.expires else { return rules.keep }
        return min(rules.keep, .milliseconds(max(1, expires - now)))
    }

    var bytes: [UInt8] {
        let buttons = buttons.map { button in
            JSONValue.members(["name": .string(button.name), "label": .string(button.label)])
        }
        let json = JSONValue.members([
            "notification": envelope.json, "options": .array(options.map { .string($0.rawValue) }),
            "buttons": .array(buttons), "shown": .integer(Int(shown)), "opened": opened.map { .integer(Int($0)) },
            "mark": .integer(mark),
        ])
        return json.bytes()
    }

    init(
        envelope: NotificationEnvelope,
        options: [PresentationOption],
        buttons: [(name: String, label: String)],
        shown: Int64
    ) {
        (self.envelope, self.options, self.buttons, self.shown) = (envelope, options, buttons, shown)
        mark = .random(in: 1..<1 << 53)
    }

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, named: "entry", limits: .notification),
            let inner = json["notification"],
            let envelope = try? NotificationEnvelope(inner.bytes())
        else { return nil }
        self.envelope = envelope
        options = (json["options"]?.array ?? []).compactMap { $0.string.flatMap(PresentationOption.init) }
        buttons = (json["buttons"]?.array ?? []).compactMap { button in
            guard let name = button["name"]?.string, let label = button["label"]?.string else { return nil }
            return (name, label)
        }
        shown = Int64(json["shown"]?.integer ?? 0)
        opened = json["opened"]?.integer.map { Int64($0) }
        mark = json["mark"]?.integer ?? 0
    }
}
