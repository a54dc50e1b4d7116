import Foundation
import Support
import Testing
import WireBase
import WireSQLite
import WireStore

struct NoSealer: Sealer {
    func seal(_ bytes: [UInt8], for place: String) throws(StoreFailure) -> [UInt8] { bytes.reversed() }
    func open(_ sealed: [UInt8], for place: String) throws(StoreFailure) -> [UInt8] { sealed.reversed() }
    func isCurrent(_ sealed: [UInt8]) -> Bool { true }
}

@Suite("The first store")
struct FirstTests {
    @Test("what is put is there, and is there when the store is opened again")
    func put() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(folder: folder.url.path + "/a/b", sealer: NoSealer())
        let put = try await store.put(NewValue([1, 2], type: "x/y"), under: "k", in: "n", if: .absent)
        #expect(try store.entry("k", in: "n")?.bytes == [1, 2])
        await #expect(throws: StoreFailure.self) {
            try await store.put(NewValue([1, 2], type: "x/y"), under: "k", in: "n", if: .absent)
        }
        async let version = store.changed(after: put.version)
        let second = try await store.put(NewValue([3], type: "x/y", isSealed: true), under: "k2", in: "n", if: .always)
        #expect(try await version == second.version)
        await store.close()
        let again = try SQLiteStore.open(folder: folder.url.path + "/a/b", sealer: NoSealer())
        #expect(try again.entry("k2", in: "n")?.bytes == [3])
        #expect(try again.list("n", prefix: "k", after: nil, limit: 10).map(\.key) == ["k", "k2"])
        #expect(try again.usage(of: "n") == StoreUsage(entries: 2, size: .bytes(6)))
        #expect(try again.changes(after: 0, in: nil, limit: 10).changes.count == 2)
        #expect(try await again.clear("n") == 2)
        #expect(try again.namespaces() == [])
    }
}
