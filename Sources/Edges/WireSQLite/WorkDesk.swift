import WireBase
import WireStore

/// What is done with the items of a queue, inside a transaction of the writer.
struct WorkDesk: Sendable {
    let queue: String
    let clock: StoreClock
    let limits: StoreLimits

    func add(_ item: NewWork, _ payload: [UInt8], to connection: inout Connection) throws(StoreFailure) -> Bool {
        let uptime = clock.uptime()
        try forgetDone(at: uptime, in: &connection)
        guard try !isKnown(item.id, at: uptime, in: &connection) else { return false }
        let weight = Int64(item.id.utf8.count + item.payload.count)
        let position = try grow(by: 1, weight, numbers: 1, in: &connection)
        var row = try connection.statement(
            """
            INSERT INTO work(position, queue, id, lane, is_first, ready, due, delay, added, fence, attempts, size, sealed,
                payload)
            VALUES (?1, ?2, ?3, ?4, NOT EXISTS(SELECT 1 FROM work WHERE queue = ?2 AND lane = ?4), ?5, ?6, ?7, ?8, 0, 0,
                ?9, ?10, ?11)
            """
        )
        let now = clock.now()
        let delay = item.delay.milliseconds
        row.bind(position)
        row.bind(queue)
        row.bind(item.id)
        row.bind(item.lane)
        row.bind(uptime + delay)
        row.bind(now + delay)
        row.bind(delay)
        row.bind(now)
        row.bind(item.payload.count)
        row.bind(item.isSealed)
        row.bind(payload)
        try row.run()
        return true
    }

    func claim(
        by owner: String,
        for lease: Duration,
        from connection: inout Connection,
        opening open: (String, [UInt8]) throws(StoreFailure) -> [UInt8]
    ) throws(StoreFailure) -> ClaimedWork? {
        let uptime = clock.uptime()
        guard let (position, work) = try next(at: uptime, in: &connection, opening: open) else { return nil }
        let fence = try grow(by: 0, 0, numbers: 1, in: &connection)
        var row = try connection.statement(
            """
            UPDATE work SET owner = ?, fence = ?, attempts = attempts + 1, ready = ?, due = ?, delay = ? WHERE position = ?
            """
        )
        let time = lease.milliseconds
        row.bind(owner)
        row.bind(fence)
        row.bind(uptime + time)
        row.bind(clock.now() + time)
        row.bind(time)
        row.bind(position)
        try row.run()
        return ClaimedWork(
            queue: queue,
            id: work.id,
            lane: work.lane,
            payload: work.payload,
            attempts: work.attempts,
            fence: fence
        )
    }

    private typealias Next = (position: Int64, work: (id: String, lane: String, payload: [UInt8], attempts: Int))

    private func next(
        at uptime: Int64,
        in connection: inout Connection,
        opening open: (String, [UInt8]) throws(StoreFailure) -> [UInt8]
    ) throws(StoreFailure) -> Next? {
        var rows = try connection.statement(
            """
            SELECT position, id, lane, payload, attempts, sealed FROM work
            WHERE queue = ? AND is_first AND ready <= ? ORDER BY ready, position
            """
        )
        rows.bind(queue)
        rows.bind(uptime)
        var failure: StoreFailure?
        while try rows.step() {
            let id = rows.text(1)
            do throws(StoreFailure) {
                let payload = rows.flag(5) ? try open(id, rows.bytes(3)) : rows.bytes(3)
                return (rows.integer(0), (id, rows.text(2), payload, Int(rows.integer(4))))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return nil
    }

    func extend(
        _ claim: ClaimedWork,
        by lease: Duration,
        in connection: inout Connection
    ) throws(StoreFailure) -> Bool {
        try change(claim, givingBack: nil, readyAfter: lease, in: &connection)
    }

    func giveBack(
        _ claim: ClaimedWork,
        after delay: Duration,
        because reason: String,
        in connection: inout Connection
    ) throws(StoreFailure) -> Bool {
        try change(claim, givingBack: reason, readyAfter: delay, in: &connection)
    }

    /// Keeps a claim for longer, or, with a reason, ends it.
    ///
    /// The times are those of `ready` and `due` in either case: the end of the lease, the end of the delay.
    private func change(
        _ claim: ClaimedWork,
        givingBack reason: String?,
        readyAfter delay: Duration,
        in connection: inout Connection
    ) throws(StoreFailure) -> Bool {
        var row = try connection.statement(
            """
            UPDATE work SET ready = ?1, due = ?2, delay = ?3, owner = iif(?4, NULL, owner), reason = iif(?4, ?5, reason)
            WHERE queue = ?6 AND id = ?7 AND fence = ?8 AND owner IS NOT NULL
            """
        )
        let time = delay.milliseconds
        row.bind(clock.uptime() + time)
        row.bind(clock.now() + time)
        row.bind(time)
        row.bind(reason != nil)
        row.bind(reason)
        row.bind(queue)
        row.bind(claim.id)
        row.bind(claim.fence)
        let before = connection.changes
        try row.run()
        return connection.changes > before
    }

    func complete(_ claim: ClaimedWork, in connection: inout Connection) throws(StoreFailure) -> Bool {
        guard try remove(claim.id, ofFence: claim.fence, from: &connection) else { return false }
        let kept = limits.doneKept.milliseconds
        guard kept > 0 else { return true }
        var row = try connection.statement(
            "INSERT OR REPLACE INTO done(queue, id, forget, until) VALUES (?, ?, ?, ?)"
        )
        row.bind(queue)
        row.bind(claim.id)
        row.bind(clock.uptime() + kept)
        row.bind(clock.now() + kept)
        try row.run()
        return true
    }

    func drop(_ id: String, in connection: inout Connection) throws(StoreFailure) -> Bool {
        try remove(id, ofFence: nil, from: &connection)
    }

    /// Removes an item, whoever has it or only for the one who claimed it last, and lets the next of its lane go on.
    private func remove(
        _ id: String,
        ofFence fence: Int64?,
        from connection: inout Connection
    ) throws(StoreFailure) -> Bool {
        let (lane, weight): (String, Int64)
        do {
            var row = try connection.statement(
                """
                DELETE FROM work WHERE queue = ?1 AND id = ?2 AND (?3 IS NULL OR (fence = ?3 AND owner IS NOT NULL))
                RETURNING lane, size
                """
            )
            row.bind(queue)
            row.bind(id)
            row.bind(fence)
            guard try row.step() else { return false }
            (lane, weight) = (row.text(0), row.integer(1) + Int64(id.utf8.count))
            while try row.step() {}
        }
        var next = try connection.statement(
            """
            UPDATE work SET is_first = 1
            WHERE position = (SELECT min(position) FROM work WHERE queue = ?1 AND lane = ?2) AND NOT is_first
            """
        )
        next.bind(queue)
        next.bind(lane)
        try next.run()
        _ = try grow(by: -1, -weight, numbers: 0, in: &connection)
        return true
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

    /// Forgets some of what was done long ago, more than one comes to be done meanwhile.
    private func forgetDone(at uptime: Int64, in connection: inout Connection) throws(StoreFailure) {
        var rows = try connection.statement(
            "DELETE FROM done WHERE (queue, id) IN (SELECT queue, id FROM done WHERE forget <= ? LIMIT 8)"
        )
        rows.bind(uptime)
        try rows.run()
    }

    /// Keeps the sums of the queue, and returns the last of the numbers of the store, after taking so many.
    private func grow(
        by entries: Int64,
        _ bytes: Int64,
        numbers: Int64,
        in connection: inout Connection
    ) throws(StoreFailure) -> Int64 {
        if bytes > 0 {
            var row = try connection.statement("SELECT bytes FROM queues WHERE name = ?")
            row.bind(queue)
            let held = try row.number() ?? 0
            guard held + bytes <= Int64(limits.queueSize.bytes) else {
                throw StoreFailure(
                    .full,
                    "the queue '\(queue)' may hold \(limits.queueSize), and would hold \(held + bytes) bytes"
                )
            }
        }
        var rows = try connection.statement(
            """
            INSERT INTO queues(name, entries, bytes, number) VALUES (?1, ?2, ?3, 0), ('', ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes,
                number = number + excluded.number
            RETURNING number
            """
        )
        rows.bind(queue)
        rows.bind(entries)
        rows.bind(bytes)
        rows.bind(numbers)
        var number: Int64 = 0
        while try rows.step() { number = rows.integer(0) }
        return number
    }
}
