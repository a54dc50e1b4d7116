import Foundation
import Support
import WireBase
import WireCrypto
import WireHost
import WirePostgres
import WireStore

/// A server with the schema.
struct Database {
    let server: PostgresServer
    let settings: PostgresSettings

    /// Makes the schema, and a role that may call its functions.
    init(_ configuration: String = "", role: String? = nil) async throws {
        server = try await PostgresServer(configuration)
        settings = PostgresSettings([.init(server.folder, port: server.port)], database: "postgres", user: "owner")
        if let role { try server.sql("CREATE ROLE \(role) LOGIN") }
        let client = try PostgresClient(settings)
        try await PostgresMigration(role: role).run(client)
        await client.close()
    }

    /// A line to the server that can be disturbed.
    func line() async throws -> ScriptedServer {
        let script = Repository.root.appendingPathComponent("Tests/PostgresFunctions/proxy.py")
        return try await ScriptedServer(script, ["127.0.0.1", "\(server.port)"])
    }

    /// Opens a store; its clock also stands for that of the server.
    func open(
        _ group: String = "group",
        by line: ScriptedServer? = nil,
        key: UInt8 = 1,
        formerKeys: [UInt8] = [],
        clock: StoreClock = .hand(HandClock()),
        limits: StoreLimits = StoreLimits(),
        time: TimeSource = .host,
        user: String? = nil,
        named instance: String = ""
    ) async throws -> PostgresStore {
        var settings = settings
        if let port = line?.readyWords.first.flatMap(Int.init) { settings.hosts = [.init("127.0.0.1", port: port)] }
        if let user { settings.user = user }
        var own = PostgresStore.Group(group)
        (own.machine, own.instance, own.release) = ("machine", instance, "0.1.0")
        own.keyCheck = [key]
        own.formerKeyChecks = formerKeys.map { [$0] }
        let offset = clock.now() - clock.uptime()
        return try await PostgresStore.open(
            settings,
            own,
            sealer: KeySealer(try Self.key(key), former: try formerKeys.map(Self.key)),
            clock: clock,
            limits: limits,
            time: time,
            serverTime: { clock.uptime() + offset },
            livingBy: { time.monotonic().milliseconds }
        )
    }

    private static func key(_ byte: UInt8) throws -> SealingKey {
        try SealingKey(Secret([UInt8](repeating: byte, count: SealingKey.size)))
    }

    @discardableResult
    func sql(_ text: String) throws -> String { try server.sql(text) }
}

extension StoreClock {
    static func hand(_ clock: HandClock) -> StoreClock {
        let time = clock.clockwork
        return StoreClock(now: time.wall, uptime: { time.monotonic().milliseconds }, boot: "boot")
    }
}

/// Closes what was opened for a test.
actor OpenedStores {
    private var stores: [PostgresStore] = []

    @discardableResult
    func keep(_ store: PostgresStore) -> PostgresStore {
        stores.append(store)
        return store
    }

    func close() async {
        for store in stores { await store.close() }
        stores = []
    }
}
