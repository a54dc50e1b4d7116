import WireStore

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
