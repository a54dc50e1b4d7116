/// Reads all rows of a store as of one moment, while others write.
package protocol StoreExport {
    var places: SealedPlaces { get }
    /// The last version that was given at that moment.
    var version: Int64 { get }

    /// The next rows; empty after the last ones.
    func next() async throws(StoreFailure) -> [StoreRow]
    /// Lets go of the store.
    func close() async
}

/// Writes rows into an empty store that no runner uses, all or none.
package protocol StoreImport {
    var places: SealedPlaces { get }

    func write(_ rows: [StoreRow]) async throws(StoreFailure)
    /// Makes the rows durable, all of them at once.
    func commit() async throws(StoreFailure)
    /// Lets go of the store; without ``commit()`` nothing is in it.
    func close() async
}

extension StoreFailure {
    /// Why an import has ended without a change.
    package static func notImported(_ failure: StoreFailure) -> StoreFailure {
        StoreFailure(
            failure.kind,
            "nothing was imported: \(failure.reason)",
            help: failure.kind == .full ? "free disk space there, then run the command again" : failure.help
        )
    }
}

/// The versions of a store whose entries come from another one.
package struct ImportedVersions: Sendable, Hashable {
    /// What is added to the version of each entry.
    package let added: Int64
    /// The last one given.
    package let last: Int64

    /// Follows the last versions of the store that was exported, and of the one that takes the rows.
    ///
    /// Entries keep their versions in a store that has given none. The next ones come after all that the exported store
    /// may have given since, so that no reader sees a version twice. The last one is chosen at random among many, by
    /// which the import is recognized.
    package init(exported: Int64, present: Int64) {
        added = present == 0 ? 0 : max(present, exported + Self.skipped)
        last = added + exported + Self.skipped + .random(in: 0..<Self.skipped)
    }

    /// Whether a store that has given a version lately has the rows of this import, not those of another one.
    ///
    /// Runners may have written since, and a failover may have skipped versions, but not that many.
    package func precede(_ version: Int64) -> Bool { (last..<last + 1 << 21).contains(version) }

    private static let skipped: Int64 = 1 << 40
    /// The greatest version that can be exported: a JSON number is exact up to it.
    package static let greatest: Int64 = 1 << 53
}
