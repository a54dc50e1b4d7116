import WireBase
import WireStore

extension EntryWrite {
    /// The size that a write adds.
    struct Growth {
        /// The size of key and value.
        let weight: Int64
        /// The size of the replaced entry; nil where there is none or it has expired.
        let replacing: Int64?
        /// The row that is overwritten.
        let row: Int64?

        var bytes: Int64 { weight - (replacing ?? 0) }
        var entries: Int64 { replacing == nil ? 1 : 0 }
    }

    private typealias Held = (entries: Int64, bytes: Int64)

    /// An entry that may be deleted.
    private struct Old {
        let id: Int64
        let key: String
        let weight: Int64
        let isExpired: Bool
    }

    /// Deletes entries so that a write stays within the limits; returns their number.
    func makeRoom(_ quota: StorageQuota, for growth: Growth, in connection: inout Connection) throws(StoreFailure)
        -> Int
    {
        if quota.namespaces != nil, growth.entries > 0 { try checkNamespaces(quota, in: &connection) }
        let excess = try excess(over: quota, growth, in: &connection)
        guard let reached = excess.reached else { return 0 }
        let isPossible = quota.size.map { growth.weight <= $0.bytes } ?? true
        guard quota.removesOldest, isPossible else { throw full(quota, reached, excess) }
        let (leaving, isEnough) = try oldest(for: excess, besides: growth.row, in: &connection)
        guard isEnough else { throw full(quota, reached, excess) }
        for old in leaving {
            _ = try connection.record(old.isExpired ? .expired : .removed, namespace, old.key, keeping: history)
            var row = try connection.statement("DELETE FROM entries WHERE id = ?")
            row.bind(old.id)
            try row.run()
            try connection.grow(namespace, entries: -1, bytes: -old.weight)
        }
        return leaving.count { !$0.isExpired }
    }

    /// Throws if the write would create one namespace too many.
    private func checkNamespaces(_ quota: StorageQuota, in connection: inout Connection) throws(StoreFailure) {
        guard let limit = quota.namespaces, try !connection.isPresent(namespace, at: now) else { return }
        for (count, prefix, which): (Int, String, StorageQuota.Limit) in [
            (limit.count, limit.prefix, .namespaces), (limit.widerCount, limit.widerPrefix, .namespacesTogether),
        ] where try connection.hasNamespaces(count, below: prefix, at: now) {
            throw quota.failure(which, of: namespace, wouldHold: Int64(count) + 1)
        }
    }

    /// The amounts by which the limits would be exceeded.
    private struct Excess {
        var entries: Int64 = 0
        var size: Int64 = 0
        var together: Int64 = 0

        /// The exceeded limit, the narrowest first.
        var reached: StorageQuota.Limit? {
            entries > 0 ? .entries : size > 0 ? .size : together > 0 ? .together : nil
        }
    }

    private func excess(over quota: StorageQuota, _ growth: Growth, in connection: inout Connection)
        throws(StoreFailure) -> Excess
    {
        var excess = Excess()
        if quota.entries != nil || quota.size != nil, growth.entries > 0 || growth.bytes > 0 {
            let held = try connection.usage(of: namespace)
            func set(_ held: Held) {
                if let limit = quota.entries, growth.entries > 0 {
                    excess.entries = max(0, held.entries + growth.entries - Int64(limit))
                }
                if let limit = quota.size, growth.bytes > 0 {
                    excess.size = max(0, held.bytes + growth.bytes - Int64(limit.bytes))
                }
            }
            set(held)
            // Counting expired entries reads each of them, so this is done only at a limit.
            if excess.reached != nil {
                let gone = try connection.expired(in: namespace, at: now)
                set((held.entries - gone.entries, held.bytes - gone.bytes))
            }
        }
        if let limit = quota.together, growth.bytes > 0 {
            excess.together = try self.excess(over: limit, growth, in: &connection)
        }
        return excess
    }

    private func excess(over limit: StorageQuota.Together, _ growth: Growth, in connection: inout Connection)
        throws(StoreFailure) -> Int64
    {
        func over(_ bytes: Int64) -> Int64 { max(0, bytes + growth.bytes - Int64(limit.size.bytes)) }
        // If all entries together fit, a part of them does too.
        guard over(try connection.usage(of: "").bytes) > 0 else { return 0 }
        let held = try connection.usage(below: limit.prefix)
        guard over(held) > 0 else { return 0 }
        return over(held - (try connection.expired(below: limit.prefix, at: now)))
    }

    /// Returns the oldest entries that have to be deleted, and whether deleting them is enough.
    private func oldest(for excess: Excess, besides row: Int64?, in connection: inout Connection)
        throws(StoreFailure) -> (entries: [Old], isEnough: Bool)
    {
        var rows = try connection.statement(
            "SELECT id, key, size, expires FROM entries WHERE namespace = ? ORDER BY version"
        )
        rows.bind(namespace)
        var (entries, bytes) = (excess.entries, max(excess.size, excess.together))
        var leaving: [Old] = []
        while entries > 0 || bytes > 0, try rows.step() {
            let id = rows.integer(0)
            if id == row { continue }
            let key = rows.text(1)
            let old = Old(
                id: id,
                key: key,
                weight: rows.integer(2) + Int64(key.utf8.count),
                isExpired: rows.optionalInteger(3).map { $0 <= now } ?? false
            )
            leaving.append(old)
            // Expired entries did not count, so deleting them gains nothing.
            if old.isExpired { continue }
            entries -= 1
            bytes -= old.weight
        }
        return (leaving, entries <= 0 && bytes <= 0)
    }

    private func full(_ quota: StorageQuota, _ limit: StorageQuota.Limit, _ excess: Excess) -> StoreFailure {
        let held =
            switch limit {
            case .entries: Int64(quota.entries ?? 0) + excess.entries
            case .together: Int64(quota.together?.size.bytes ?? 0) + excess.together
            case .size, .value, .namespaces, .namespacesTogether: Int64(quota.size?.bytes ?? 0) + excess.size
            }
        return quota.failure(limit, of: namespace, wouldHold: held)
    }
}
