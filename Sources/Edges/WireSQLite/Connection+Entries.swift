import WireStore

extension Connection {
    /// Returns the usage of a namespace, or of all together (''), including expired entries.
    mutating func usage(of scope: String) throws(StoreFailure) -> (entries: Int64, bytes: Int64) {
        var row = try statement("SELECT entries, bytes FROM usage WHERE namespace = ?")
        row.bind(scope)
        return try row.step() ? (row.integer(0), row.integer(1)) : (0, 0)
    }

    /// Returns the expired part of that usage.
    mutating func expired(in scope: String, at now: Int64) throws(StoreFailure) -> (entries: Int64, bytes: Int64) {
        var row = try statement(
            """
            SELECT count(*), coalesce(sum(size + length(CAST(key AS BLOB))), 0) FROM entries
            WHERE expires <= ?1 AND (?2 = '' OR namespace = ?2)
            """
        )
        row.bind(now)
        row.bind(scope)
        return try row.step() ? (row.integer(0), row.integer(1)) : (0, 0)
    }

    /// Returns the bytes used by all namespaces with a prefix, including expired entries.
    mutating func usage(below prefix: String) throws(StoreFailure) -> Int64 {
        if prefix.isEmpty { return try usage(of: "").bytes }
        var row = try statement(
            "SELECT coalesce(sum(bytes), 0) FROM usage WHERE namespace >= ?1 AND (?2 IS NULL OR namespace < ?2)"
        )
        row.bind(prefix)
        row.bind(textBytes: end(of: prefix))
        return try row.number() ?? 0
    }

    /// Returns the expired part of that usage.
    mutating func expired(below prefix: String, at now: Int64) throws(StoreFailure) -> Int64 {
        var row = try statement(
            """
            SELECT coalesce(sum(size + length(CAST(key AS BLOB))), 0) FROM entries
            WHERE expires <= ?1 AND namespace >= ?2 AND (?3 IS NULL OR namespace < ?3)
            """
        )
        row.bind(now)
        row.bind(prefix)
        row.bind(textBytes: end(of: prefix))
        return try row.number() ?? 0
    }

    /// Whether a namespace has an entry that has not expired.
    mutating func isPresent(_ namespace: String, at now: Int64) throws(StoreFailure) -> Bool {
        var row = try statement(
            "SELECT EXISTS(SELECT 1 FROM entries WHERE namespace = ? AND (expires IS NULL OR expires > ?))"
        )
        row.bind(namespace)
        row.bind(now)
        return try row.number() == 1
    }

    /// Whether at least `count` namespaces with a prefix have an entry that has not expired.
    mutating func hasNamespaces(_ count: Int, below prefix: String, at now: Int64) throws(StoreFailure) -> Bool {
        // Namespaces with expired entries only are told apart only where the count depends on it.
        guard try namespaces(below: prefix, expiredAt: nil) >= count else { return false }
        return try namespaces(below: prefix, expiredAt: now) >= count
    }

    private mutating func namespaces(below prefix: String, expiredAt now: Int64?) throws(StoreFailure) -> Int {
        var row = try statement(
            """
            SELECT count(*) FROM usage
            WHERE namespace <> '' AND namespace >= ?1 AND (?2 IS NULL OR namespace < ?2) AND entries > 0
            AND (?3 IS NULL OR EXISTS (
                SELECT 1 FROM entries
                WHERE entries.namespace = usage.namespace AND (expires IS NULL OR expires > ?3)
            ))
            """
        )
        row.bind(prefix)
        row.bind(textBytes: end(of: prefix))
        row.bind(now)
        return Int(try row.number() ?? 0)
    }

    /// Adds a change to the history and returns its version.
    mutating func record(
        _ kind: StoreChanges.Change.Kind,
        _ namespace: String,
        _ key: String,
        keeping history: Int
    ) throws(StoreFailure) -> Int64 {
        // Versions are never reused: the row's number follows the greatest one, and the newest row is never deleted.
        var row = try statement("INSERT INTO changes(kind, namespace, key) VALUES (?, ?, ?)")
        row.bind(kind.number)
        row.bind(namespace)
        row.bind(key)
        try row.run()
        let version = lastRow
        // Not at every change, since deleting costs as much as adding.
        if version % 256 == 0 { try forgetChanges(keeping: history) }
        return version
    }

    private mutating func forgetChanges(keeping history: Int) throws(StoreFailure) {
        var old = try statement("DELETE FROM changes WHERE version <= (SELECT max(version) FROM changes) - ?")
        old.bind(max(1, history))
        try old.run()
    }

    /// Deletes all entries of a namespace and returns their number, without expired ones.
    mutating func clear(_ namespace: String, at now: Int64, keeping history: Int) throws(StoreFailure) -> Int {
        let held = try usage(of: namespace)
        guard held.entries > 0 else { return 0 }
        let gone = try expired(in: namespace, at: now)
        var changes = try statement(
            """
            INSERT INTO changes(kind, namespace, key)
            SELECT CASE WHEN expires <= ?1 THEN ?2 ELSE ?3 END, namespace, key FROM entries WHERE namespace = ?4
            ORDER BY key
            """
        )
        changes.bind(now)
        changes.bind(StoreChanges.Change.Kind.expired.number)
        changes.bind(StoreChanges.Change.Kind.removed.number)
        changes.bind(namespace)
        try changes.run()
        try forgetChanges(keeping: history)
        var entries = try statement("DELETE FROM entries WHERE namespace = ?")
        entries.bind(namespace)
        try entries.run()
        try grow(namespace, entries: -held.entries, bytes: -held.bytes)
        return Int(held.entries - gone.entries)
    }

    /// Deletes some expired entries; returns whether there were any.
    mutating func sweep(at now: Int64, keeping history: Int) throws(StoreFailure) -> Bool {
        var expired: [(id: Int64, namespace: String, key: String, size: Int64)] = []
        do {
            var rows = try statement("SELECT id, namespace, key, size FROM entries WHERE expires <= ? LIMIT 256")
            rows.bind(now)
            while try rows.step() { expired.append((rows.integer(0), rows.text(1), rows.text(2), rows.integer(3))) }
        }
        for entry in expired {
            _ = try record(.expired, entry.namespace, entry.key, keeping: history)
            var row = try statement("DELETE FROM entries WHERE id = ?")
            row.bind(entry.id)
            try row.run()
            try grow(entry.namespace, entries: -1, bytes: -(entry.size + Int64(entry.key.utf8.count)))
        }
        return !expired.isEmpty
    }

    /// Updates the usage of a namespace, and of all together.
    mutating func grow(_ namespace: String, entries: Int64, bytes: Int64) throws(StoreFailure) {
        guard entries != 0 || bytes != 0 else { return }
        var row = try statement(
            """
            INSERT INTO usage(namespace, entries, bytes) VALUES (?1, ?2, ?3), ('', ?2, ?3)
            ON CONFLICT DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes
            """
        )
        row.bind(namespace)
        row.bind(entries)
        row.bind(bytes)
        try row.run()
        guard entries < 0 else { return }
        // Namespaces are created without limit, so empty ones are deleted.
        var empty = try statement("DELETE FROM usage WHERE namespace = ? AND entries <= 0")
        empty.bind(namespace)
        try empty.run()
    }
}

extension StoreChanges.Change.Kind {
    /// The number stored in the file.
    var number: Int64 {
        switch self {
        case .put: 0
        case .removed: 1
        case .expired: 2
        }
    }

    init(number: Int64) {
        self = number == 0 ? .put : number == 1 ? .removed : .expired
    }
}
