import Foundation
import StoreConformance
import Support
import Testing
import WireBase
import WireCrypto
import WireSQLite
import WireStore

@Suite("Conformance of the SQLite store")
struct ConformanceTests {
    @Test("the store passes the rules of shared data", arguments: SharedRule.all)
    func shared(rule: SharedRule) async throws {
        let folder = try TemporaryFolder()
        try await rule.hold { clock, limits in try Self.open(folder, clock, limits) }
    }

    @Test("the store passes the rules of local data", arguments: LocalRule.all)
    func local(rule: LocalRule) async throws {
        let folder = try TemporaryFolder()
        try await rule.hold { clock, limits in try Self.open(folder, clock, limits) }
    }

    private static func open(_ folder: TemporaryFolder, _ clock: StoreClock, _ limits: StoreLimits) throws
        -> SQLiteStore
    {
        try SQLiteStore.open(folder: folder.url.path, sealer: try Keys.sealer(1), clock: clock, limits: limits)
    }
}

/// Keys for tests.
enum Keys {
    static func key(_ byte: UInt8) throws -> SealingKey {
        try SealingKey(Secret([UInt8](repeating: byte, count: SealingKey.size)))
    }

    static func sealer(_ byte: UInt8, former: UInt8...) throws -> KeySealer {
        KeySealer(try key(byte), former: try former.map(key))
    }
}
