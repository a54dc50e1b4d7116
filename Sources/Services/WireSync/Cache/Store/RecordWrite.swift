import Synchronization
import WireConfig

/// What is to become of records: values to be merged into them, and a temporary id to be replaced in all that name it.
struct RecordWrite: Sendable {
    let records: [RecordKey: CacheRecord]
    var rewriting: TemporaryID.Rewriting?

    /// The name of the record with the fingerprints of the schema's types.
    static let schema = "~schema"

    init(_ records: [RecordKey: CacheRecord], rewriting: TemporaryID.Rewriting? = nil) {
        self.records = records
        self.rewriting = rewriting
    }

    struct Merged: Sendable {
        struct Put: Sendable {
            let key: RecordKey
            let name: String
            let record: CacheRecord

            /// Whether the record names an object that no server has given an id.
            func namesTemporary(_ bytes: [UInt8]) -> Bool {
                key.text.contains(TemporaryID.prefix) || bytes.contains(Self.prefix)
            }

            private static let prefix = Array(TemporaryID.prefix.utf8)
        }

        var puts: [Put] = []
        var removals: [RecordKey] = []
        /// The records that say something else than before.
        var changed: Set<RecordKey> = []
    }

    /// Merges into what is stored, by the names of the records, or in what memory knows where it is at the same position.
    func merged(
        _ named: [(key: RecordKey, name: String)],
        _ found: [String: [UInt8]],
        _ known: [RecordKey: CacheRecord],
        isKnown: Bool,
        _ digested: [String: RecordKey],
        _ settings: CacheSettings
    ) -> Merged {
        var result = Merged()
        var former: [RecordKey: CacheRecord] = [:]
        for (key, name) in named {
            former[key] = (isKnown ? known[key] : nil) ?? found[name].flatMap { CacheRecord(bytes: $0) }
        }
        let asked = Set(rewriting == nil ? [] : named.map(\.name))
        var new = records
        if let rewriting {
            for (name, bytes) in found where !asked.contains(name) {
                // Where the key is not known, none has asked for the record here.
                let key = name.hasPrefix(CacheSettings.digested) ? digested[name] : RecordKey(name)
                if let key { rewrite(key, bytes, rewriting, &new, &former, &result) }
            }
        }
        for (key, record) in new {
            guard var merged = former.removeValue(forKey: key) else {
                result.changed.insert(key)
                result.puts.append(.init(key: key, name: settings.name(of: key), record: record))
                continue
            }
            if key.isReplaced(by: record, former: merged) {
                if !merged.isSame(as: record) { result.changed.insert(key) }
                merged = record
            } else if merged.merge(record) {
                result.changed.insert(key)
            }
            // What another process has changed meanwhile is news to those who watch it here.
            if !isKnown, known[key].map({ !$0.isSame(as: merged) }) ?? true { result.changed.insert(key) }
            result.puts.append(.init(key: key, name: settings.name(of: key), record: merged))
        }
        return result
    }

    /// Puts a record that names the temporary id in the place where the real one is.
    private func rewrite(
        _ key: RecordKey,
        _ bytes: [UInt8],
        _ rewriting: TemporaryID.Rewriting,
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
        // What a server has said under the real id is newer.
        var merged = rewritten
        if let written = new[place] { merged.merge(written) }
        new[place] = merged
        result.changed.insert(place)
        if former[place] == nil { former[place] = CacheRecord() }
    }
}

/// What an edit has decided last, for the task that waits for it.
final class RecordOutcome: Sendable {
    private let last = Mutex(RecordWrite.Merged())

    func set(_ merged: RecordWrite.Merged) { last.withLock { $0 = merged } }

    var merged: RecordWrite.Merged { last.withLock { $0 } }
}
