import WireStore

/// What a file is: whose, and how its tables came to be, step by step.
struct Schema: Sendable {
    /// Marks the file as ours ("Cwst", "Cwca").
    let applicationID: Int32
    /// Each step makes the version after the one before; a step that was released is never changed.
    let steps: [String]
    let synchronous: String

    var version: Int64 { Int64(steps.count) }

    static let state = Schema(applicationID: 0x4377_7374, steps: [keyValue], synchronous: "FULL")

    /// Version 1: entries, the history of their changes, and how much each namespace holds (all together: '').
    private static let keyValue = """
        CREATE TABLE entries(
            id INTEGER PRIMARY KEY,
            namespace TEXT NOT NULL,
            key TEXT NOT NULL,
            version INTEGER NOT NULL,
            type TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            expires INTEGER,
            sealed INTEGER NOT NULL,
            bytes BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX entries_by_key ON entries(namespace, key);
        CREATE INDEX entries_by_expiry ON entries(expires) WHERE expires IS NOT NULL;
        CREATE TABLE changes(
            version INTEGER PRIMARY KEY,
            kind INTEGER NOT NULL,
            namespace TEXT NOT NULL,
            key TEXT NOT NULL
        ) STRICT;
        CREATE TABLE usage(
            namespace TEXT PRIMARY KEY,
            entries INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}

/// What the header of a file says.
struct Header {
    let applicationID: Int64
    let version: Int64
    let isEmpty: Bool

    init(_ connection: inout Connection) throws(StoreFailure) {
        applicationID = try connection.statement("PRAGMA application_id").number() ?? 0
        version = try connection.statement("PRAGMA user_version").number() ?? 0
        isEmpty = try connection.statement("SELECT count(*) FROM sqlite_schema").number() == 0
    }

    /// Whether a file is one of a schema, of its version or an older one.
    func check(against schema: Schema, at path: String) throws(StoreFailure) {
        if applicationID == 0, version == 0, isEmpty { return }
        guard applicationID == Int64(schema.applicationID), version > 0 else {
            throw StoreFailure(
                .foreign,
                "'\(path)' is a database of another program",
                help: "name a folder that belongs to this program alone"
            )
        }
        guard version <= schema.version else {
            throw StoreFailure(
                .newer,
                "'\(path)' has version \(version), this program knows up to version \(schema.version)",
                help: "run the program that wrote it, or move aside the folder and start with the backup it made"
            )
        }
    }
}
