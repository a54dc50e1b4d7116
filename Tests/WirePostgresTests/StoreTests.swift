import StoreConformance
import Support
import Testing
import WireBase
import WireCrypto
import WireHost
import WirePostgres
import WireStore

@Suite("Store in PostgreSQL", .serialized)
struct StoreTests {
    @Test("the store passes the rules of shared data")
    func conforms() async throws {
        let database = try await Database()
        for (number, rule) in SharedRule.all.enumerated() {
            let opened = OpenedStores()
            do {
                try await rule.hold { clock, limits in
                    try await opened.keep(database.open("group \(number)", clock: clock, limits: limits))
                }
            } catch {
                Issue.record("\(rule): \(error)")
            }
            await opened.close()
        }
    }
}

/// A server with the schema.
struct Database {
    let server: PostgresServer
    private let settings: PostgresSettings

    init() async throws {
        server = try await PostgresServer()
        settings = PostgresSettings([.init(server.folder, port: server.port)], database: "postgres", user: "owner")
        let client = try PostgresClient(settings)
        try await PostgresMigration().run(client)
        await client.close()
    }

    /// Opens a store; its clocks also stand for those of the server.
    func open(_ group: String, clock: StoreClock, limits: StoreLimits = StoreLimits()) async throws -> PostgresStore {
        let offset = clock.now() - clock.uptime()
        return try await PostgresStore.open(
            settings,
            PostgresStore.Group(group),
            sealer: KeySealer(try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))),
            clock: clock,
            limits: limits,
            time: .host,
            serverTime: { clock.uptime() + offset }
        )
    }
}

/// Closes what was opened for a test.
actor OpenedStores {
    private var stores: [PostgresStore] = []

    func keep(_ store: PostgresStore) -> PostgresStore {
        stores.append(store)
        return store
    }

    func close() async {
        for store in stores { await store.close() }
        stores = []
    }
}
