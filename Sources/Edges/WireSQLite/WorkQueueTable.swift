import WireBase
import WireStore

/// The changes to the items of a queue, in a transaction of the writer.
struct WorkQueueTable: Sendable {
    let queue: String
    let clock: StoreClock
    let limits: StoreLimits
    let sealer: any Sealer
    /// The owner of claims made here.
    let owner: Int64

    /// The stored bytes of an item.
    struct Sealed: Sendable {
        let head: [UInt8]
        let payload: [UInt8]
        /// The checksum, where the bytes are not sealed.
        let sum: Int64?
    }

    static func sum(of id: String, in queue: String, _ head: [UInt8], _ payload: [UInt8]) -> Int64 {
        Checksum.of([SealedPart.work.place(of: id, in: queue)], [head, payload])
    }

    func add(
        _ item: NewWork,
        _ bytes: Sealed,
        within quota: QueueQuota,
        to connection: inout Connection
    ) throws(StoreFailure) -> AddedWork {
        let uptime = clock.uptime()
        guard try !isKnown(item.id, at: uptime, in: &connection) else { return AddedWork(isNew: false) }
        let weight = Int64(item.id.utf8.count + item.metadata.count + item.payload.count)
        try quota.check(weight, fits: queue, limits)
        var removed: [RemovedWork] = []
        if quota.replacesFormer { removed = try replace(item, quota, at: uptime, in: &connection) }
        var sums = try grow(by: 1, weight, numbers: 0, in: &connection)
        while let full = full(sums, quota) {
            guard quota.removesOldest, let victim = try oldest(at: uptime, in: &connection) else { throw full }
            removed += try end(victim, quota, in: &connection)
            sums = try grow(by: 0, 0, numbers: 0, in: &connection)
        }
        try insert(item, bytes, at: uptime, into: &connection)
        return AddedWork(isNew: true, removed: removed)
    }

    private func insert(
        _ item: NewWork,
        _ bytes: Sealed,
        at uptime: Int64,
        into connection: inout Connection
    ) throws(StoreFailure) {
        var row = try connection.statement(
            """
            INSERT INTO work(queue, id, lane, kind, is_first, ready, due, delay, added, born, fence, attempts, size, sealed,
                head, payload, sum)
            VALUES (?1, ?2, ?3, ?4, NOT EXISTS(SELECT 1 FROM work WHERE queue = ?1 AND lane = ?3), ?5, ?6, ?7, ?8, ?9, 0, 0,
                ?10, ?11, ?12, ?13, ?14)
            """
        )
        let now = clock.now()
        let delay = item.delay.milliseconds
        row.bind(queue)
        row.bind(item.id)
        row.bind(item.lane)
        row.bind(item.kind)
        row.bind(uptime + delay)
        row.bind(now + delay)
        row.bind(delay)
        row.bind(now)
        row.bind(uptime)
        row.bind(item.metadata.count + item.payload.count)
        row.bind(item.isSealed)
        row.bind(bytes.head)
        row.bind(bytes.payload)
        row.bind(bytes.sum)
        try row.run()
    }

    private func isKnown(_ id: String, at uptime: Int64, in connection: inout Connection) throws(StoreFailure) -> Bool {
        var row = try connection.statement(
            """
            SELECT EXISTS(SELECT 1 FROM work WHERE queue = ?1 AND id = ?2)
                OR EXISTS(SELECT 1 FROM done WHERE queue = ?1 AND id = ?2 AND forget > ?3)
            """
        )
        row.bind(queue)
        row.bind(id)
        row.bind(uptime)
        return try row.number() == 1
    }

    // MARK: Limits

    private func full(_ sums: Sums, _ quota: QueueQuota) -> StoreFailure? {
        if sums.bytes > Int64(quota.size(limits).bytes) {
            return quota.tooLarge(in: queue, wouldHold: sums.bytes, limits)
        }
        if let most = quota.entries, sums.entries > Int64(most) { return quota.tooMany(in: queue) }
        return nil
    }

    /// Returns the oldest item that is not claimed.
    private func oldest(at uptime: Int64, in connection: inout Connection) throws(StoreFailure) -> String? {
        var row = try connection.statement(
            """
            SELECT id FROM work WHERE queue = ? AND (owner IS NULL OR ready <= ?) ORDER BY position LIMIT 1
            """
        )
        row.bind(queue)
        row.bind(uptime)
        return try row.step() ? row.text(0) : nil
    }

    private func replace(
        _ item: NewWork,
        _ quota: QueueQuota,
        at uptime: Int64,
        in connection: inout Connection
    ) throws(StoreFailure) -> [RemovedWork] {
        var former: [String] = []
        do {
            var rows = try connection.statement(
                """
                SELECT id FROM work WHERE queue = ? AND lane = ? AND kind = ? AND (owner IS NULL OR ready <= ?)
                ORDER BY position
                """
            )
            rows.bind(queue)
            rows.bind(item.lane)
            rows.bind(item.kind)
            rows.bind(uptime)
            while try rows.step() { former.append(rows.text(0)) }
        }
        var removed: [RemovedWork] = []
        for id in former { removed += try end(id, quota, in: &connection) }
        return removed
    }

    private func end(_ id: String, _ quota: QueueQuota, in connection: inout Connection) throws(StoreFailure)
        -> [RemovedWork]
    {
        try remove(id, leaving: quota.leaving, from: &connection).map { [$0] } ?? []
    }

    // MARK: Sums

    struct Sums {
        var entries: Int64 = 0
        var bytes: Int64 = 0
        /// The last number assigned in the queue.
        var number: Int64 = 0
    }

    /// Updates the usage of the queue and reserves numbers.
    func grow(
        by entries: Int64,
        _ bytes: Int64,
        numbers: Int64,
        in connection: inout Connection
    ) throws(StoreFailure) -> Sums {
        var row = try connection.statement(
            """
            INSERT INTO queues(name, entries, bytes, number) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes,
                number = number + excluded.number
            RETURNING entries, bytes, number
            """
        )
        row.bind(queue)
        row.bind(entries)
        row.bind(bytes)
        row.bind(numbers)
        var sums = Sums()
        while try row.step() {
            sums = Sums(entries: row.integer(0), bytes: row.integer(1), number: row.integer(2))
        }
        return sums
    }
}
