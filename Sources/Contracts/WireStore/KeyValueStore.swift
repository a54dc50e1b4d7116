package import WireBase

/// Stores values by namespace and key, shared by the processes of a group.
///
/// Reads see all earlier writes of any process; writes return when the value is on the disk.
package protocol KeyValueStore: Sendable {
    /// The entry of a key; nil where there is none, or it has expired.
    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry?

    /// The properties of an entry without its value; nil where there is none.
    func summary(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry.Summary?

    /// Lists entries of a namespace in key order after a key, up to a count, without values.
    func list(
        _ namespace: String,
        prefix: String,
        after: String?,
        limit: Int
    ) async throws(StoreFailure) -> [StoredEntry.Summary]

    /// Lists entries with their values, in key order after a key: up to a count, and fewer where they are large.
    ///
    /// Empty only where no entries follow. An entry that cannot be opened is listed with the failure.
    func entries(
        _ namespace: String,
        prefix: String,
        after: String?,
        limit: Int
    ) async throws(StoreFailure) -> [ListedEntry]

    /// The number of entries in a namespace, and the bytes of their keys and values.
    func usage(of namespace: String) async throws(StoreFailure) -> StoreUsage

    /// All namespaces with entries.
    func namespaces() async throws(StoreFailure) -> [String]

    /// Stores a value; returns the result when it is durable, if the value is to be.
    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt

    /// Removes an entry; returns whether there was one.
    func remove(_ key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> Bool

    /// Removes all entries of a namespace; returns their number.
    func clear(_ namespace: String) async throws(StoreFailure) -> Int

    /// The changes since a version, made by any process, oldest first, up to a count.
    ///
    /// History is limited: where older changes are gone, the result reports a gap.
    func changes(after version: Int64, in namespace: String?, limit: Int) async throws(StoreFailure) -> StoreChanges

    /// Waits for a change after a version, made by any process of the group.
    func changed(after version: Int64) async throws(StoreFailure) -> Int64

    /// Re-encrypts values and queued work that were sealed with an earlier key; returns when none are left.
    ///
    /// Works in small batches, so that other writers can proceed. Versions and history do not change. After a
    /// cancellation or failure, a further call continues.
    func reseal() async throws(StoreFailure) -> Resealed

    /// Erases all traces of removed data that it can reach: free pages, logs, keys in the history, and copies of earlier
    /// versions.
    ///
    /// Subscribers that have not read all changes see a gap. Fails as `busy` where another process reads for longer
    /// than the store waits; completed steps remain, and a further call continues.
    func scrub() async throws(StoreFailure) -> Scrubbed

    /// What ``scrub()`` would do.
    func scrubbable() async throws(StoreFailure) -> Scrubbed

    /// Waits until writing has failed for good and returns the failure; nil where the task is cancelled first.
    func failure() async -> StoreFailure?

    /// Waits until something else is wrong with a store that accepts writes than what was `told`, and returns it; nil
    /// where nothing is wrong any more, or the task is cancelled.
    func trouble(after told: Fault?) async -> Fault?
}

extension KeyValueStore {
    /// Nothing is ever wrong with a store whose writes succeed.
    package func trouble(after _: Fault?) async -> Fault? {
        await OneShot().wait()
        return nil
    }
}

/// A store whose values are read without waiting, as from a file of this machine.
package protocol ImmediateValues: KeyValueStore {
    func entry(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry?
    func summary(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry.Summary?
}

extension KeyValueStore {
    /// Lists the entries, then reads them one by one, for stores whose reads cost little.
    package func entries(
        _ namespace: String,
        prefix: String,
        after: String?,
        limit: Int
    ) async throws(StoreFailure) -> [ListedEntry] {
        var last = after
        while true {
            let page = try await list(namespace, prefix: prefix, after: last, limit: limit)
            var found: [ListedEntry] = []
            var size = 0
            for summary in page {
                if !found.isEmpty, size + summary.size > ListedEntry.sizeOfPage.bytes { break }
                size += summary.size
                if let listed = try await listed(summary, in: namespace) { found.append(listed) }
            }
            if !found.isEmpty || page.isEmpty { return found }
            // All entries of the page were removed meanwhile; others may follow.
            last = page.last?.key
        }
    }

    private func listed(_ summary: StoredEntry.Summary, in namespace: String) async throws(StoreFailure)
        -> ListedEntry?
    {
        do throws(StoreFailure) {
            return try await entry(summary.key, in: namespace).map { ListedEntry($0.summary, .success($0.bytes)) }
        } catch {
            guard error.isOfEntry else { throw error }
            return ListedEntry(summary, .failure(error))
        }
    }

    /// Removes all entries of a namespace whose keys have a prefix; returns their number.
    ///
    /// Entries are removed one by one: after a cancellation some remain, and a further call continues.
    package func clear(_ namespace: String, keysBeginning prefix: String) async throws(StoreFailure) -> Int {
        var count = 0
        while true {
            let page = try await list(namespace, prefix: prefix, after: nil, limit: 500)
            for summary in page where try await remove(summary.key, in: namespace, if: .always) { count += 1 }
            if page.isEmpty { return count }
        }
    }

    /// Returns the bytes of a key, and creates them where there are none; with concurrent processes, the first one
    /// wins.
    package func bytes(
        _ key: String,
        in namespace: String,
        orStoring make: () async throws(StoreFailure) -> NewValue
    ) async throws(StoreFailure) -> [UInt8] {
        while true {
            if let entry = try await entry(key, in: namespace) { return entry.bytes }
            let new = try await make()
            let receipt = try await nilOnConflict { () async throws(StoreFailure) in
                try await put(new, under: key, in: namespace, if: .absent)
            }
            if receipt != nil { return new.bytes }
        }
    }
}

/// Returns the result of a write; nil where its condition fails because of another writer.
package func nilOnConflict<Answer>(
    _ write: () async throws(StoreFailure) -> Answer
) async throws(StoreFailure) -> Answer? {
    do throws(StoreFailure) {
        return try await write()
    } catch {
        guard error.kind == .conflict else { throw error }
        return nil
    }
}

/// A value to store.
package struct NewValue: Sendable {
    package var bytes: [UInt8]
    /// The media type of the value.
    package var type: String
    /// How long to store the value.
    package var lifetime: Duration?
    /// Whether the value is encrypted on the disk.
    package var isSealed: Bool
    /// The limits that apply after the write.
    package var quota: StorageQuota
    /// Whether to wait for the disk.
    ///
    /// Without confirmation, a power failure may undo the write; use it only for what can be found out again.
    package var isDurable: Bool

    package init(
        _ bytes: [UInt8],
        type: String,
        lifetime: Duration? = nil,
        isSealed: Bool = false,
        quota: StorageQuota = StorageQuota(),
        isDurable: Bool = true
    ) {
        self.bytes = bytes
        self.type = type
        self.lifetime = lifetime
        self.isSealed = isSealed
        self.quota = quota
        self.isDurable = isDurable
    }
}

/// An entry of a key-value store.
package struct StoredEntry: Sendable {
    package let summary: Summary
    package let bytes: [UInt8]

    package struct Summary: Sendable {
        package let key: String
        /// The version; increases with every change of the store.
        package let version: Int64
        package let type: String
        package let size: Int
        /// The time of the last change in milliseconds since 1970.
        package let modified: Int64
        package let expires: Int64?

        package init(key: String, version: Int64, type: String, size: Int, modified: Int64, expires: Int64?) {
            self.key = key
            self.version = version
            self.type = type
            self.size = size
            self.modified = modified
            self.expires = expires
        }
    }

    package init(summary: Summary, bytes: [UInt8]) {
        self.summary = summary
        self.bytes = bytes
    }
}

/// An entry of a list, with its value where that can be opened.
package struct ListedEntry: Sendable {
    package let summary: StoredEntry.Summary
    package let bytes: Result<[UInt8], StoreFailure>

    package init(_ summary: StoredEntry.Summary, _ bytes: Result<[UInt8], StoreFailure>) {
        (self.summary, self.bytes) = (summary, bytes)
    }

    /// The total size of values after which a list ends.
    package static let sizeOfPage = ByteCount.mebibytes(4)
}

/// The result of storing a value, with the properties of the entry.
@dynamicMemberLookup
package struct StoreReceipt: Sendable {
    package let entry: StoredEntry.Summary
    /// Whether the key had no entry before.
    package let isNew: Bool
    /// The number of entries removed to make room.
    package let removed: Int

    package init(_ entry: StoredEntry.Summary, isNew: Bool, removed: Int) {
        self.entry = entry
        self.isNew = isNew
        self.removed = removed
    }

    package subscript<Value>(dynamicMember path: KeyPath<StoredEntry.Summary, Value>) -> Value { entry[keyPath: path] }
}

/// The condition of a write.
package enum StoreCondition: Sendable, Hashable {
    case always
    case absent
    case present
    case version(Int64)
}

/// The result of re-encryption.
package struct Resealed: Sendable, Hashable {
    /// The number of values sealed again.
    package let count: Int
    /// The number of values that no known key can open.
    package let left: Int

    package init(count: Int, left: Int) {
        self.count = count
        self.left = left
    }
}

/// The result of erasing the traces of removed data.
package struct Scrubbed: Sendable, Hashable {
    /// The number of removed copies of earlier versions.
    package let copies: Int
    /// Where removed data may remain, such as the log of a server; nil where nothing remains.
    package let remains: String?

    package init(copies: Int, remains: String? = nil) {
        (self.copies, self.remains) = (copies, remains)
    }
}

/// A size in items and bytes.
package struct StoreUsage: Sendable, Hashable {
    package let entries: Int
    package let size: ByteCount

    package init(entries: Int, size: ByteCount) {
        self.entries = entries
        self.size = size
    }
}

/// A part of the history of a store.
package struct StoreChanges: Sendable {
    package let changes: [Change]
    /// Whether older changes were requested that are no longer stored.
    package let hasGap: Bool
    /// The version for the next call.
    package let version: Int64

    package struct Change: Sendable {
        package enum Kind: String, Sendable { case put, removed, expired }
        package let kind: Kind
        package let namespace: String
        package let key: String
        package let version: Int64

        package init(kind: Kind, namespace: String, key: String, version: Int64) {
            self.kind = kind
            self.namespace = namespace
            self.key = key
            self.version = version
        }
    }

    package init(changes: [Change], hasGap: Bool, version: Int64) {
        self.changes = changes
        self.hasGap = hasGap
        self.version = version
    }
}
