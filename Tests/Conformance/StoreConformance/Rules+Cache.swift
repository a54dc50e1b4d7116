import WireBase
import WireStore

extension LocalRule {
    static var cache: [Self] {
        [
            Self("a cached response is stored with its notes until it expires or is replaced") { store, _ in
                let value = CachedValue(bytes: [1, 2], notes: [3], stored: 7)
                try await store.cache(value, under: "k", in: "r", bound: .kibibytes(1))
                let found = try store.cached("k", in: "r")
                try expect(found?.bytes, is: [1, 2])
                try expect(found?.notes, is: [3])
                try expect(found?.stored, is: 7)
                try expect(try store.cached("k", in: "other") == nil, "a region sees its own answers")
                try await store.cache(
                    CachedValue(bytes: [], notes: [], stored: 8),
                    under: "k",
                    in: "r",
                    bound: .kibibytes(1)
                )
                try expect(try store.cached("k", in: "r")?.bytes, is: [])
                try await store.forget("other", in: "r")
                try expect(try store.cached("k", in: "r") != nil, "another one was forgotten")
                try await store.forget("k", in: "r")
                try expect(try store.cached("k", in: "r") == nil, "it was forgotten")
            },
            Self("a full region evicts the least recently used record") { store, _ in
                func cache(_ key: String, _ size: Int = 9) async throws -> Int {
                    let value = CachedValue(bytes: [UInt8](repeating: 0, count: size), notes: [], stored: 0)
                    return try await store.cache(value, under: key, in: "r", bound: .bytes(30))
                }
                try expect(try store.cacheUsage(of: "r"), is: StoreUsage(entries: 0, size: .bytes(0)))
                for key in ["a", "b", "c"] { try expect(try await cache(key), is: 0) }
                _ = try store.cached("a", in: "r")
                try expect(try await cache("d"), is: 1)
                try expect(try store.cacheUsage(of: "r"), is: StoreUsage(entries: 3, size: .bytes(30)))
                try expect(try store.cacheUsage(of: "other"), is: StoreUsage(entries: 0, size: .bytes(0)))
                try expect(
                    try ["a", "b", "c", "d"].map { try store.cached($0, in: "r") != nil },
                    is: [true, false, true, true]
                )
                // An entry that does not fit is not stored, and removes nothing.
                try expect(try await cache("big", 100), is: 0)
                try expect(try store.cached("big", in: "r") == nil, "it does not fit")
                try expect(try store.cached("a", in: "r") != nil, "nothing else is forgotten for it")
                _ = try await cache("e")
                try expect(try store.cached("e", in: "r") != nil, "there is room again")
                try await store.forget(nil, in: "r")
                try expect(try store.cached("e", in: "r") == nil, "everything is forgotten")
            },
            Self("a too large response is rejected, with its key and notes", limits: StoreLimits(valuesOf: .bytes(8))) {
                store,
                _ in
                let answer = CachedValue(bytes: [1, 2, 3, 4, 5], notes: [6, 7], stored: 0)
                try await store.cache(answer, under: "k", in: "r", bound: .kibibytes(1))
                try expect(
                    try await failure { try await store.cache(answer, under: "kk", in: "r", bound: .kibibytes(1)) },
                    is: .full
                )
            },
        ]
    }
}
