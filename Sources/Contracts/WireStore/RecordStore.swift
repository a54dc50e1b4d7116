package import WireBase

/// A store for many small records that may be lost and are changed in transactions.
///
/// Each region has a position that increases with every change of its records, made by any process.
package protocol RecordStore: Sendable {
    /// A consistent view of a region, valid while it is held.
    func view(of region: String) throws(StoreFailure) -> any RecordView
    /// Lists records in key order after a key, up to a count, and fewer where they are large.
    func records(of region: String, after key: String?, limit: Int) throws(StoreFailure) -> FoundRecords
    /// Changes records in one transaction; the closure may be called several times, and its last result is used.
    ///
    /// Afterwards the least recently used records are evicted where the region exceeds its limit. An eviction is not a
    /// change: readers keep the records they have read.
    func edit(
        _ edit: RecordEdit,
        in region: String,
        deciding decide: @escaping @Sendable (FoundRecords) -> RecordChanges
    ) async throws(StoreFailure) -> RecordReceipt
    /// Removes all records of the regions whose names have a prefix; returns their number.
    func forgetRecords(ofRegionsBeginning prefix: String) async throws(StoreFailure) -> Int
    /// The number of records that ``forgetRecords(ofRegionsBeginning:)`` would remove.
    func recordCount(ofRegionsBeginning prefix: String) throws(StoreFailure) -> Int
    /// Waits until the records of a region change, made by any process; returns the new position.
    func recordsChanged(after position: Int64, in region: String) async throws(StoreFailure) -> Int64
    func recordUsage(of region: String) throws(StoreFailure) -> StoreUsage
    /// A cheap fingerprint of the file, equal to an earlier one only where nothing was written since.
    func recordGlance() -> RecordGlance?
}

/// A snapshot of a region: it does not change while it is held.
///
/// Use it on one thread and release it soon, because the file cannot shrink meanwhile.
package protocol RecordView: AnyObject {
    /// The position of the region; lower than before only where the region was removed.
    var position: Int64 { get }
    /// The position of the last removal of any regions in the store.
    var clearing: Int64 { get }
    /// The records of some keys; missing records are left out.
    func records(_ keys: [String]) throws(StoreFailure) -> [String: [UInt8]]
    /// The changes between two positions, in order.
    func changes(after position: Int64, through end: Int64, limit: Int) throws(StoreFailure) -> RecordChangeSet
}

extension RecordStore {
    /// The records of some keys at one moment; missing records are left out.
    package func records(_ keys: [String], in region: String) throws(StoreFailure) -> FoundRecords {
        let view = try view(of: region)
        return FoundRecords(records: try view.records(keys), position: view.position, clearing: view.clearing)
    }
}

/// Records read at one moment.
package struct FoundRecords: Sendable, Equatable {
    package var records: [String: [UInt8]]
    /// The position of the region at that moment.
    package var position: Int64
    /// The position of the last removal of any regions in the store.
    package var clearing: Int64

    package init(records: [String: [UInt8]] = [:], position: Int64 = 0, clearing: Int64 = 0) {
        self.records = records
        self.position = position
        self.clearing = clearing
    }
}

/// The input of an edit, and the limits of the region.
package struct RecordEdit: Sendable {
    /// The records to read before the edit.
    package var keys: [String]
    /// Further records to read only where the region has moved past the given position.
    package var known: (keys: [String], position: Int64)
    /// Whether to read marked records too.
    package var readsMarked = false
    /// Returns the record that replaces a marked one; it is read as well.
    package var successor: @Sendable (String) -> String? = { _ in nil }
    /// The records used since the last edit.
    package var used: [String] = []
    /// The records that must not be evicted; called only when room is needed.
    package var pinned: @Sendable () -> Set<String> = { [] }
    package var bound: ByteCount
    /// Whether written records are encrypted.
    package var isSealed = false
    /// Called with the resulting position before the change is visible to others; called again when the edit is
    /// repeated.
    package var foreseen: @Sendable (RecordReceipt) -> Void = { _ in }

    package init(_ keys: [String], known: (keys: [String], position: Int64) = ([], 0), bound: ByteCount) {
        self.keys = keys
        self.known = known
        self.bound = bound
    }
}

/// The changes of an edit.
package struct RecordChanges: Sendable {
    package struct Put: Sendable {
        package let key: String
        package let bytes: [UInt8]
        /// Whether an edit can find the record without its key.
        package let isMarked: Bool

        package init(_ key: String, _ bytes: [UInt8], isMarked: Bool = false) {
            self.key = key
            self.bytes = bytes
            self.isMarked = isMarked
        }
    }

    package var puts: [Put]
    package var removals: [String]

    package init(puts: [Put] = [], removals: [String] = []) {
        self.puts = puts
        self.removals = removals
    }
}

package struct RecordReceipt: Sendable {
    /// The position of the region before and after the edit.
    package let former, position: Int64
    /// The number of evicted records.
    package let evicted: Int

    package init(former: Int64, position: Int64, evicted: Int) {
        self.former = former
        self.position = position
        self.evicted = evicted
    }
}

/// The changes of a region since a position.
package struct RecordChangeSet: Sendable, Equatable {
    /// The keys of written records, in order.
    package let keys: [String]
    /// Whether further records may have changed, for example by removal.
    package let hasGap: Bool
    /// The position after these changes.
    package let position: Int64

    package init(keys: [String], hasGap: Bool, position: Int64) {
        self.keys = keys
        self.hasGap = hasGap
        self.position = position
    }
}

/// A fingerprint of a file's state, for comparison.
package struct RecordGlance: Sendable, Equatable {
    private let first, second, third, fourth, fifth, sixth: UInt64

    package init(
        _ first: UInt64,
        _ second: UInt64,
        _ third: UInt64,
        _ fourth: UInt64,
        _ fifth: UInt64,
        _ sixth: UInt64
    ) {
        (self.first, self.second, self.third) = (first, second, third)
        (self.fourth, self.fifth, self.sixth) = (fourth, fifth, sixth)
    }
}
