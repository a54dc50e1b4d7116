import WireBase
import WireCrypto
import WireHost
import WirePostgres
import WireSQLite
import WireStore

/// Stores over one database that claim items of a queue and end them in the next turn, as the runners of a group do.
///
/// Arguments: the folder and the port of the server, the number of stores, the items of a turn, and the seconds.
enum Turns {
    static func measure(_ arguments: [String]) async throws {
        let numbers = arguments.dropFirst(2).compactMap(Int.init)
        guard numbers.count == 4 else { throw StoreProcess.Usage() }
        let (port, clients, batch, seconds) = (numbers[0], numbers[1], numbers[2], numbers[3])
        let settings = PostgresSettings([.init(arguments[1], port: port)], database: "postgres", user: "postgres")
        // The group that Tests/PostgresFunctions/bench.py fills.
        var group = PostgresStore.Group("bench")
        group.keyCheck = Array("check".utf8)
        let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
        var stores: [PostgresStore] = []
        for _ in 0..<clients {
            stores.append(
                try await PostgresStore.open(settings, group, sealer: KeySealer(key), clock: .system, time: .host)
            )
        }
        let end = ContinuousClock.now + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for store in stores { tasks.addTask { try await turns(store, upTo: batch, until: end) } }
            return try await tasks.reduce(0, +)
        }
        StoreProcess.say("\(count / seconds)")
        for store in stores { await store.close() }
    }

    private static func turns(_ store: PostgresStore, upTo batch: Int, until end: ContinuousClock.Instant) async throws
        -> Int
    {
        var (claims, count): ([ClaimedWork], Int) = ([], 0)
        while ContinuousClock.now < end {
            let wish = ClaimRequest(for: .seconds(30), upTo: batch)
            claims = try await store.complete(claims.map { WorkEnding($0, .done(nil)) }, claiming: wish, in: "q").claims
            count += claims.count
        }
        return count
    }
}
