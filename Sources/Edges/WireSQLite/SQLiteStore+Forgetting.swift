package import WireStore

extension SQLiteStore {
    package func forget(queues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        try limits.check(name: prefix, "queue")
        return try await state.writer.write { connection throws(StoreFailure) in
            let items = try Self.remove("DELETE FROM work WHERE substr(queue, 1, length(?1)) = ?1", prefix, &connection)
            let ended = try Self.remove("DELETE FROM done WHERE substr(queue, 1, length(?1)) = ?1", prefix, &connection)
            // Names in both tables are complete: the next addition to such a queue starts with a sum of zero.
            _ = try Self.remove("DELETE FROM queues WHERE substr(name, 1, length(?1)) = ?1", prefix, &connection)
            _ = try Self.remove("DELETE FROM pauses WHERE substr(queue, 1, length(?1)) = ?1", prefix, &connection)
            return ForgottenWork(items: items, ended: ended)
        }
    }

    package func counts(ofQueues prefix: String) throws(StoreFailure) -> ForgottenWork {
        try limits.check(name: prefix, "queue")
        return try state.snapshot { connection throws(StoreFailure) in
            ForgottenWork(
                items: try connection.count(
                    "SELECT count(*) FROM work WHERE substr(queue, 1, length(?1)) = ?1",
                    prefix
                ),
                ended: try connection.count("SELECT count(*) FROM done WHERE substr(queue, 1, length(?1)) = ?1", prefix)
            )
        }
    }

    package func endedCount(of queue: String) throws(StoreFailure) -> Int {
        try state.read { connection throws(StoreFailure) in
            try connection.count("SELECT count(*) FROM done WHERE queue = ?", queue)
        }
    }

    package func forgetEnded(of queue: String) async throws(StoreFailure) -> Int {
        try await state.writer.write { connection throws(StoreFailure) in
            try Self.remove("DELETE FROM done WHERE queue = ?", queue, &connection)
        }
    }

    private static func remove(_ sql: StaticString, _ prefix: String, _ connection: inout Connection)
        throws(StoreFailure) -> Int
    {
        let before = connection.changes
        var rows = try connection.statement(sql)
        rows.bind(prefix)
        try rows.run()
        return Int(connection.changes - before)
    }
}

extension Connection {
    fileprivate mutating func count(_ sql: StaticString, _ name: String) throws(StoreFailure) -> Int {
        var rows = try statement(sql)
        rows.bind(name)
        return Int(try rows.number() ?? 0)
    }
}
