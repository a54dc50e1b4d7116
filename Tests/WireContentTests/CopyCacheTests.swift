import Testing
import WireBase
import WireConfig
import WireCrypto

@testable import WireContent

@Suite("The memory cache of copies")
struct CopyCacheTests {
    private static func stored(_ version: Int64 = 1, more: Int = 0) throws -> CopyStore.Stored {
        let bytes = [UInt8](repeating: UInt8(ascii: " "), count: 100 + more)
        let item = try #require(ContentItem(.members(["id": .string("a")]), bytes: bytes))
        let identity = ModuleCopy.Identity(id: nil, name: "News", locale: nil)
        let copy = ModuleCopy(identity, timestamp: version, checked: 0, items: [item])
        return CopyStore.Stored(copy: copy, head: CopyHead(copy, parts: []), version: version)
    }

    /// One with room for so many copies, over a store that has none: what it finds is in memory.
    private static func copyCache(_ shop: Workshop, _ count: Int) throws -> CopyCache {
        let cost = try stored().copy.cost
        return CopyCache(CopyStore(shop.store, OpenSSLSecrecy()), limit: .bytes(count * cost))
    }

    @Test("copies are kept up to the limit, and the least recently used is evicted")
    func leastUsed() async throws {
        let shop = try await Workshop()
        let copyCache = try Self.copyCache(shop, 3)
        let stored = try Self.stored()
        for name in ["a", "b", "c"] { copyCache.put(stored, name) }
        #expect(copyCache.cost == .bytes(3 * stored.copy.cost))
        #expect(try await copyCache.find("a") != nil)
        copyCache.put(stored, "d")
        #expect(copyCache.cost == .bytes(3 * stored.copy.cost))
        let present = try await ["a", "b", "c", "d"].asyncCompactMap { name in
            try await copyCache.find(name) == nil ? nil : name
        }
        #expect(present == ["a", "c", "d"])
        copyCache.forget("c")
        copyCache.forget("c")
        #expect(copyCache.cost == .bytes(2 * stored.copy.cost))
        #expect(try await copyCache.find("c") == nil)
    }

    @Test("a copy over the limit is not cached, and one of the full size is alone")
    func large() async throws {
        let shop = try await Workshop()
        let copyCache = try Self.copyCache(shop, 2)
        let small = try Self.stored()
        for name in ["a", "b"] { copyCache.put(small, name) }
        let cost = small.copy.cost
        copyCache.put(try Self.stored(2, more: cost + 1), "a")
        #expect(copyCache.cost == .bytes(cost))
        #expect(try await copyCache.find("a") == nil)
        #expect(try await copyCache.find("b") != nil)
        copyCache.put(try Self.stored(3, more: cost), "a")
        #expect(copyCache.cost == .bytes(2 * cost))
        #expect(try await copyCache.find("a") != nil)
        #expect(try await copyCache.find("b") == nil)
    }

    @Test("an older copy does not replace a newer one")
    func older() async throws {
        let shop = try await Workshop()
        let copyCache = try Self.copyCache(shop, 2)
        let copies = [try Self.stored(2), try Self.stored(1), try Self.stored(3)]
        copyCache.put(copies[0], "a")
        copyCache.put(copies[1], "a")
        #expect(try await copyCache.find("a")?.timestamp == 2)
        copyCache.put(copies[2], "a")
        #expect(try await copyCache.find("a")?.timestamp == 3)
        #expect(copyCache.cost == .bytes(copies[2].copy.cost))
    }
}
