import WireStore

/// The header of a file.
struct Header {
    let applicationID: Int64
    let version: Int64
    let isEmpty: Bool

    init(_ connection: inout Connection) throws(StoreFailure) {
        applicationID = try connection.statement("PRAGMA application_id").number() ?? 0
        version = try connection.statement("PRAGMA user_version").number() ?? 0
        isEmpty = try connection.statement("SELECT count(*) FROM sqlite_schema").number() == 0
    }

    /// Checks that a file belongs to a schema, at the schema's version or an earlier one.
    func check(against schema: Schema, at path: String) throws(StoreFailure) {
        if applicationID == 0, version == 0, isEmpty { return }
        guard applicationID == Int64(schema.applicationID), version > 0 else {
            throw StoreFailure(
                .foreign,
                "'\(path)' is a database of another program",
                help: "choose a folder that only this program uses"
            )
        }
        guard version <= schema.version else {
            throw StoreFailure(
                .newer,
                "'\(path)' has version \(version), this program supports versions up to \(schema.version)",
                help:
                    "run the release that wrote the store, or move the folder aside and restore a backup of this release"
            )
        }
    }
}
