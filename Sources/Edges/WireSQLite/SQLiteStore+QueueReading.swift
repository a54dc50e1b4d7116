import WireBase
package import WireStore

/// Reads waiting and ended work.
extension SQLiteStore {
    package func list(_ queue: String, lane: String?, after: Int64?, limit: Int) throws(StoreFailure) -> [WaitingWork] {
        let uptime = clock.uptime()
        return try state.read { connection throws(StoreFailure) in
            var rows: Statement
            if let lane {
                rows = try connection.statement(
                    """
                    SELECT position, id, lane, kind, attempts, size, added, due, born, ready,
                        owner IS NOT NULL, is_first, reason, awaits, sealed, head
                    FROM work WHERE queue = ?1 AND position > ?2 AND lane = ?4 ORDER BY position LIMIT ?3
                    """
                )
                bind(queue, after, limit, to: &rows)
                rows.bind(lane)
            } else {
                rows = try connection.statement(
                    """
                    SELECT position, id, lane, kind, attempts, size, added, due, born, ready,
                        owner IS NOT NULL, is_first, reason, awaits, sealed, head
                    FROM work WHERE queue = ?1 AND position > ?2 ORDER BY position LIMIT ?3
                    """
                )
                bind(queue, after, limit, to: &rows)
            }
            var found: [WaitingWork] = []
            while try rows.step() { found.append(waiting(rows, in: queue, at: uptime)) }
            return found
        }
    }

    private func bind(_ queue: String, _ after: Int64?, _ limit: Int, to rows: inout Statement) {
        rows.bind(queue)
        rows.bind(after ?? 0)
        rows.bind(max(0, limit))
    }

    package func find(_ id: String, in queue: String) throws(StoreFailure) -> (item: WaitingWork, payload: [UInt8])? {
        let uptime = clock.uptime()
        return try state.read { connection throws(StoreFailure) in
            var row = try connection.statement(
                """
                SELECT position, id, lane, kind, attempts, size, added, due, born, ready,
                    owner IS NOT NULL, is_first, reason, awaits, sealed, head, payload, sum
                FROM work WHERE queue = ?1 AND id = ?2
                """
            )
            row.bind(queue)
            row.bind(id)
            guard try row.step() else { return nil }
            if let sum = row.optionalInteger(17),
                sum != WorkQueueTable.sum(of: id, in: queue, row.bytes(15), row.bytes(16))
            {
                throw .damaged("the item \(id.quoted) of the queue '\(queue)'")
            }
            let place = SealedPart.work.place(of: id, in: queue)
            let payload = row.flag(14) ? try sealer.open(row.bytes(16), for: place) : row.bytes(16)
            return (waiting(row, in: queue, at: uptime), payload)
        }
    }

    private func waiting(_ row: borrowing Statement, in queue: String, at uptime: Int64) -> WaitingWork {
        let (id, head) = (row.text(1), row.bytes(15))
        let isSealed = row.flag(14) && !head.isEmpty
        let (hasOwner, wait) = (row.flag(10), max(0, row.integer(9) - uptime))
        return WaitingWork(
            position: row.integer(0),
            id: id,
            lane: row.text(2),
            kind: row.text(3),
            metadata: isSealed ? try? sealer.open(head, for: SealedPart.head.place(of: id, in: queue)) : head,
            attempts: Int(row.integer(4)),
            size: Int(row.integer(5)),
            added: row.integer(6),
            due: row.integer(7),
            age: .milliseconds(max(0, uptime - row.integer(8))),
            wait: .milliseconds(wait),
            isClaimed: hasOwner && wait > 0,
            isLost: hasOwner && wait == 0,
            isFirst: row.flag(11),
            lastReason: row.optionalText(12),
            awaits: row.optionalText(13)
        )
    }

    package func outcome(of id: String, in queue: String) throws(StoreFailure) -> EndedWork? {
        let uptime = clock.uptime()
        return try state.read { connection throws(StoreFailure) in
            var row = try connection.statement(
                "SELECT note, ended FROM done WHERE queue = ? AND id = ? AND forget > ?"
            )
            row.bind(queue)
            row.bind(id)
            row.bind(uptime)
            guard try row.step() else { return nil }
            let note = row.bytes(0)
            let place = SealedPart.note.place(of: id, in: queue)
            return EndedWork(payload: note.isEmpty ? [] : try sealer.open(note, for: place), ended: row.integer(1))
        }
    }

    package func usage(ofQueue queue: String) throws(StoreFailure) -> WorkUsage {
        let uptime = clock.uptime()
        return try state.snapshot { connection throws(StoreFailure) in
            var sums = try connection.statement("SELECT entries, bytes FROM queues WHERE name = ?")
            sums.bind(queue)
            guard try sums.step() else { return WorkUsage(entries: 0, size: .bytes(0), oldest: nil) }
            var oldest = try connection.statement(
                "SELECT born FROM work WHERE queue = ? ORDER BY position LIMIT 1"
            )
            oldest.bind(queue)
            return WorkUsage(
                entries: Int(sums.integer(0)),
                size: .bytes(Int(sums.integer(1))),
                oldest: try oldest.number().map { .milliseconds(max(0, uptime - $0)) }
            )
        }
    }

    package func pauses(of queue: String) throws(StoreFailure) -> WorkPauses {
        let uptime = clock.uptime()
        return try state.read { connection throws(StoreFailure) in
            var rows = try connection.statement("SELECT lane FROM pauses WHERE queue = ? ORDER BY lane")
            rows.bind(queue)
            var lanes: [String] = []
            while try rows.step() { lanes.append(rows.text(0)) }
            var holds = try connection.statement(
                "SELECT EXISTS(SELECT 1 FROM holds WHERE queue = ? AND owner <> ? AND until > ?)"
            )
            holds.bind(queue)
            holds.bind(owner)
            holds.bind(uptime)
            return WorkPauses(
                isWhole: lanes.contains(""),
                lanes: lanes.filter { !$0.isEmpty },
                isHeld: try holds.number() == 1
            )
        }
    }
}
