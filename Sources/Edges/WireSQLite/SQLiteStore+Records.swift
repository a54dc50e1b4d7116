import WireBase
package import WireStore

extension SQLiteStore: RecordStore {
    package func view(of region: String) throws(StoreFailure) -> any RecordView {
        try CachedRecords(cache, region, sealer)
    }

    package func records(of region: String, after key: String?, limit: Int) throws(StoreFailure) -> FoundRecords {
        let sealer = sealer
        return try cache.read(or: FoundRecords()) { connection throws(StoreFailure) in
            guard let shelf = try connection.recordShelf(region) else { return FoundRecords() }
            let records = try connection.records(on: shelf, after: key ?? "", limit: limit, sealer)
            return FoundRecords(records: records, position: shelf.last, clearing: try connection.lastClearing())
        }
    }

    package func edit(
        _ edit: RecordEdit,
        in region: String,
        deciding decide: @escaping @Sendable (FoundRecords) -> RecordChanges
    ) async throws(StoreFailure) -> RecordReceipt {
        try check(name: region, "region")
        let (sealer, limits) = (sealer, limits)
        let receipt = try await cache.write { connection throws(StoreFailure) in
            var shelf = try connection.recordShelf(making: region)
            let former = shelf.isNew ? 0 : shelf.last
            let changes = decide(try connection.found(by: edit, on: shelf, sealer))
            var isNew = edit.known.keys.isEmpty
            for put in changes.puts {
                guard (1...limits.keySize.bytes).contains(put.key.utf8.count) else {
                    throw StoreFailure(.refused, "expected a key of 1 to \(limits.keySize.bytes) bytes")
                }
                isNew = try connection.put(put, on: &shelf, edit.isSealed ? sealer : nil, expectingNew: isNew)
            }
            for key in changes.removals { try connection.removeRecord(key, on: &shelf) }
            for key in edit.used { try connection.useRecord(key, on: shelf) }
            let evicted = try connection.makeRoom(on: &shelf, edit)
            try connection.keep(shelf)
            let receipt = RecordReceipt(former: former, position: shelf.last, evicted: evicted)
            edit.foreseen(receipt)
            return receipt
        }
        if receipt.position != receipt.former { changes.tell() }
        return receipt
    }

    package func forgetRecords(ofRegionsBeginning prefix: String) async throws(StoreFailure) -> Int {
        let count = try await cache.write { connection throws(StoreFailure) in
            try connection.forgetRecords(ofRegionsBeginning: prefix)
        }
        changes.tell()
        return count
    }

    package func recordsChanged(after position: Int64, in region: String) async throws(StoreFailure) -> Int64 {
        try await changes.wait { () throws(StoreFailure) -> Changes.Look<Int64> in
            let newest = try cache.read(or: 0) { connection throws(StoreFailure) in
                try connection.recordShelf(region)?.last ?? 0
            }
            return newest != position ? .found(newest) : .nothing(again: .seconds(2))
        }
    }

    package func recordUsage(of region: String) throws(StoreFailure) -> StoreUsage {
        try cache.read(or: StoreUsage(entries: 0, size: .bytes(0))) { connection throws(StoreFailure) in
            guard let shelf = try connection.recordShelf(region) else { return StoreUsage(entries: 0, size: .bytes(0)) }
            var row = try connection.statement("SELECT count(*) FROM records WHERE region = ?")
            row.bind(shelf.id)
            return StoreUsage(entries: Int(try row.number() ?? 0), size: .bytes(Int(shelf.bytes)))
        }
    }

    package func recordGlance() -> RecordGlance? { cache.glance }
}

/// A snapshot of a region of the cache; empty where the file is damaged.
private final class CachedRecords: RecordView {
    private let file: CacheFile
    private let held: CacheFile.Held
    private let shelf: RecordShelf?
    let clearing: Int64
    private let sealer: any Sealer

    var position: Int64 { shelf?.last ?? 0 }

    init(_ file: CacheFile, _ region: String, _ sealer: any Sealer) throws(StoreFailure) {
        (self.file, self.sealer) = (file, sealer)
        held = try file.hold()
        (shelf, clearing) = try file.read(held, or: (nil, 0)) { connection throws(StoreFailure) in
            (try connection.recordShelf(region), try connection.lastClearing())
        }
    }

    func records(_ keys: [String]) throws(StoreFailure) -> [String: [UInt8]] {
        guard let shelf else { return [:] }
        let sealer = sealer
        return try file.read(held, or: [:]) { connection throws(StoreFailure) in
            var found: [String: [UInt8]] = [:]
            for key in keys { found[key] = try connection.record(key, on: shelf, sealer) }
            return found
        }
    }

    func changes(after position: Int64, through end: Int64, limit: Int) throws(StoreFailure) -> RecordChangeSet {
        guard let shelf else { return RecordChangeSet(keys: [], hasGap: position != 0, position: 0) }
        let lost = RecordChangeSet(keys: [], hasGap: true, position: min(end, shelf.last))
        return try file.read(held, or: lost) { connection throws(StoreFailure) in
            try connection.recordNews(on: shelf, after: position, through: end, limit: max(1, limit))
        }
    }
}
