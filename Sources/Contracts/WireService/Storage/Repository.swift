package import WireBase
package import WireHTTP
package import WireStore

/// Reads and writes the records of one kind in a namespace of the store.
///
/// A record of a newer version, or with a missing required member, is an error and stays unchanged. Unknown members of
/// a newer program are lost when this program writes the record.
package struct Repository<Record: JSONCodable>: Sendable {
    package let store: any KeyValueStore
    package let namespace: String
    /// The key prefix of these records in the namespace.
    package let prefix: String
    /// The failure of a record that cannot be read.
    private let failure: @Sendable (_ name: String, JSONMismatch) -> StoreFailure
    private let isSealed: Bool
    private let quota: StorageQuota
    private let lifetime: @Sendable (Record) -> Duration?

    /// Makes a repository; `subject` is the name of a record in messages, and `removal` the advice for a damaged one.
    package init(
        in store: any KeyValueStore,
        namespace: String,
        prefix: String = "",
        of subject: String,
        removal: String = "'corewire clear environment' removes it with all stored data of the environment",
        isSealed: Bool = false,
        quota: StorageQuota = StorageQuota(),
        lifetime: @escaping @Sendable (Record) -> Duration? = { _ in nil }
    ) {
        self.init(
            in: store,
            namespace: namespace,
            prefix: prefix,
            isSealed: isSealed,
            quota: quota,
            lifetime: lifetime
        ) { name, mismatch in
            let place = mismatch.pointer.isEmpty ? "" : " at '\(mismatch.pointer)'"
            return StoreFailure(
                mismatch.isOfNewerVersion ? .newer : .corrupt,
                "the stored \(subject) \(name.quoted) cannot be read\(place): \(mismatch.detail)",
                help: mismatch.isOfNewerVersion ? "run the version of corewire that wrote it" : removal
            )
        }
    }

    /// Makes a repository with its own failures for records that cannot be read.
    package init(
        in store: any KeyValueStore,
        namespace: String,
        prefix: String = "",
        isSealed: Bool = false,
        quota: StorageQuota = StorageQuota(),
        lifetime: @escaping @Sendable (Record) -> Duration? = { _ in nil },
        unreadable: @escaping @Sendable (_ name: String, JSONMismatch) -> StoreFailure
    ) {
        (self.store, self.namespace, self.prefix) = (store, namespace, prefix)
        (self.isSealed, self.quota, self.lifetime, failure) = (isSealed, quota, lifetime, unreadable)
    }

    /// A record with its version.
    package struct Stored: Sendable {
        package let record: Record
        package let version: Int64

        package init(record: Record, version: Int64) {
            (self.record, self.version) = (record, version)
        }
    }

    // MARK: One record

    package func version(of name: String) async throws(StoreFailure) -> Int64? {
        try await store.summary(prefix + name, in: namespace)?.version
    }

    package func read(_ name: String) async throws(StoreFailure) -> Stored? {
        guard let entry = try await store.entry(prefix + name, in: namespace) else { return nil }
        return try stored(entry, name)
    }

    /// Reads a record; nil also where it exists but cannot be read, and stays unchanged.
    package func readable(
        _ name: String,
        else unreadable: (StoreFailure) -> Void = { _ in }
    ) async throws(StoreFailure) -> Stored? {
        let entry: StoredEntry?
        do throws(StoreFailure) { entry = try await store.entry(prefix + name, in: namespace) } catch {
            // Other failures are not caused by the record.
            guard error.isOfEntry else { throw error }
            unreadable(error)
            return nil
        }
        do throws(StoreFailure) { return try entry.map { entry throws(StoreFailure) in try stored(entry, name) } } catch
        {
            unreadable(error)
            return nil
        }
    }

    private func stored(_ entry: StoredEntry, _ name: String) throws(StoreFailure) -> Stored {
        try stored(entry.bytes, entry.summary.version, name)
    }

    private func stored(_ bytes: [UInt8], _ version: Int64, _ name: String) throws(StoreFailure) -> Stored {
        do throws(JSONMismatch) {
            let record = try Record(parsing: bytes, named: "record", toleratesUnknown: true)
            return Stored(record: record, version: version)
        } catch {
            throw failure(name, error)
        }
    }

    /// Writes a record unless it has changed since it was read; returns its version when it is on the disk.
    package func put(_ record: Record, of name: String, after version: Int64?) async throws(StoreFailure) -> Int64 {
        try await put(record, of: name, if: version.map { .version($0) } ?? .absent).version
    }

    /// Writes a record; returns when it is on the disk.
    @discardableResult
    package func put(_ record: Record, of name: String, if condition: StoreCondition) async throws(StoreFailure)
        -> StoreReceipt
    {
        let lifetime = lifetime(record)
        return try await store.put(
            NewValue(record.bytes, type: "application/json", lifetime: lifetime, isSealed: isSealed, quota: quota),
            under: prefix + name,
            in: namespace,
            if: condition
        )
    }

    /// Adds a record where none exists; returns whether it was added.
    package func add(_ record: Record, of name: String) async throws(StoreFailure) -> Bool {
        try await nilOnConflict { () async throws(StoreFailure) in try await put(record, of: name, if: .absent) } != nil
    }

    /// Updates a record and retries on conflict; nil removes the record, and an unchanged one is not written.
    ///
    /// Returns the result of the last attempt with the stored record.
    @discardableResult
    package func edit<Answer>(
        _ name: String,
        _ change: (inout Record?) async throws(StoreFailure) -> Answer
    ) async throws(StoreFailure) -> (answer: Answer, stored: Stored?) {
        while true {
            let former = try await read(name)
            var record = former?.record
            let answer = try await change(&record)
            if record?.bytes == former?.record.bytes { return (answer, former) }
            do throws(StoreFailure) {
                if let record {
                    let version = try await put(record, of: name, after: former?.version)
                    return (answer, Stored(record: record, version: version))
                }
                if let former { try await remove(name, if: .version(former.version)) }
                return (answer, nil)
            } catch {
                guard error.kind == .conflict else { throw error }
            }
        }
    }

    /// Removes a record, even one that cannot be read; returns whether it existed.
    @discardableResult
    package func remove(_ name: String, if condition: StoreCondition = .always) async throws(StoreFailure) -> Bool {
        try await store.remove(prefix + name, in: namespace, if: condition)
    }

    // MARK: All records

    /// Visits the names of all records, page by page to bound memory.
    package func eachName(_ work: (String) async throws(StoreFailure) -> Void) async throws(StoreFailure) {
        var last: String?
        while true {
            let page = try await names(after: last)
            for name in page { try await work(name) }
            guard let end = page.last else { return }
            last = end
        }
    }

    /// The names of all records, in order.
    package func names() async throws(StoreFailure) -> [String] {
        var names: [String] = []
        while true {
            let page = try await self.names(after: names.last)
            if page.isEmpty { return names }
            names += page
        }
    }

    /// A record of a list; a failure where the record cannot be read.
    package struct Listed: Sendable {
        package let name: String
        package let stored: Result<Stored, StoreFailure>
    }

    /// All records, sorted by name.
    package func list() async throws(StoreFailure) -> [Listed] {
        var found: [Listed] = []
        while true {
            let page = try await list(after: found.last?.name)
            if page.isEmpty { return found }
            found += page
        }
    }

    /// Some records after one, sorted by name; empty only where none follow.
    package func list(after last: String?) async throws(StoreFailure) -> [Listed] {
        try await store.entries(namespace, prefix: prefix, after: last.map { prefix + $0 }, limit: 1_000).map(listed)
    }

    private func listed(_ entry: ListedEntry) -> Listed {
        let name = name(of: entry.summary.key)
        do throws(StoreFailure) {
            let stored = try stored(try entry.bytes.get(), entry.summary.version, name)
            return Listed(name: name, stored: .success(stored))
        } catch {
            return Listed(name: name, stored: .failure(error))
        }
    }

    /// All readable records, sorted by name.
    package func all(unreadable: (StoreFailure) -> Void = { _ in }) async throws(StoreFailure) -> [Stored] {
        var found: [Stored] = []
        for listed in try await list() {
            switch listed.stored {
            case .success(let stored): found.append(stored)
            case .failure(let failure): unreadable(failure)
            }
        }
        return found
    }

    /// The names of some records after one, in order.
    package func names(after last: String?, limit: Int = 1_000) async throws(StoreFailure) -> [String] {
        try await store.list(namespace, prefix: prefix, after: last.map { prefix + $0 }, limit: limit).map {
            name(of: $0.key)
        }
    }

    private func name(of key: String) -> String {
        String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    // MARK: Changes

    /// The records changed or removed since a version.
    package struct Changes: Sendable {
        package var names: Set<String> = []
        /// Whether further records may have changed, because older history is gone.
        package var hasGap = false
        /// The version for the next call.
        package var version: Int64

        package var isEmpty: Bool { names.isEmpty && !hasGap }
    }

    /// The version of the latest change.
    package func latest() async throws(StoreFailure) -> Int64 {
        try await store.changes(after: .max, in: namespace, limit: 1).version
    }

    /// The changes since a version, made by any process.
    package func changes(after version: Int64) async throws(StoreFailure) -> Changes {
        var changes = Changes(version: version)
        let limit = 1_000
        while true {
            let found = try await store.changes(after: changes.version, in: namespace, limit: limit)
            for change in found.changes where change.key.hasPrefix(prefix) {
                changes.names.insert(name(of: change.key))
            }
            changes.hasGap = changes.hasGap || found.hasGap
            changes.version = found.version
            if found.changes.count < limit { return changes }
        }
    }

    /// Calls back whenever records change, made by any process; returns when the task is cancelled.
    ///
    /// To receive the present records too, the first call reports a gap. A failing store, and a change whose handling
    /// fails, are retried after a delay.
    package func follow(
        _ clock: TimeSource,
        withPresent: Bool = false,
        _ changed: (Changes) async throws(StoreFailure) -> Void
    ) async {
        var (seen, isBehind): (Int64?, Bool) = (nil, withPresent)
        while !Task.isCancelled {
            do throws(StoreFailure) {
                let start = if let seen { seen } else { try await latest() }
                var changes = try await changes(after: start)
                changes.hasGap = changes.hasGap || isBehind
                if !changes.isEmpty { try await changed(changes) }
                (seen, isBehind) = (changes.version, false)
                _ = try await store.changed(after: changes.version)
            } catch {
                if seen == nil { isBehind = true }
                try? await clock.sleep(.seconds(5))
            }
        }
    }
}
