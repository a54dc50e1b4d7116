import WireBase
import WireStore

extension NewValue {
    init(text: String, lifetime: Duration? = nil, quota: Int? = nil, storeQuota: Int? = nil, isSealed: Bool = false) {
        self.init(
            Array(text.utf8),
            type: "text/plain",
            lifetime: lifetime,
            isSealed: isSealed,
            quota: StorageQuota(
                size: quota.map(ByteCount.bytes),
                together: storeQuota.map { StorageQuota.Together("", .bytes($0)) }
            )
        )
    }
}

extension KeyValueStore {
    func text(_ key: String, in namespace: String = "n") async throws -> String? {
        try await entry(key, in: namespace).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @discardableResult
    func put(_ text: String, under key: String, in namespace: String = "n", if condition: StoreCondition = .always)
        async throws -> StoreReceipt
    {
        try await put(NewValue(text: text), under: key, in: namespace, if: condition)
    }
}

extension SharedRule {
    static var keyValue: [Self] {
        [
            Self("an entry is read back with its value and metadata") { store, clock in
                let put = try await store.put("dark", under: "theme")
                let entry = try await store.entry("theme", in: "n")
                try expect(entry?.bytes, is: Array("dark".utf8))
                try expect(entry?.summary.version, is: put.version)
                try expect(entry?.summary.type, is: "text/plain")
                try expect(entry?.summary.size, is: 4)
                try expect(entry?.summary.modified, is: clock.clock.now())
                try await expect(try store.entry("theme", in: "other") == nil, "a namespace sees its own entries")
            },
            Self("keys are compared as bytes, case and accents included, and may be any text") { store, _ in
                let keys = ["a", "A", "e\u{301}", "\u{e9}", "a\u{0}b", "a\u{0}c", "%_'\"/\\", "\u{10ffff}", " "]
                for key in keys { try await store.put(key, under: key, if: .absent) }
                for key in keys { try await expect(try store.text(key).map { Array($0.utf8) }, is: Array(key.utf8)) }
                try await expect(try store.usage(of: "n").entries, is: keys.count)
            },
            Self("a value may be empty, and may contain any bytes") { store, _ in
                let all = (0...255).map(UInt8.init)
                for (key, bytes) in [("empty", []), ("all", all)] {
                    for isSealed in [false, true] {
                        let value = NewValue(bytes, type: "", isSealed: isSealed)
                        _ = try await store.put(value, under: key, in: "n", if: .always)
                        try await expect(try store.entry(key, in: "n")?.bytes, is: bytes)
                        try await expect(try store.entry(key, in: "n")?.summary.size, is: bytes.count)
                    }
                }
            },
            Self("a write with a false condition changes nothing") { store, _ in
                let first = try await store.put("1", under: "k", if: .absent)
                try expect(try await failure { try await store.put("2", under: "k", if: .absent) }, is: .conflict)
                try expect(try await failure { try await store.put("2", under: "x", if: .present) }, is: .conflict)
                let second = try await store.put("2", under: "k", if: .version(first.version))
                let stale = StoreCondition.version(first.version)
                try expect(try await failure { try await store.put("3", under: "k", if: stale) }, is: .conflict)
                try expect(try await failure { try await store.remove("k", in: "n", if: stale) }, is: .conflict)
                try await expect(try store.text("k"), is: "2")
                try expect(try await store.remove("k", in: "n", if: .version(second.version)), is: true)
                try expect(try await store.remove("k", in: "n", if: .always), is: false)
                try expect(try await failure { try await store.remove("k", in: "n", if: .present) }, is: .conflict)
            },
            Self("versions increase with each change and are never reused") { store, _ in
                var versions: [Int64] = []
                for _ in 0..<3 {
                    versions.append(try await store.put("v", under: "k").version)
                    _ = try await store.remove("k", in: "n", if: .always)
                }
                try expect(versions == versions.sorted() && Set(versions).count == 3, "\(versions)")
            },
            Self("a list returns the keys of a prefix in byte order, page by page") { store, _ in
                let keys = ["a", "a/", "a/1", "a/2", "a/\u{e9}", "a/\u{10ffff}", "a0", "b"]
                for key in keys.reversed() { try await store.put("", under: key) }
                try await expect(try store.list("n", prefix: "", after: nil, limit: 100).map(\.key), is: keys)
                var paged: [String] = []
                while true {
                    let page = try await store.list("n", prefix: "a/", after: paged.last, limit: 2)
                    if page.isEmpty { break }
                    paged += page.map(\.key)
                }
                try expect(paged, is: Array(keys[1...5]))
                try await expect(try store.list("n", prefix: "", after: nil, limit: 0).count, is: 0)
            },
            Self("a list with values returns the entries of a prefix, page by page, and opens sealed ones") {
                store,
                _ in
                for number in 1...5 {
                    let value = NewValue(text: "value \(number)", isSealed: number % 2 == 0)
                    _ = try await store.put(value, under: "a/\(number)", in: "n", if: .always)
                }
                try await store.put("other", under: "b")
                var found: [ListedEntry] = []
                while true {
                    let page = try await store.entries("n", prefix: "a/", after: found.last?.summary.key, limit: 2)
                    if page.isEmpty { break }
                    found += page
                }
                try expect(found.map(\.summary.key), is: (1...5).map { "a/\($0)" })
                let texts = try found.map { String(decoding: try $0.bytes.get(), as: UTF8.self) }
                try expect(texts, is: (1...5).map { "value \($0)" })
            },
            Self("an expired entry is absent for every operation at once") { store, clock in
                let value = NewValue(text: "x", lifetime: .seconds(60))
                let put = try await store.put(value, under: "k", in: "n", if: .absent)
                try expect(put.expires, is: put.modified + 60_000)
                try await store.put("y", under: "stays")
                clock.pass(.seconds(59))
                try await expect(try store.text("k"), is: "x")
                clock.pass(.seconds(1))
                try await expect(try store.text("k"), is: nil)
                try await expect(try store.list("n", prefix: "", after: nil, limit: 9).map(\.key), is: ["stays"])
                try await expect(try store.usage(of: "n"), is: StoreUsage(entries: 1, size: .bytes(6)))
                try expect(try await store.remove("k", in: "n", if: .always), is: false)
                _ = try await store.put(value, under: "k", in: "n", if: .absent)
                _ = try await store.remove("stays", in: "n", if: .always)
                clock.pass(.seconds(61))
                try await expect(try store.namespaces(), is: [])
                try expect(try await store.clear("n"), is: 0)
            },
            Self("sizes and counts stay exact after every operation") { store, _ in
                try await store.put("1234", under: "a")
                try await store.put("12", under: "bb")
                try await store.put("1", under: "a")
                try await expect(try store.usage(of: "n"), is: StoreUsage(entries: 2, size: .bytes(2 + 4)))
                _ = try await store.put(NewValue(text: "sealed", isSealed: true), under: "c", in: "m", if: .always)
                try await expect(try store.usage(of: "m"), is: StoreUsage(entries: 1, size: .bytes(7)))
                try await expect(try store.namespaces(), is: ["m", "n"])
                _ = try await store.remove("bb", in: "n", if: .always)
                try expect(try await store.clear("n"), is: 1)
                try await expect(try store.usage(of: "n"), is: StoreUsage(entries: 0, size: .bytes(0)))
                try await expect(try store.namespaces(), is: ["m"])
            },
            Self("quotas apply to a namespace and to all namespaces, without expired entries") {
                store,
                clock in
                let short = NewValue(text: "123456789", lifetime: .seconds(10), quota: 20)
                _ = try await store.put(short, under: "a", in: "n", if: .always)
                _ = try await store.put(NewValue(text: "123456789", quota: 20), under: "b", in: "n", if: .always)
                let more = NewValue(text: "1", quota: 20)
                try expect(try await failure { try await store.put(more, under: "c", in: "n", if: .always) }, is: .full)
                // Elsewhere there is room, until the total is too large.
                let elsewhere = NewValue(text: "1", quota: 20, storeQuota: 22)
                _ = try await store.put(elsewhere, under: "c", in: "m", if: .always)
                try expect(
                    try await failure { try await store.put(elsewhere, under: "d", in: "m", if: .always) },
                    is: .full
                )
                // A smaller value is accepted even above the quota.
                _ = try await store.put(NewValue(text: "", quota: 1), under: "b", in: "n", if: .always)
                _ = try await store.put(NewValue(text: "123456789", quota: 20), under: "b", in: "n", if: .always)
                clock.pass(.seconds(10))
                _ = try await store.put(more, under: "c", in: "n", if: .always)
                try await expect(try store.usage(of: "n"), is: StoreUsage(entries: 2, size: .bytes(12)))
            },
            Self(
                "empty or too long names and keys, and too large values, are rejected",
                limits: smallValues
            ) { store, _ in
                let (name, key) = (String(repeating: "n", count: 255), String(repeating: "k", count: 1_024))
                try await store.put("12345678", under: key, in: name)
                for (key, namespace) in [("", "n"), ("k", ""), (key + "k", "n"), ("k", name + "n")] {
                    try expect(try await failure { try await store.put("", under: key, in: namespace) }, is: .refused)
                }
                try expect(try await failure { try await store.put("123456789", under: "k") }, is: .full)
                try await store.add("12345678")
                try expect(try await failure { try await store.add("123456789") }, is: .full)
            },
            Self("of many concurrent conditional writes, exactly one succeeds, and each caller learns its result") {
                store,
                _ in
                let won = await withTaskGroup(of: Int?.self) { group in
                    for number in 0..<64 {
                        group.addTask {
                            let put = try? await store.put("\(number)", under: "k", if: .absent)
                            return put == nil ? nil : number
                        }
                    }
                    return await group.reduce(into: [Int]()) { $0 += $1.map { [$0] } ?? [] }
                }
                try expect(won.count, is: 1)
                try await expect(try store.text("k"), is: "\(won[0])")
            },
        ]
    }

    static var history: [Self] {
        [
            Self("the history returns each change once, oldest first, from any version, for one namespace or all") {
                store,
                clock in
                let first = try await store.put("1", under: "a", in: "n")
                try await store.put("2", under: "b", in: "m")
                _ = try await store.put(NewValue(text: "3", lifetime: .seconds(1)), under: "a", in: "n", if: .always)
                clock.pass(.seconds(2))
                _ = try await store.clear("n")
                _ = try await store.remove("b", in: "m", if: .always)
                let all = try await store.changes(after: 0, in: nil, limit: 100)
                try expect(all.changes.map(\.kind), is: [.put, .put, .put, .expired, .removed])
                try expect(all.hasGap, is: false)
                let versions = all.changes.map(\.version)
                try expect(versions == versions.sorted() && Set(versions).count == 5, "\(versions)")
                let some = try await store.changes(after: first.version, in: "n", limit: 1)
                try expect(some.changes.map(\.key), is: ["a"])
                let rest = try await store.changes(after: some.version, in: "n", limit: 100)
                try expect(rest.changes.map(\.kind), is: [.expired])
                try expect(rest.version, is: all.version)
                try await expect(try store.changes(after: rest.version, in: nil, limit: 100).changes.count, is: 0)
            },
            Self("a history that is too short reports a gap", limits: short) { store, _ in
                for number in 0..<600 { try await store.put("\(number)", under: "k") }
                let old = try await store.changes(after: 1, in: nil, limit: 1)
                try expect(old.hasGap, is: true)
                let newest = try await store.changes(after: 0, in: nil, limit: 10_000)
                try expect(newest.changes.count >= 10 && newest.changes.count < 300, "\(newest.changes.count) are kept")
                try await expect(try store.changes(after: newest.version - 5, in: nil, limit: 9).hasGap, is: false)
                try await expect(try store.changes(after: newest.version + 5, in: nil, limit: 9).hasGap, is: true)
            },
            Self("a waiter wakes on a change, or returns at once if one has happened") { store, _ in
                let first = try await store.put("1", under: "k")
                async let woken = store.changed(after: first.version)
                let second = try await store.put("2", under: "k")
                try expect(try await woken, is: second.version)
                try expect(try await store.changed(after: 0), is: second.version)
            },
            Self("a wait for a change ends when its task is cancelled") { store, _ in
                let first = try await store.put("1", under: "k")
                let wait = Task { try await store.changed(after: first.version) }
                wait.cancel()
                try expect(try await failure { try await wait.value }, is: .cancelled)
            },
        ]
    }

    private static var smallValues: StoreLimits { StoreLimits(valuesOf: .bytes(8)) }

    private static var short: StoreLimits {
        var limits = StoreLimits()
        limits.history = 10
        return limits
    }
}

extension StoreLimits {
    init(valuesOf size: ByteCount) {
        self.init()
        valueSize = size
    }
}
