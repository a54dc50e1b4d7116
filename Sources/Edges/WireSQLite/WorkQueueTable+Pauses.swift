import WireBase
import WireStore

/// Pausing and resuming items.
extension WorkQueueTable {
    func expedite(_ which: WorkExpediting, in connection: inout Connection) throws(StoreFailure) -> Int {
        let before = connection.changes
        var rows: Statement
        let name: String
        switch which {
        case .item(let id):
            rows = try connection.statement(
                """
                UPDATE work SET ready = ?1, due = ?2, delay = 0, awaits = NULL
                WHERE queue = ?3 AND id = ?4 AND owner IS NULL AND ready > ?1
                """
            )
            name = id
        case .awaiting(let what):
            rows = try connection.statement(
                """
                UPDATE work SET ready = ?1, due = ?2, delay = 0, awaits = NULL
                WHERE queue = ?3 AND is_first AND owner IS NULL AND ready > ?1 AND awaits = ?4
                """
            )
            name = what
        case .all(let exception):
            rows = try connection.statement(
                """
                UPDATE work SET ready = ?1, due = ?2, delay = 0, awaits = NULL
                WHERE queue = ?3 AND is_first AND owner IS NULL AND ready > ?1 AND awaits IS NOT ?4
                """
            )
            name = exception
        }
        rows.bind(clock.uptime())
        rows.bind(clock.now())
        rows.bind(queue)
        rows.bind(name)
        try rows.run()
        return Int(connection.changes - before)
    }

    func move(_ id: String, to lane: String, in connection: inout Connection) throws(StoreFailure) -> MovedWork? {
        let former: String
        do {
            var row = try connection.statement(
                "SELECT lane, owner IS NOT NULL AND ready > ? FROM work WHERE queue = ? AND id = ?"
            )
            row.bind(clock.uptime())
            row.bind(queue)
            row.bind(id)
            guard try row.step() else { return nil }
            former = row.text(0)
            if row.flag(1) { return .claimed }
        }
        guard former != lane else { return .moved(from: nil) }
        var row = try connection.statement(
            """
            UPDATE work SET lane = ?3, position = (SELECT max(position) + 1 FROM work),
                is_first = NOT EXISTS(SELECT 1 FROM work AS other WHERE other.queue = ?1 AND other.lane = ?3)
            WHERE queue = ?1 AND id = ?2
            """
        )
        row.bind(queue)
        row.bind(id)
        row.bind(lane)
        try row.run()
        try wakeUnlessFirst(id, in: &connection)
        try markFirst(of: former, in: &connection)
        return .moved(from: former)
    }

    /// Only the first item of a lane is hastened by its dependency; the others wait for their turn.
    private func wakeUnlessFirst(_ id: String, in connection: inout Connection) throws(StoreFailure) {
        var row = try connection.statement(
            """
            UPDATE work SET ready = ?1, due = ?2, delay = 0, awaits = NULL
            WHERE queue = ?3 AND id = ?4 AND NOT is_first AND awaits IS NOT NULL
            """
        )
        row.bind(clock.uptime())
        row.bind(clock.now())
        row.bind(queue)
        row.bind(id)
        try row.run()
    }

    /// How long a hold lasts where its process has ended and others use the file.
    private static let longestHold: Int64 = 60_000

    func hold(_ isHeld: Bool, in connection: inout Connection) throws(StoreFailure) {
        var row =
            isHeld
            ? try connection.statement("INSERT OR REPLACE INTO holds(queue, owner, until) VALUES (?, ?, ?)")
            : try connection.statement("DELETE FROM holds WHERE queue = ? AND owner = ?")
        row.bind(queue)
        row.bind(owner)
        if isHeld { row.bind(clock.uptime() + Self.longestHold) }
        try row.run()
    }

    /// Pauses or resumes a lane; the empty name stands for the queue.
    func setPause(_ isPaused: Bool, of lane: String, in connection: inout Connection) throws(StoreFailure) -> Bool {
        let before = connection.changes
        var row =
            isPaused
            ? try connection.statement("INSERT OR IGNORE INTO pauses(queue, lane) VALUES (?, ?)")
            : try connection.statement("DELETE FROM pauses WHERE queue = ? AND lane = ?")
        row.bind(queue)
        row.bind(lane)
        try row.run()
        return connection.changes > before
    }
}
