import WireBase
import WireStore

/// Claiming, extending and ending items.
extension WorkQueueTable {
    // MARK: Claiming

    func claim(_ claimRequest: ClaimRequest, from connection: inout Connection) throws(StoreFailure) -> [ClaimedWork] {
        guard claimRequest.count > 0 || !claimRequest.named.isEmpty else { return [] }
        let uptime = clock.uptime()
        let found = try next(claimRequest, at: uptime, in: &connection)
        guard !found.isEmpty else { return [] }
        let last = try grow(by: 0, 0, numbers: Int64(found.count), in: &connection).number
        var fence = last - Int64(found.count)
        var claims: [ClaimedWork] = []
        for item in found {
            fence += 1
            try take(item, claimRequest, fence, at: uptime, in: &connection)
            claims.append(
                ClaimedWork(
                    queue: queue,
                    position: item.position,
                    id: item.id,
                    lane: item.lane,
                    kind: item.kind,
                    metadata: item.head,
                    payload: item.payload,
                    attempts: item.attempts,
                    added: item.added,
                    age: .milliseconds(max(0, uptime - item.born)),
                    fence: fence,
                    owner: owner
                )
            )
        }
        return claims
    }

    private struct Next {
        let position: Int64
        let id, lane, kind: String
        let head, payload: [UInt8]
        let attempts: Int
        let added, born: Int64
    }

    private func next(_ claimRequest: ClaimRequest, at uptime: Int64, in connection: inout Connection)
        throws(StoreFailure)
        -> [Next]
    {
        var found = Found()
        let kinds = claimRequest.kinds
        for name in claimRequest.named {
            var rows = try connection.statement(Self.claimableByName)
            rows.bind(queue)
            rows.bind(uptime)
            rows.bind(name)
            if try rows.step(), kinds?.contains(rows.text(3)) ?? true { read(&rows, into: &found) }
        }
        found.sort()
        guard claimRequest.count > 0 else { return try found.items() }
        var rows = try connection.statement(Self.claimableByTime)
        rows.bind(queue)
        rows.bind(uptime)
        let names = Set(claimRequest.named)
        var left = claimRequest.count
        while left > 0, try rows.step() {
            // Items found by name are skipped here.
            if !names.isEmpty, names.contains(rows.text(1)) { continue }
            if let kinds, !kinds.contains(rows.text(3)) { continue }
            if read(&rows, into: &found) { left -= 1 }
        }
        return try found.items()
    }

    private static let claimableByTime: StaticString = """
        SELECT position, id, lane, kind, sealed, head, payload, attempts, added, born, sum FROM work
        WHERE queue = ?1 AND is_first AND ready <= ?2
            AND NOT EXISTS(SELECT 1 FROM pauses WHERE pauses.queue = ?1 AND pauses.lane IN ('', work.lane))
            AND NOT EXISTS(SELECT 1 FROM holds WHERE holds.queue = ?1 AND holds.until > ?2)
        ORDER BY ready, position
        """

    private static let claimableByName: StaticString = """
        SELECT position, id, lane, kind, sealed, head, payload, attempts, added, born, sum FROM work
        WHERE queue = ?1 AND is_first AND ready <= ?2 AND id = ?3
            AND NOT EXISTS(SELECT 1 FROM pauses WHERE pauses.queue = ?1 AND pauses.lane IN ('', work.lane))
            AND NOT EXISTS(SELECT 1 FROM holds WHERE holds.queue = ?1 AND holds.until > ?2)
        """

    private struct Found {
        private var all: [Next] = []
        private var failure: StoreFailure?

        mutating func add(_ item: Next) { all.append(item) }
        mutating func note(_ failure: StoreFailure) { self.failure = failure }
        /// Sorts by the order of addition, whatever the order of the names.
        mutating func sort() { all.sort { $0.position < $1.position } }

        /// Returns the items without those that cannot be opened; throws if no other is left.
        func items() throws(StoreFailure) -> [Next] {
            if let failure, all.isEmpty { throw failure }
            return all
        }
    }

    /// Opens an item; returns whether that was possible.
    @discardableResult
    private func read(_ rows: inout Statement, into found: inout Found) -> Bool {
        let (id, isSealed) = (rows.text(1), rows.flag(4))
        do throws(StoreFailure) {
            if let sum = rows.optionalInteger(10), sum != Self.sum(of: id, in: queue, rows.bytes(5), rows.bytes(6)) {
                throw .damaged("the item \(id.quoted) of the queue '\(queue)'")
            }
            found.add(
                Next(
                    position: rows.integer(0),
                    id: id,
                    lane: rows.text(2),
                    kind: rows.text(3),
                    head: try open(rows.bytes(5), isSealed, for: SealedPart.head.place(of: id, in: queue)),
                    payload: isSealed
                        ? try sealer.open(rows.bytes(6), for: SealedPart.work.place(of: id, in: queue)) : rows.bytes(6),
                    attempts: Int(rows.integer(7)),
                    added: rows.integer(8),
                    born: rows.integer(9)
                )
            )
            return true
        } catch {
            found.note(error)
            return false
        }
    }

    private func take(
        _ item: Next,
        _ claimRequest: ClaimRequest,
        _ fence: Int64,
        at uptime: Int64,
        in connection: inout Connection
    ) throws(StoreFailure) {
        var row = try connection.statement(
            """
            UPDATE work SET owner = ?, fence = ?, attempts = attempts + 1, ready = ?, due = ?, delay = ?, awaits = NULL
            WHERE position = ?
            """
        )
        let time = claimRequest.lease.milliseconds
        row.bind(owner)
        row.bind(fence)
        row.bind(uptime + time)
        row.bind(clock.now() + time)
        row.bind(time)
        row.bind(item.position)
        try row.run()
    }

    // MARK: Extending

    func extend(_ claim: ClaimedWork, by lease: Duration, in connection: inout Connection) throws(StoreFailure) -> Bool
    {
        var row = try connection.statement(
            """
            UPDATE work SET ready = ?, due = ?, delay = ? WHERE queue = ? AND id = ? AND fence = ? AND owner = ?
            """
        )
        let time = lease.milliseconds
        row.bind(clock.uptime() + time)
        row.bind(clock.now() + time)
        row.bind(time)
        row.bind(queue)
        row.bind(claim.id)
        row.bind(claim.fence)
        row.bind(claim.owner)
        let before = connection.changes
        try row.run()
        return connection.changes > before
    }

    // MARK: Ending

    /// Ends an item; returns whether the claim was still held.
    func end(_ ending: WorkEnding, in connection: inout Connection) throws(StoreFailure) -> Bool {
        switch ending.end {
        case .later(let delay): return try giveBack(ending.claim, delay, in: &connection)
        case .done(let outcome):
            let removed = try remove(ending.claim.id, of: ending.claim, from: &connection)
            guard removed != nil else { return false }
            try remember(ending.claim.id, outcome ?? WorkOutcome([]), in: &connection)
            return true
        }
    }

    private func giveBack(_ claim: ClaimedWork, _ delay: WorkDelay, in connection: inout Connection)
        throws(StoreFailure) -> Bool
    {
        var row = try connection.statement(
            """
            UPDATE work SET ready = ?, due = ?, delay = ?, owner = NULL, reason = ?, awaits = ?, attempts = attempts - ?
            WHERE queue = ? AND id = ? AND fence = ? AND owner = ?
            """
        )
        let time = delay.time.milliseconds
        row.bind(clock.uptime() + time)
        row.bind(clock.now() + time)
        row.bind(time)
        row.bind(delay.reason)
        row.bind(delay.awaits)
        row.bind(!delay.isAttempt)
        row.bind(queue)
        row.bind(claim.id)
        row.bind(claim.fence)
        row.bind(claim.owner)
        let before = connection.changes
        try row.run()
        return connection.changes > before
    }

    /// Ends an item, whether claimed or not.
    func remove(_ id: String, leaving outcome: WorkOutcome?, from connection: inout Connection) throws(StoreFailure)
        -> RemovedWork?
    {
        guard let removed = try remove(id, of: nil, from: &connection) else { return nil }
        if let outcome { try remember(id, outcome, in: &connection) }
        return removed
    }

    /// Removes an item, either in any case or only for its last claimant, and releases the next of its lane.
    private func remove(
        _ id: String,
        of claim: ClaimedWork?,
        from connection: inout Connection
    ) throws(StoreFailure) -> RemovedWork? {
        let removed: RemovedWork
        let weight: Int64
        do {
            var row = try connection.statement(
                """
                DELETE FROM work WHERE queue = ?1 AND id = ?2 AND (?3 IS NULL OR (fence = ?3 AND owner = ?4))
                RETURNING lane, kind, size, sealed, iif(?3 IS NULL, head, x''), attempts, added
                """
            )
            row.bind(queue)
            row.bind(id)
            row.bind(claim?.fence)
            row.bind(claim?.owner)
            guard try row.step() else { return nil }
            removed = RemovedWork(
                id: id,
                lane: row.text(0),
                kind: row.text(1),
                metadata: try? open(row.bytes(4), row.flag(3), for: SealedPart.head.place(of: id, in: queue)),
                attempts: Int(row.integer(5)),
                added: row.integer(6)
            )
            weight = row.integer(2) + Int64(id.utf8.count)
            while try row.step() {}
        }
        try markFirst(of: removed.lane, in: &connection)
        _ = try grow(by: -1, -weight, numbers: 0, in: &connection)
        return removed
    }

    /// Makes the next item of a lane claimable once the first has left.
    func markFirst(of lane: String, in connection: inout Connection) throws(StoreFailure) {
        var next = try connection.statement(
            """
            UPDATE work SET is_first = 1
            WHERE position = (SELECT min(position) FROM work WHERE queue = ?1 AND lane = ?2) AND NOT is_first
            """
        )
        next.bind(queue)
        next.bind(lane)
        try next.run()
    }

    private func remember(_ id: String, _ outcome: WorkOutcome, in connection: inout Connection) throws(StoreFailure) {
        let uptime = clock.uptime()
        try forgetDone(at: uptime, in: &connection)
        let kept = (outcome.kept ?? limits.doneKept).milliseconds
        guard kept > 0 else { return }
        let now = clock.now()
        let note =
            outcome.payload.isEmpty
            ? [] : try sealer.seal(outcome.payload, for: SealedPart.note.place(of: id, in: queue))
        var row = try connection.statement(
            "INSERT OR REPLACE INTO done(queue, id, forget, until, kept, ended, note) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        row.bind(queue)
        row.bind(id)
        row.bind(uptime + kept)
        row.bind(now + kept)
        row.bind(kept)
        row.bind(now)
        row.bind(note)
        try row.run()
    }

    /// Deletes some records of ended work, more than are added at the same time.
    private func forgetDone(at uptime: Int64, in connection: inout Connection) throws(StoreFailure) {
        var rows = try connection.statement(
            "DELETE FROM done WHERE number IN (SELECT number FROM done WHERE forget <= ? LIMIT 8)"
        )
        rows.bind(uptime)
        try rows.run()
    }

    // MARK: Sealing

    private func open(_ bytes: [UInt8], _ isSealed: Bool, for place: String) throws(StoreFailure) -> [UInt8] {
        isSealed && !bytes.isEmpty ? try sealer.open(bytes, for: place) : bytes
    }
}
