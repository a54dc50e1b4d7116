package import WireBase
package import WireStore

extension SQLiteStore: CacheStore {
    package func cached(_ key: String, in region: String) throws(StoreFailure) -> CachedValue? {
        let found = try cache.answer(key, in: region)
        if found != nil { uses.record(key, in: region) }
        return found
    }

    @discardableResult
    package func cache(
        _ value: CachedValue,
        under key: String,
        in region: String,
        bound: ByteCount
    ) async throws(StoreFailure) -> Int {
        try limits.check(name: region, "region")
        try limits.check(key: key, "key")
        let weight = key.utf8.count + value.bytes.count + value.notes.count
        try limits.check(size: weight, "cached value")
        let uses = uses.drain()
        return try await cache.write { connection throws(StoreFailure) in
            for use in uses { try connection.use(use.key, in: use.region) }
            try connection.forget(key, in: region)
            // A value that cannot fit must not displace others.
            guard weight <= bound.bytes else { return 0 }
            try connection.keep(value, weighing: weight, under: key, in: region)
            return try connection.trim(region, to: Int64(bound.bytes))
        }
    }

    package func forget(_ key: String?, in region: String) async throws(StoreFailure) {
        try await cache.write { connection throws(StoreFailure) in
            try connection.forget(key, in: region)
        }
    }

    package func forget(beginning prefix: String, in region: String) async throws(StoreFailure) -> Int {
        try await cache.write { connection throws(StoreFailure) in
            try connection.forget(beginning: prefix, in: region)
        }
    }

    package func cachedCount(beginning prefix: String, in region: String) throws(StoreFailure) -> Int {
        try cache.read(or: 0) { connection throws(StoreFailure) in
            try connection.answerCount(beginning: prefix, in: region)
        }
    }

    package func cacheUsage(of region: String) throws(StoreFailure) -> StoreUsage { try cache.cacheUsage(of: region) }
}

extension SQLiteStore {
    /// The usage of the cached answers in memory.
    package var recentCacheUsage: StoreUsage { cache.recentUsage }
}

extension Connection {
    mutating func answer(_ key: String, in region: String) throws(StoreFailure) -> CachedValue? {
        var row = try statement("SELECT bytes, notes, stored FROM answers WHERE region = ? AND key = ?")
        row.bind(region)
        row.bind(key)
        guard try row.step() else { return nil }
        return CachedValue(bytes: row.bytes(0), notes: row.bytes(1), stored: row.integer(2))
    }

    /// Marks an answer as the most recently used of its region.
    fileprivate mutating func use(_ key: String, in region: String) throws(StoreFailure) {
        var row = try statement(
            """
            UPDATE answers SET used = (SELECT max(used) FROM answers WHERE region = ?1) + 1
            WHERE region = ?1 AND key = ?2
            """
        )
        row.bind(region)
        row.bind(key)
        try row.run()
    }

    fileprivate mutating func keep(
        _ value: CachedValue,
        weighing weight: Int,
        under key: String,
        in region: String
    ) throws(StoreFailure) {
        var row = try statement(
            """
            INSERT INTO answers(region, key, used, stored, weight, notes, bytes)
            VALUES (?1, ?2, (SELECT coalesce(max(used), 0) FROM answers WHERE region = ?1) + 1, ?3, ?4, ?5, ?6)
            """
        )
        row.bind(region)
        row.bind(key)
        row.bind(value.stored)
        row.bind(weight)
        row.bind(value.notes)
        row.bind(value.bytes)
        try row.run()
        try grow(region, by: Int64(weight))
    }

    /// Deletes the least recently used answers until a region is within its limit.
    fileprivate mutating func trim(_ region: String, to bound: Int64) throws(StoreFailure) -> Int {
        var (held, count) = (try size(of: region), 0)
        while held > bound {
            var oldest = try statement(
                """
                DELETE FROM answers WHERE id = (SELECT id FROM answers WHERE region = ? ORDER BY used LIMIT 1)
                RETURNING weight
                """
            )
            oldest.bind(region)
            guard try oldest.step() else { return count }
            let weight = oldest.integer(0)
            while try oldest.step() {}
            try grow(region, by: -weight)
            held -= weight
            count += 1
        }
        return count
    }

    fileprivate mutating func forget(_ key: String?, in region: String) throws(StoreFailure) {
        var gone: Int64 = 0
        do {
            var rows = try statement(
                "DELETE FROM answers WHERE region = ?1 AND (?2 IS NULL OR key = ?2) RETURNING weight"
            )
            rows.bind(region)
            rows.bind(key)
            while try rows.step() { gone += rows.integer(0) }
        }
        if gone > 0 { try grow(region, by: -gone) }
    }

    fileprivate mutating func forget(beginning prefix: String, in region: String) throws(StoreFailure) -> Int {
        var (gone, count): (Int64, Int) = (0, 0)
        do {
            var rows = try statement(
                """
                DELETE FROM answers WHERE region = ?1 AND key >= ?2 AND (?3 IS NULL OR key < ?3) RETURNING weight
                """
            )
            rows.bind(region)
            rows.bind(prefix)
            rows.bind(textBytes: end(of: prefix))
            while try rows.step() { (gone, count) = (gone + rows.integer(0), count + 1) }
        }
        if gone > 0 { try grow(region, by: -gone) }
        return count
    }

    fileprivate mutating func answerCount(beginning prefix: String, in region: String) throws(StoreFailure) -> Int {
        var row = try statement(
            "SELECT count(*) FROM answers WHERE region = ?1 AND key >= ?2 AND (?3 IS NULL OR key < ?3)"
        )
        row.bind(region)
        row.bind(prefix)
        row.bind(textBytes: end(of: prefix))
        return Int(try row.number() ?? 0)
    }

    mutating func cacheUsage(of region: String) throws(StoreFailure) -> StoreUsage {
        let size = try size(of: region)
        var row = try statement("SELECT count(*) FROM answers WHERE region = ?")
        row.bind(region)
        return StoreUsage(entries: Int(try row.number() ?? 0), size: .bytes(Int(size)))
    }

    private mutating func size(of region: String) throws(StoreFailure) -> Int64 {
        var row = try statement("SELECT bytes FROM regions WHERE name = ?")
        row.bind(region)
        return try row.number() ?? 0
    }

    private mutating func grow(_ region: String, by bytes: Int64) throws(StoreFailure) {
        var row = try statement(
            "INSERT INTO regions(name, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes"
        )
        row.bind(region)
        row.bind(bytes)
        try row.run()
    }
}
