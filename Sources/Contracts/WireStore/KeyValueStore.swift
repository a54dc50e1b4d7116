package import WireBase

/// Values by namespace and key, shared by the processes of a group.
///
/// Reading is synchronous and takes no longer than a look into a file that is in memory; writing returns when the value
/// is on the disk.
package protocol KeyValueStore: Sendable {
    /// The entry under a key; nil where there is none, or it has expired.
    func entry(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry?

    /// What is known about an entry without its value; nil where there is none.
    func summary(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry.Summary?

    /// Entries of a namespace in the order of their keys, after a key, up to a count; without their values.
    func list(
        _ namespace: String,
        prefix: String,
        after: String?,
        limit: Int
    ) throws(StoreFailure) -> [StoredEntry.Summary]

    /// What a namespace holds: how many entries, how many bytes of keys and values.
    func usage(of namespace: String) throws(StoreFailure) -> StoreUsage

    /// Every namespace that holds something.
    func namespaces() throws(StoreFailure) -> [String]

    /// Stores a value; returns what became of it when it is durable.
    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt

    /// Removes an entry; returns whether there was one.
    func remove(_ key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> Bool

    /// Removes all entries of a namespace; returns how many there were.
    func clear(_ namespace: String) async throws(StoreFailure) -> Int

    /// What has changed since a version, oldest first, by this process or another; at most so many.
    ///
    /// Changes are kept for a while only: where those asked for are gone, the answer says so.
    func changes(after version: Int64, in namespace: String?, limit: Int) throws(StoreFailure) -> StoreChanges

    /// Returns when something has changed after a version, by this process or another one of the group.
    func changed(after version: Int64) async throws(StoreFailure) -> Int64

    /// Seals anew what a former key has sealed, values and work that waits; returns when none of it is left.
    ///
    /// A few at a time, so that nobody is kept waiting. What is read does not change by it: versions stay, and the history
    /// tells nothing. Where it is given up or fails halfway, it goes on when it is asked again.
    func reseal() async throws(StoreFailure) -> Resealed

    /// Leaves nothing on the disk of what was removed from the store, whatever it was: no row in a free page, no page in a
    /// log, no key in the history, no copy of a former version; returns how many such copies there were.
    ///
    /// Whoever follows changes and is behind is told of a gap. Fails as `busy` where another process reads for as long as
    /// the store has patience; whatever was done stays done, and asking again goes on.
    func scrub() async throws(StoreFailure) -> Int

    /// Returns when nothing is written any more until the program starts again, and why; nil where the task is cancelled before.
    func failure() async -> StoreFailure?
}

extension KeyValueStore {
    /// Removes the entries of a namespace whose keys begin so; returns how many there were.
    ///
    /// One after the other: given up halfway, the others are still there, and asking again goes on.
    package func clear(_ namespace: String, keysBeginning prefix: String) async throws(StoreFailure) -> Int {
        var count = 0
        while true {
            let page = try list(namespace, prefix: prefix, after: nil, limit: 500)
            for summary in page where try await remove(summary.key, in: namespace, if: .always) { count += 1 }
            if page.isEmpty { return count }
        }
    }

    /// The bytes under a key, made where there are none; of several processes that make them, those of the first count.
    package func bytes(
        _ key: String,
        in namespace: String,
        orStoring make: () async throws(StoreFailure) -> NewValue
    ) async throws(StoreFailure) -> [UInt8] {
        while true {
            if let entry = try entry(key, in: namespace) { return entry.bytes }
            let new = try await make()
            let receipt = try await nilOnConflict { () async throws(StoreFailure) in
                try await put(new, under: key, in: namespace, if: .absent)
            }
            if receipt != nil { return new.bytes }
        }
    }
}

/// The result of a write; nil where its condition does not hold, because another writer was quicker.
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

/// What is to be stored.
package struct NewValue: Sendable {
    package var bytes: [UInt8]
    /// The media type it was given as.
    package var type: String
    /// How long it is to be kept.
    package var lifetime: Duration?
    /// Whether it is encrypted where it lies.
    package var isSealed: Bool
    /// How much may be held after it.
    package var room: StoreRoom

    package init(
        _ bytes: [UInt8],
        type: String,
        lifetime: Duration? = nil,
        isSealed: Bool = false,
        room: StoreRoom = StoreRoom()
    ) {
        self.bytes = bytes
        self.type = type
        self.lifetime = lifetime
        self.isSealed = isSealed
        self.room = room
    }
}

/// What is stored under a key.
package struct StoredEntry: Sendable {
    package let summary: Summary
    package let bytes: [UInt8]

    package struct Summary: Sendable {
        package let key: String
        /// Grows with every change of the store: of two versions the greater is the later.
        package let version: Int64
        package let type: String
        package let size: Int
        /// Milliseconds since 1970.
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

/// What became of a value that was stored; tells of the entry what its summary tells.
@dynamicMemberLookup
package struct StoreReceipt: Sendable {
    package let entry: StoredEntry.Summary
    /// Whether there was nothing under its key.
    package let isNew: Bool
    /// How many entries made room for it.
    package let removed: Int

    package init(_ entry: StoredEntry.Summary, isNew: Bool, removed: Int) {
        self.entry = entry
        self.isNew = isNew
        self.removed = removed
    }

    package subscript<Value>(dynamicMember path: KeyPath<StoredEntry.Summary, Value>) -> Value { entry[keyPath: path] }
}

/// What must be so for a write to happen.
package enum StoreCondition: Sendable, Hashable {
    case always
    case absent
    case present
    case version(Int64)
}

/// What has become of what a former key had sealed.
package struct Resealed: Sendable, Hashable {
    /// How much was sealed anew.
    package let count: Int
    /// How much could not be, because no key at hand opens it.
    package let left: Int

    package init(count: Int, left: Int) {
        self.count = count
        self.left = left
    }
}

/// How much something holds.
package struct StoreUsage: Sendable, Hashable {
    package let entries: Int
    package let size: ByteCount

    package init(entries: Int, size: ByteCount) {
        self.entries = entries
        self.size = size
    }
}

/// A stretch of the history of a store.
package struct StoreChanges: Sendable {
    package let changes: [Change]
    /// Whether older changes than these were asked for and are no longer kept.
    package let hasGap: Bool
    /// The version to ask after next.
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
