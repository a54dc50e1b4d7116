package import WireBase

/// Many small records that may be lost and belong together, changed many at a time, each change wholly or not at all.
///
/// Each region has a position, which grows with every change of its records, by this process or another.
package protocol RecordStore: Sendable {
    /// A region as it is now, for as long as the view is held.
    func view(of region: String) throws(StoreFailure) -> any RecordView
    /// Records by their keys in order, after one of them; at most so many, and fewer where they are large.
    func records(of region: String, after key: String?, limit: Int) throws(StoreFailure) -> FoundRecords
    /// Changes records in one transaction; what is decided may be asked for more than once, and the last answer counts.
    ///
    /// Afterwards the records that were used least lately are removed where the region holds more than its bound, which is
    /// no change: others keep what they have read.
    func edit(
        _ edit: RecordEdit,
        in region: String,
        deciding decide: @escaping @Sendable (FoundRecords) -> RecordChanges
    ) async throws(StoreFailure) -> RecordReceipt
    /// Removes all records of the regions whose names begin so; returns how many.
    func forgetRecords(ofRegionsBeginning prefix: String) async throws(StoreFailure) -> Int
    /// Waits until the records of a region change, by this process or another; returns the new position.
    func recordsChanged(after position: Int64, in region: String) async throws(StoreFailure) -> Int64
    func recordUsage(of region: String) throws(StoreFailure) -> StoreUsage
    /// A look at the file that costs next to nothing: the same as before only where nothing has been written since.
    func recordGlance() -> RecordGlance?
}

/// A region at one moment: whatever is written while the view is held, it shows the same.
///
/// Used by one thread, and let go of soon: the file does not shrink meanwhile.
package protocol RecordView: AnyObject {
    /// The position of the region; less than one that was known before only where the region was removed meanwhile.
    var position: Int64 { get }
    /// The position at which regions of the store were removed last, whichever they were.
    var clearing: Int64 { get }
    /// The records under some keys; those that are not there are left out.
    func records(_ keys: [String]) throws(StoreFailure) -> [String: [UInt8]]
    /// What has changed after one position up to another, in order.
    func changes(after position: Int64, through end: Int64, limit: Int) throws(StoreFailure) -> RecordNews
}

extension RecordStore {
    /// The records under some keys as they are at one moment; those that are not there are left out.
    package func records(_ keys: [String], in region: String) throws(StoreFailure) -> FoundRecords {
        let view = try view(of: region)
        return FoundRecords(records: try view.records(keys), position: view.position, clearing: view.clearing)
    }
}

/// Records as they were read at one moment.
package struct FoundRecords: Sendable, Equatable {
    package var records: [String: [UInt8]]
    /// The position of the region then.
    package var position: Int64
    /// The position at which regions of the store were removed last, whichever they were.
    package var clearing: Int64

    package init(records: [String: [UInt8]] = [:], position: Int64 = 0, clearing: Int64 = 0) {
        self.records = records
        self.position = position
        self.clearing = clearing
    }
}

/// What an edit needs to see, and how much the region may hold.
package struct RecordEdit: Sendable {
    /// The records that are read before it is decided what to write.
    package var keys: [String]
    /// More of them, read only where the region is not at the position at which they are known already.
    package var known: (keys: [String], position: Int64)
    /// Whether the records that are marked are read as well.
    package var readsMarked = false
    /// The record that is to take the place of one that is marked, and is read as well.
    package var successor: @Sendable (String) -> String? = { _ in nil }
    /// The records that were read since the last edit.
    package var used: [String] = []
    /// The records that are not removed to make room; asked only where it has to be made.
    package var pinned: @Sendable () -> Set<String> = { [] }
    package var bound: ByteCount
    /// Whether what is written is encrypted.
    package var isSealed = false
    /// Told where the edit leads before any other can see what it has written; again where it has to be decided again.
    package var foreseen: @Sendable (RecordReceipt) -> Void = { _ in }

    package init(_ keys: [String], known: (keys: [String], position: Int64) = ([], 0), bound: ByteCount) {
        self.keys = keys
        self.known = known
        self.bound = bound
    }
}

/// What an edit writes.
package struct RecordChanges: Sendable {
    package struct Put: Sendable {
        package let key: String
        package let bytes: [UInt8]
        /// Whether an edit can find it without its key.
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
    /// The position of the region before the edit, and after it.
    package let former, position: Int64
    /// How many records were removed to make room.
    package let evicted: Int

    package init(former: Int64, position: Int64, evicted: Int) {
        self.former = former
        self.position = position
        self.evicted = evicted
    }
}

/// The changes of a region since a position.
package struct RecordNews: Sendable, Equatable {
    /// The records that were written, in order.
    package let keys: [String]
    /// Whether other records may have changed as well, such as by removal.
    package let hasGap: Bool
    /// The position that they lead to.
    package let position: Int64

    package init(keys: [String], hasGap: Bool, position: Int64) {
        self.keys = keys
        self.hasGap = hasGap
        self.position = position
    }
}

/// A state of a file, to be compared with another.
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
