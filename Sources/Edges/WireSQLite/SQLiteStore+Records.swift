import WireBase
package import WireStore

extension SQLiteStore: RecordStore {
    package func records(_ keys: [String], in region: String) throws(StoreFailure) -> FoundRecords {
        let sealer = sealer
        return try cache.read(or: FoundRecords()) { connection throws(StoreFailure) in
            guard let shelf = try connection.recordShelf(region) else { return FoundRecords() }
            var found = FoundRecords(position: shelf.last)
            for key in keys { found.records[key] = try connection.record(key, on: shelf, sealer) }
            return found
        }
    }

    package func records(of region: String, after key: String?, limit: Int) throws(StoreFailure) -> FoundRecords {
        let sealer = sealer
        return try cache.read(or: FoundRecords()) { connection throws(StoreFailure) in
            guard let shelf = try connection.recordShelf(region) else { return FoundRecords() }
            let records = try connection.records(on: shelf, after: key ?? "", limit: limit, sealer)
            return FoundRecords(records: records, position: shelf.last)
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
            let former = shelf.last
            let changes = decide(try connection.found(by: edit, on: shelf, sealer))
            for put in changes.puts {
                guard (1...limits.keySize.bytes).contains(put.key.utf8.count) else {
                    throw StoreFailure(.refused, "the key of a record has 1 to \(limits.keySize.bytes) bytes")
                }
                try connection.put(put, on: &shelf, edit.isSealed ? sealer : nil)
            }
            for key in changes.removals { try connection.removeRecord(key, on: &shelf) }
            for key in edit.used { try connection.useRecord(key, on: shelf) }
            let evicted = try connection.makeRoom(on: &shelf, edit)
            try connection.keep(shelf)
            return RecordReceipt(former: former, position: shelf.last, evicted: evicted)
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

    package func recordChanges(after position: Int64, in region: String, limit: Int) throws(StoreFailure) -> RecordNews
    {
        try cache.read(or: RecordNews(keys: [], hasGap: true, position: 0)) { connection throws(StoreFailure) in
            guard let shelf = try connection.recordShelf(region) else {
                return RecordNews(keys: [], hasGap: position != 0, position: 0)
            }
            return try connection.recordNews(on: shelf, after: position, limit: max(1, limit))
        }
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
