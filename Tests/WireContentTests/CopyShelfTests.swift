import Testing
import WireBase
import WireConfig
import WireCrypto

@testable import WireContent

@Suite("Copies in memory")
struct CopyShelfTests {
    private static func stored(_ version: Int64 = 1, more: Int = 0) throws -> CopyStore.Stored {
        let bytes = [UInt8](repeating: UInt8(ascii: " "), count: 100 + more)
        let item = try #require(ContentItem(.members(["id": .string("a")]), bytes: bytes))
        let identity = ModuleCopy.Identity(id: nil, name: "News", locale: nil)
        let copy = ModuleCopy(identity, timestamp: version, checked: 0, items: [item])
        return CopyStore.Stored(copy: copy, head: CopyHead(copy, parts: []), version: version)
    }

    /// One with room for so many copies, over a store that has none: what it finds is in memory.
    private static func shelf(_ shop: Workshop, _ count: Int) throws -> CopyCache {
        let cost = try stored().copy.cost
        return CopyCache(CopyStore(shop.store, OpenSSLSecrecy()), limit: .bytes(count * cost))
    }

    @Test("as many as have room stay, and the one that was not used for longest goes for another")
    func leastUsed() async throws {
        let shop = try await Workshop()
        let shelf = try Self.shelf(shop, 3)
        let stored = try Self.stored()
        for name in ["a", "b", "c"] { shelf.put(stored, name) }
        #expect(shelf.cost == .bytes(3 * stored.copy.cost))
        #expect(try shelf.find("a") != nil)
        shelf.put(stored, "d")
        #expect(shelf.cost == .bytes(3 * stored.copy.cost))
        let present = try ["a", "b", "c", "d"].filter { try shelf.find($0) != nil }
        #expect(present == ["a", "c", "d"])
        shelf.forget("c")
        shelf.forget("c")
        #expect(shelf.cost == .bytes(2 * stored.copy.cost))
        #expect(try shelf.find("c") == nil)
    }

    @Test("one that is larger than the whole limit is not taken, and one that fills it is alone")
    func large() async throws {
        let shop = try await Workshop()
        let shelf = try Self.shelf(shop, 2)
        let small = try Self.stored()
        for name in ["a", "b"] { shelf.put(small, name) }
        let cost = small.copy.cost
        shelf.put(try Self.stored(2, more: cost + 1), "a")
        #expect(shelf.cost == .bytes(cost))
        #expect(try shelf.find("a") == nil)
        #expect(try shelf.find("b") != nil)
        shelf.put(try Self.stored(3, more: cost), "a")
        #expect(shelf.cost == .bytes(2 * cost))
        #expect(try shelf.find("a") != nil)
        #expect(try shelf.find("b") == nil)
    }

    @Test("one that is older than what is there is not taken")
    func older() async throws {
        let shop = try await Workshop()
        let shelf = try Self.shelf(shop, 2)
        let copies = [try Self.stored(2), try Self.stored(1), try Self.stored(3)]
        shelf.put(copies[0], "a")
        shelf.put(copies[1], "a")
        #expect(try shelf.find("a")?.timestamp == 2)
        shelf.put(copies[2], "a")
        #expect(try shelf.find("a")?.timestamp == 3)
        #expect(shelf.cost == .bytes(copies[2].copy.cost))
    }
}
