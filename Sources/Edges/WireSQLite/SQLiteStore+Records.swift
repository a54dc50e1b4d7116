import WireBase
package import WireStore

extension SQLiteStore: RecordStore {
    package func view(of region: String) throws(StoreFailure) -> any RecordView {
        try CachedRecords(cache, region, sealer)
    }

    package func records(of region: String, after key: String?, limit: Int) throws(StoreFailure) -> FoundRecords {
        let sealer = sealer
        return try cache.read(or: FoundRecords()) { connection throws(StoreFailure) in
            guard let table = try connection.recordRegion(region) else { return FoundRecords() }
            let records = try connection.records(on: table, after: key ?? "", limit: limit, sealer)
            return FoundRecords(records: records, position: table.last, clearing: try connection.lastClearing())
        }
    }

    package func edit(
        _ edit: RecordEdit,
        in region: String,
        deciding decide: @escaping @Sendable (FoundRecords) -> RecordChanges
    ) async throws(StoreFailure) -> RecordReceipt {
        try limits.check(name: region, "region")
        let (sealer, limits) = (sealer, limits)
        let receipt = try await cache.write { connection throws(StoreFailure) in
            var table = try connection.recordRegion(making: region)
            let former = table.isNew ? 0 : table.last
            let changes = decide(try connection.found(by: edit, on: table, sealer))
            var isNew = edit.known.keys.isEmpty
            for put in changes.puts {
                guard (1...limits.keySize.bytes).contains(put.key.utf8.count) else {
                    throw StoreFailure(.refused, "expected a key of 1 to \(limits.keySize.bytes) bytes")
                }
                isNew = try connection.put(put, on: &table, edit.isSealed ? sealer : nil, expectingNew: isNew)
            }
            for key in changes.removals { try connection.removeRecord(key, on: &table) }
            for key in edit.used { try connection.useRecord(key, on: table) }
            let evicted = try connection.makeRoom(on: &table, edit)
            try connection.keep(table)
            let receipt = RecordReceipt(former: former, position: table.last, evicted: evicted)
            edit.foreseen(receipt)
            return receipt
        }
        if receipt.position != receipt.former { changes.notify([.records]) }
        return receipt
    }

    package func forgetRecords(ofRegionsBeginning prefix: String) async throws(StoreFailure) -> Int {
        let count = try await cache.write { connection throws(StoreFailure) in
            try connection.forgetRecords(ofRegionsBeginning: prefix)
        }
        changes.notify([.records])
        return count
    }

    package func recordCount(ofRegionsBeginning prefix: String) throws(StoreFailure) -> Int {
        try cache.read(or: 0) { connection throws(StoreFailure) in
            try connection.recordCount(ofRegionsBeginning: prefix)
        }
    }

    package func recordsChanged(after position: Int64, in region: String) async throws(StoreFailure) -> Int64 {
        try await changes.wait(for: .records) { () throws(StoreFailure) -> Changes.Lookup<Int64> in
            let newest = try cache.read(or: 0) { connection throws(StoreFailure) in
                try connection.recordRegion(region)?.last ?? 0
            }
            return newest != position ? .found(newest) : .nothing(again: .seconds(2))
        }
    }

    package func recordUsage(of region: String) throws(StoreFailure) -> StoreUsage {
        try cache.read(or: StoreUsage(entries: 0, size: .bytes(0))) { connection throws(StoreFailure) in
            guard let table = try connection.recordRegion(region) else {
                return StoreUsage(entries: 0, size: .bytes(0))
            }
            var row = try connection.statement("SELECT count(*) FROM records WHERE region = ?")
            row.bind(table.id)
            return StoreUsage(entries: Int(try row.number() ?? 0), size: .bytes(Int(table.bytes)))
        }
    }

    package func recordGlance() -> RecordGlance? { cache.glance }
}

/// A snapshot of a region of the cache; empty where the file is damaged.
private final class CachedRecords: RecordView {
    private let file: CacheFile
    private let held: CacheFile.Held
    private let table: RecordRegion?
    let clearing: Int64
    private let sealer: any Sealer

    var position: Int64 { table?.last ?? 0 }

    init(_ file: CacheFile, _ region: String, _ sealer: any Sealer) throws(StoreFailure) {
        (self.file, self.sealer) = (file, sealer)
        held = try file.hold()
        (table, clearing) = try file.read(held, or: (nil, 0)) { connection throws(StoreFailure) in
            (try connection.recordRegion(region), try connection.lastClearing())
        }
    }

    func records(_ keys: [String]) throws(StoreFailure) -> [String: [UInt8]] {
        guard let table else { return [:] }
        let sealer = sealer
        return try file.read(held, or: [:]) { connection throws(StoreFailure) in
            var found: [String: [UInt8]] = [:]
            for key in keys { found[key] = try connection.record(key, on: table, sealer) }
            return found
        }
    }

    func changes(after position: Int64, through end: Int64, limit: Int) throws(StoreFailure) -> RecordChangeSet {
        guard let table else { return RecordChangeSet(keys: [], hasGap: position != 0, position: 0) }
        let lost = RecordChangeSet(keys: [], hasGap: true, position: min(end, table.last))
        return try file.read(held, or: lost) { connection throws(StoreFailure) in
            try connection.recordChanges(on: table, after: position, through: end, limit: max(1, limit))
        }
    }
}
