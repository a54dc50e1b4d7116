import WireBase
package import WireStore

extension SQLiteStore: WorkQueue {
    package func add(_ item: NewWork, to queue: String) async throws(StoreFailure) -> Bool {
        try check(name: queue, "queue")
        try check(key: item.id, "id")
        try check(key: item.lane, "lane")
        try check(size: item.payload.count, "payload")
        let place = Self.place(ofWork: item.id, in: queue)
        let payload = item.isSealed ? try sealer.seal(item.payload, for: place) : item.payload
        let desk = work(in: queue)
        return try await state.writer.write { connection throws(StoreFailure) in
            try desk.add(item, payload, to: &connection)
        }
    }

    package func claim(from queue: String, by owner: String, for lease: Duration) async throws(StoreFailure)
        -> ClaimedWork?
    {
        let desk = work(in: queue)
        let sealer = sealer
        return try await state.writer.write { connection throws(StoreFailure) in
            try desk.claim(by: owner, for: lease, from: &connection) { id, payload throws(StoreFailure) in
                try sealer.open(payload, for: Self.place(ofWork: id, in: queue))
            }
        }
    }

    package func extend(_ claim: ClaimedWork, by lease: Duration) async throws(StoreFailure) -> Bool {
        let desk = work(in: claim.queue)
        return try await state.writer.write { connection throws(StoreFailure) in
            try desk.extend(claim, by: lease, in: &connection)
        }
    }

    package func complete(_ claim: ClaimedWork) async throws(StoreFailure) -> Bool {
        let desk = work(in: claim.queue)
        return try await state.writer.write { connection throws(StoreFailure) in
            try desk.complete(claim, in: &connection)
        }
    }

    package func giveBack(_ claim: ClaimedWork, after delay: Duration, because reason: String)
        async throws(StoreFailure) -> Bool
    {
        let desk = work(in: claim.queue)
        return try await state.writer.write { connection throws(StoreFailure) in
            try desk.giveBack(claim, after: delay, because: reason, in: &connection)
        }
    }

    package func drop(_ id: String, from queue: String) async throws(StoreFailure) -> Bool {
        let desk = work(in: queue)
        return try await state.writer.write { connection throws(StoreFailure) in
            try desk.drop(id, in: &connection)
        }
    }

    package func list(_ queue: String, after: Int64?, limit: Int) throws(StoreFailure) -> [WaitingWork] {
        let uptime = clock.uptime()
        return try state.read { connection throws(StoreFailure) in
            var rows = try connection.statement(
                """
                SELECT position, id, lane, attempts, size, added, due, owner IS NOT NULL AND ready > ?1, reason
                FROM work WHERE queue = ?2 AND position > ?3 ORDER BY position LIMIT ?4
                """
            )
            rows.bind(uptime)
            rows.bind(queue)
            rows.bind(after ?? 0)
            rows.bind(max(0, limit))
            var found: [WaitingWork] = []
            while try rows.step() {
                found.append(
                    WaitingWork(
                        position: rows.integer(0),
                        id: rows.text(1),
                        lane: rows.text(2),
                        attempts: Int(rows.integer(3)),
                        size: Int(rows.integer(4)),
                        added: rows.integer(5),
                        due: rows.integer(6),
                        isClaimed: rows.flag(7),
                        lastReason: rows.optionalText(8)
                    )
                )
            }
            return found
        }
    }

    package func nextDue(in queue: String) throws(StoreFailure) -> Duration? {
        let uptime = clock.uptime()
        return try state.read { connection throws(StoreFailure) in
            var row = try connection.statement("SELECT min(ready) FROM work WHERE queue = ? AND is_first")
            row.bind(queue)
            guard try row.step(), let ready = row.optionalInteger(0) else { return nil }
            return .milliseconds(max(0, ready - uptime))
        }
    }

    package func due(in queue: String) async throws(StoreFailure) {
        try await changes.wait { () throws(StoreFailure) -> Changes.Look<Void> in
            let pause = try nextDue(in: queue)
            return pause == .zero ? .found(()) : .nothing(again: pause ?? .seconds(2))
        }
    }

    private func work(in queue: String) -> WorkDesk { WorkDesk(queue: queue, clock: clock, limits: limits) }

    static func place(ofWork id: String, in queue: String) -> String {
        "work \(queue.utf8.count) \(queue) \(id)"
    }
}
