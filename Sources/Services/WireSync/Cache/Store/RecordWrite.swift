import Synchronization
import WireConfig
import WireStore

/// A write of records: values to merge, and a temporary id to replace everywhere.
struct RecordWrite: Sendable {
    let records: [RecordKey: CacheRecord]
    /// The time of the request; nil for pushed data and own changes, which are newer than all answers requested before
    /// the write.
    let sent: Moment?
    /// The number of clearings at the request; nothing is written after another one.
    var clearing: Int64?
    var rewriting: TemporaryID.Rewriting?
    /// The lists that get new objects.
    var lists: ListExtension?

    /// The records to read before the write is decided.
    var keys: [RecordKey] { Array(records.keys) + (lists?.keys ?? []).filter { records[$0] == nil } }

    /// The name of the record with the schema's fingerprints.
    static let schema = "~schema"

    init(_ records: [RecordKey: CacheRecord], sent: Moment? = nil, rewriting: TemporaryID.Rewriting? = nil) {
        (self.records, self.sent, self.rewriting) = (records, sent, rewriting)
    }

    /// The records relative to the region's present position.
    private func records(at position: Int64) -> [RecordKey: CacheRecord] {
        let right: Int64
        if let sent {
            // A later position was taken before the region was recreated.
            guard sent.position > position else { return records }
            right = position
        } else {
            right = position + 1
        }
        return records.mapValues { record in
            var record = record
            record.move(to: right)
            return record
        }
    }

    struct Merged: Sendable {
        struct Put: Sendable {
            let key: RecordKey
            let name: String
            let record: CacheRecord

            /// Whether the record names an object without an id of the server.
            func namesTemporary(_ bytes: [UInt8]) -> Bool {
                key.text.contains(TemporaryID.prefix) || bytes.contains(Self.prefix)
            }

            private static let prefix = Array(TemporaryID.prefix.utf8)
        }

        var puts: [Put] = []
        var removals: [RecordKey] = []
        /// The records whose values have changed.
        var changed: Set<RecordKey> = []
    }

    /// Merges into what is stored, by the names of the records, or in what memory knows where it is at the same position.
    func merged(
        _ named: [(key: RecordKey, name: String)],
        _ found: FoundRecords,
        _ known: [RecordKey: CacheRecord],
        isKnown: Bool,
        _ digested: RecentlyRead<String, RecordKey>,
        _ settings: CacheSettings
    ) -> Merged {
        var result = Merged()
        var former: [RecordKey: CacheRecord] = [:]
        func stored(_ key: RecordKey, _ name: String) -> CacheRecord? {
            (isKnown ? known[key] : nil) ?? found.records[name].flatMap { CacheRecord(bytes: $0) }
        }
        if rewriting != nil || lists != nil { for (key, name) in named { former[key] = stored(key, name) } }
        let asked = Set(rewriting == nil ? [] : named.map(\.name))
        var new = records(at: found.position)
        for (key, record) in lists?.extended(by: new, over: former) ?? [:] where new[key]?.merge(record) == nil {
            new[key] = record
        }
        if let rewriting {
            for (key, record) in former where key == rewriting(key) {
                let rewritten = rewriting(record)
                if rewritten != record { result.changed.insert(key) }
                former[key] = rewritten
            }
            for (name, bytes) in found.records where !asked.contains(name) {
                // An unknown key was never requested here.
                guard let key = Self.key(name, digested) else { continue }
                let place = settings.name(of: rewriting(key))
                rewrite(key, bytes, rewriting, found.records[place], &new, &former, &result)
            }
        }
        result.puts.reserveCapacity(new.count)
        for (key, record) in new {
            let name = settings.name(of: key)
            guard var merged = rewriting == nil ? stored(key, name) : former.removeValue(forKey: key) else {
                result.changed.insert(key)
                result.puts.append(.init(key: key, name: name, record: record))
                continue
            }
            if key.isReplaced(by: record, former: merged) {
                guard merged.newest <= record.newest else { continue }
                if !merged.isSame(as: record) { result.changed.insert(key) }
                merged = record
            } else if merged.merge(record) {
                result.changed.insert(key)
            }
            // Changes of another process since then are reported to watchers here.
            if !isKnown, known[key].map({ !$0.isSame(as: merged) }) ?? true { result.changed.insert(key) }
            result.puts.append(.init(key: key, name: name, record: merged))
        }
        return result
    }

    static func key(_ name: String, _ digested: RecentlyRead<String, RecordKey>) -> RecordKey? {
        name.hasPrefix(CacheSettings.digested) ? digested.find(name) : RecordKey(name)
    }

    /// Moves a record with the temporary id to the real one.
    private func rewrite(
        _ key: RecordKey,
        _ bytes: [UInt8],
        _ rewriting: TemporaryID.Rewriting,
        _ stored: [UInt8]?,
        _ new: inout [RecordKey: CacheRecord],
        _ former: inout [RecordKey: CacheRecord],
        _ result: inout Merged
    ) {
        guard let record = CacheRecord(bytes: bytes) else { return }
        let (place, rewritten) = (rewriting(key), rewriting(record))
        guard place != key || rewritten != record else { return }
        if place != key {
            result.removals.append(key)
            result.changed.insert(key)
        }
        // The server's data under the real id are newer.
        var merged = rewritten
        if let written = new[place] { merged.merge(written) }
        new[place] = merged
        result.changed.insert(place)
        if former[place] == nil { former[place] = stored.flatMap { CacheRecord(bytes: $0) } ?? CacheRecord() }
    }
}

/// The last decision of an edit, for the task that waits for it.
final class RecordOutcome: Sendable {
    private let last = Mutex(RecordWrite.Merged())

    func set(_ merged: RecordWrite.Merged) { last.withLock { $0 = merged } }

    var merged: RecordWrite.Merged { last.withLock { $0 } }
}
