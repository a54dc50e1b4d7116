package import WireBase

extension StoreLimits {
    package func check(name: String, _ what: String) throws(StoreFailure) {
        try Self.check(name, what, nameSize.bytes)
    }

    package func check(key: String, _ what: String) throws(StoreFailure) {
        try Self.check(key, what, keySize.bytes)
    }

    private static func check(_ text: String, _ what: String, _ limit: Int) throws(StoreFailure) {
        let size = text.utf8.count
        guard size == 0 || size > limit else { return }
        throw StoreFailure(.refused, "expected a \(what) of 1 to \(limit) bytes, found \(size)")
    }

    package func check(size: Int, _ what: String) throws(StoreFailure) {
        guard size > valueSize.bytes else { return }
        throw StoreFailure(.full, "a \(what) may have \(valueSize) at most, found \(size) bytes", limit: .value)
    }
}

extension StoreCondition {
    /// Throws if a condition does not hold for the present version of an entry, nil where there is none.
    package func check(_ key: String, _ version: Int64?) throws(StoreFailure) {
        switch self {
        case .always: return
        case .absent:
            if version != nil { throw StoreFailure(.conflict, "the entry '\(key)' exists already") }
        case .present:
            if version == nil { throw StoreFailure(.conflict, "the entry '\(key)' does not exist") }
        case .version(let expected) where version != expected:
            let found = version.map { "has version \($0)" } ?? "does not exist"
            throw StoreFailure(.conflict, "the entry '\(key)' \(found), expected version \(expected)")
        case .version: return
        }
    }
}

extension StorageQuota {
    /// The failure of a write after which a limit would be exceeded.
    package func failure(_ limit: Limit, of namespace: String, wouldHold held: Int64) -> StoreFailure {
        let reason =
            switch limit {
            case .entries: "'\(namespace)' may hold \(entries ?? 0) entries at most, and would hold \(held)"
            case .size, .value: "'\(namespace)' may hold \(size?.bytes ?? 0) bytes at most, and would hold \(held)"
            case .together:
                "'\(together?.prefix ?? "")' may hold \(together?.size.bytes ?? 0) bytes at most, and would hold \(held)"
            case .namespaces:
                "'\(namespace)' exceeds the limit of \(namespaces?.count ?? 0) namespaces in '\(namespaces?.prefix ?? "")'"
            case .namespacesTogether:
                "'\(namespace)' exceeds the limit of \(namespaces?.widerCount ?? 0) namespaces in '\(namespaces?.widerPrefix ?? "")'"
            }
        return StoreFailure(.full, reason, limit: limit)
    }
}

extension QueueQuota {
    /// The maximum total size of a queue's items.
    package func size(_ limits: StoreLimits) -> ByteCount { size ?? limits.queueSize }

    /// The failure of an addition to a queue after which it would have too many items.
    package func tooMany(in queue: String) -> StoreFailure {
        StoreFailure(.full, "the queue '\(queue)' is full, with \(entries ?? 0) items", limit: .entries)
    }

    /// The failure of an addition to a queue after which its items would be too large.
    package func tooLarge(in queue: String, wouldHold held: Int64, _ limits: StoreLimits) -> StoreFailure {
        StoreFailure(
            .full,
            "the queue '\(queue)' may hold \(size(limits)) at most, and would hold \(held) bytes",
            limit: .size
        )
    }

    /// Throws if an item alone is larger than the queue may be.
    package func check(_ weight: Int64, fits queue: String, _ limits: StoreLimits) throws(StoreFailure) {
        guard weight > Int64(size(limits).bytes) else { return }
        throw StoreFailure(
            .full,
            "the queue '\(queue)' may hold \(size(limits)) at most, this item has \(weight) bytes",
            limit: .size
        )
    }
}
