import WireBase
package import WireHTTP
package import WireStore

/// Records of one kind in a namespace of the store, each read and written by its description.
///
/// A record of a newer version, or one that lacks what it must have, is an error and left as it is. Members that a newer
/// program has added are left out when this one writes the record again.
package struct KeptRecords<Record: JSONRecord & Equatable>: Sendable {
    private let store: any KeyValueStore
    package let namespace: String
    /// What the keys of these records begin with, of all that the namespace holds.
    private let prefix: String
    /// What a record is of, for messages: `task`.
    private let subject: String

    package init(in store: any KeyValueStore, namespace: String, prefix: String = "", of subject: String) {
        (self.store, self.namespace, self.prefix, self.subject) = (store, namespace, prefix, subject)
    }

    /// A record, and which version of it.
    package struct Kept: Sendable {
        package let record: Record
        package let version: Int64

        package init(record: Record, version: Int64) {
            (self.record, self.version) = (record, version)
        }
    }

    // MARK: One record

    package func version(of name: String) throws(StoreFailure) -> Int64? {
        try store.summary(prefix + name, in: namespace)?.version
    }

    package func read(_ name: String) throws(StoreFailure) -> Kept? {
        guard let entry = try store.entry(prefix + name, in: namespace) else { return nil }
        do throws(JSONMismatch) {
            let record = try Record(parsing: entry.bytes, named: "record", toleratesUnknown: true)
            return Kept(record: record, version: entry.summary.version)
        } catch {
            let place = error.pointer.isEmpty ? "" : " at '\(error.pointer)'"
            throw StoreFailure(
                error.isOfNewerVersion ? .newer : .corrupt,
                "the stored record of the \(subject) \(name.quoted) cannot be read\(place): \(error.detail)",
                help: error.isOfNewerVersion
                    ? "run the version that wrote it"
                    : "'corewire clear environment' removes it with all that is stored for the environment"
            )
        }
    }

    /// Writes a record unless it has changed since it was read; returns its version when it is on the disk.
    package func put(_ record: Record, of name: String, after version: Int64?) async throws(StoreFailure) -> Int64 {
        try await store.put(
            NewValue(record.bytes, type: "application/json"),
            under: prefix + name,
            in: namespace,
            if: version.map { .version($0) } ?? .absent
        ).version
    }

    /// Changes a record, and retries on conflict; nil removes it, and one that stays the same is not written.
    package func edit<Answer>(
        _ name: String,
        _ change: (inout Record?) -> Answer
    ) async throws(StoreFailure) -> Answer {
        while true {
            do throws(StoreFailure) {
                let kept = try read(name)
                var record = kept?.record
                let answer = change(&record)
                if let record {
                    if record != kept?.record { _ = try await put(record, of: name, after: kept?.version) }
                } else if let kept {
                    _ = try await store.remove(prefix + name, in: namespace, if: .version(kept.version))
                }
                return answer
            } catch {
                guard error.kind == .conflict else { throw error }
            }
        }
    }

    // MARK: All records

    /// The names of all records, in pages, so that no more of them are held at once.
    package func eachName(_ work: (String) async throws(StoreFailure) -> Void) async throws(StoreFailure) {
        var after: String?
        while true {
            let page = try store.list(namespace, prefix: prefix, after: after, limit: 256)
            for summary in page {
                try await work(String(decoding: summary.key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
            }
            guard let last = page.last else { return }
            after = last.key
        }
    }

    /// The version of the latest change.
    package func latest() throws(StoreFailure) -> Int64 {
        try store.changes(after: .max, in: namespace, limit: 1).version
    }

    /// Returns the version of the latest change after one, when there is one, by this process or another; nil where that
    /// cannot be told.
    package func changed(after version: Int64) async -> Int64? {
        var version = version
        do throws(StoreFailure) {
            while true {
                let found = try store.changes(after: version, in: namespace, limit: 256)
                version = found.version
                if found.hasGap || !found.changes.isEmpty { return version }
                _ = try await store.changed(after: version)
            }
        } catch {
            return nil
        }
    }
}
