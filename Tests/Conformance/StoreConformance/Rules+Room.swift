import WireBase
import WireStore

extension KeyValueStore {
    @discardableResult
    fileprivate func put(
        _ text: String,
        under key: String,
        in namespace: String = "n",
        _ quota: StorageQuota,
        for lifetime: Duration? = nil
    )
        async throws -> StoreReceipt
    {
        let value = NewValue(Array(text.utf8), type: "", lifetime: lifetime, quota: quota)
        return try await put(value, under: key, in: namespace, if: .always)
    }

    fileprivate func keys(_ namespace: String = "n") async throws -> [String] {
        try await list(namespace, prefix: "", after: nil, limit: 100).map(\.key)
    }

    fileprivate func limit(of text: String, under key: String, in namespace: String = "n", _ quota: StorageQuota)
        async throws
        -> StorageQuota.Limit?
    {
        do {
            try await put(text, under: key, in: namespace, quota)
        } catch let failure as StoreFailure {
            try expect(failure.kind, is: .full)
            return failure.limit
        }
        throw Broken(description: "'\(key)' was stored")
    }
}

extension SharedRule {
    static var quota: [Self] {
        [
            Self("a receipt reports whether an entry existed; an expired one did not") { store, clock in
                try expect(try await store.put("1", under: "k", StorageQuota(), for: .seconds(5)).isNew, is: true)
                try expect(try await store.put("2", under: "k", StorageQuota(), for: .seconds(5)).isNew, is: false)
                clock.pass(.seconds(5))
                try expect(try await store.put("3", under: "k", StorageQuota()).isNew, is: true)
            },
            Self("a namespace holds at most its limit of unexpired entries, and the error names the limit") {
                store,
                clock in
                let quota = StorageQuota(entries: 2)
                try await store.put("1", under: "a", quota, for: .seconds(10))
                try await store.put("2", under: "b", quota)
                try expect(try await store.limit(of: "3", under: "c", quota), is: .entries)
                try await store.put("4", under: "b", quota)
                try await store.put("5", under: "c", in: "m", quota)
                clock.pass(.seconds(10))
                try await store.put("6", under: "c", quota)
                try await expect(try store.keys(), is: ["b", "c"])
                // An expired entry that is written again counts again.
                try expect(try await store.limit(of: "7", under: "a", quota), is: .entries)
                // A write that adds nothing is accepted where the limit was lowered.
                try await store.put("8", under: "c", StorageQuota(entries: 1))
            },
            Self("a rewritten expired entry counts with its new size") { store, clock in
                let quota = StorageQuota(size: .bytes(10))
                try await store.put("123456789", under: "a", quota, for: .seconds(10))
                clock.pass(.seconds(10))
                try expect(try await store.limit(of: "1234567890", under: "a", quota), is: .size)
                try await store.put("123456789", under: "a", quota)
                try await expect(try store.usage(of: "n"), is: StoreUsage(entries: 1, size: .bytes(10)))
            },
            Self("namespaces with a common prefix share a limit, without affecting others") { store, _ in
                let quota = StorageQuota(together: StorageQuota.Together("s/", .bytes(10)))
                try await store.put("1234", under: "a", in: "s/1", quota)
                try await store.put("123456789012345", under: "a", in: "t", StorageQuota())
                try await store.put("1234", under: "a", in: "s/2", quota)
                try expect(try await store.limit(of: "", under: "b", in: "s/3", quota), is: .together)
                try await store.put("123", under: "a", in: "s/2", quota)
                try await store.put("", under: "b", in: "s/3", quota)
            },
            Self("the number of non-empty namespaces is limited, per prefix and in total, and existing ones continue") {
                store,
                clock in
                let quota = StorageQuota(namespaces: StorageQuota.Namespaces("s/a/", 2, within: "s/", 3))
                let wider = StorageQuota(namespaces: StorageQuota.Namespaces("s/b/", 2, within: "s/", 3))
                try await store.put("1", under: "k", in: "s/a/1", quota)
                try await store.put("1", under: "k", in: "s/a/2", quota, for: .seconds(10))
                try expect(try await store.limit(of: "1", under: "k", in: "s/a/3", quota), is: .namespaces)
                try await store.put("2", under: "k", in: "s/a/1", quota)
                try await store.put("2", under: "more", in: "s/a/1", quota)
                // Others do not count, nor do empty ones.
                try await store.put("1", under: "k", in: "t", StorageQuota())
                try await store.put("1", under: "k", in: "s/b/1", wider)
                try expect(try await store.remove("k", in: "s/a/2", if: .always), is: true)
                try await store.put("1", under: "k", in: "s/a/3", quota, for: .seconds(10))
                try expect(try await store.limit(of: "1", under: "k", in: "s/b/2", wider), is: .namespacesTogether)
                clock.pass(.seconds(10))
                try await store.put("1", under: "k", in: "s/b/2", wider)
                try expect(try await store.limit(of: "1", under: "k", in: "s/a/3", quota), is: .namespacesTogether)
                try expect(try await store.clear("s/a/1"), is: 2)
                try await store.put("1", under: "k", in: "s/a/3", quota)
                // Without the limit there is always room.
                try await store.put("1", under: "k", in: "s/a/4", StorageQuota())
            },
            Self(
                "under the policy removeOldest, the oldest entries are removed as needed, and the history reports them"
            ) {
                store,
                clock in
                let quota = StorageQuota(entries: 3, removesOldest: true)
                for key in ["a", "b", "c"] { try await store.put("1", under: key, quota) }
                // Written again, it is no longer the oldest.
                try await store.put("2", under: "a", quota)
                let before = try await store.put("3", under: "d", quota)
                try expect(before.removed, is: 1)
                try await expect(try store.keys(), is: ["a", "c", "d"])
                let changes = try await store.changes(after: 0, in: "n", limit: 100).changes
                try expect(changes.filter { $0.kind == .removed }.map(\.key), is: ["b"])
                let size = StorageQuota(size: .bytes(8), removesOldest: true)
                try expect(try await store.put("12345", under: "e", size).removed, is: 2)
                try await expect(try store.keys(), is: ["d", "e"])
                try await expect(try store.usage(of: "n"), is: StoreUsage(entries: 2, size: .bytes(8)))
            },
            Self("an entry that cannot fit evicts nothing, and no entry evicts itself") { store, _ in
                let quota = StorageQuota(size: .bytes(8), removesOldest: true)
                try await store.put("1", under: "a", quota)
                try await store.put("1", under: "b", quota)
                try expect(try await store.limit(of: "12345678", under: "c", quota), is: .size)
                try await expect(try store.keys(), is: ["a", "b"])
                try expect(try await store.put("1234567", under: "a", quota).removed, is: 1)
                try await expect(try store.text("a"), is: "1234567")
                let shared = StorageQuota(together: StorageQuota.Together("", .bytes(12)), removesOldest: true)
                try await store.put("123", under: "x", in: "m", StorageQuota())
                try expect(try await store.limit(of: "123", under: "y", in: "o", shared), is: .together)
                try await expect(try store.keys("m"), is: ["x"])
            },
            Self("expired entries free no space by eviction, and are reported as expired") { store, clock in
                let quota = StorageQuota(entries: 2, removesOldest: true)
                try await store.put("1", under: "a", quota, for: .seconds(1))
                try await store.put("2", under: "b", quota)
                clock.pass(.seconds(1))
                try expect(try await store.put("3", under: "c", quota).removed, is: 0)
                let receipt = try await store.put("4", under: "d", quota)
                try await expect(try store.keys(), is: ["c", "d"])
                try expect(receipt.removed, is: 1)
                try await expect(try store.usage(of: "n").entries, is: 2)
            },
        ]
    }
}
