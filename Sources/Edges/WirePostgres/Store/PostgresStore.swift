import Synchronization
package import WireBase
package import WireStore

/// The store of a group of runners: a database of PostgreSQL, which all of them reach.
///
/// Writes return when the server has them on its disk; reads see all earlier writes of any runner.
package final class PostgresStore: Sendable {
    /// The group, and this runner in it.
    package struct Group: Sendable {
        package var name: String
        /// The schema of the functions.
        package var schema = "corewire"
        /// Distinguishes machines, not runners.
        package var machine: [UInt8] = []
        /// The version of the program.
        package var program: Int32 = 0
        /// By which a runner with another sealing key is recognized.
        package var keyCheck: [UInt8] = []
        /// The same of former keys, whose data it can open.
        package var formerKeyChecks: [[UInt8]] = []
        /// How long a runner may be silent before the others give it up.
        package var lease: Duration = .seconds(20)
        /// A former runner that has ended, whose work is free at once.
        package var former: Int64?
        /// Whether the server must have a synchronous standby.
        package var confirmsByReplica = false
        /// Whether the schema is made where it is missing.
        package var makesSchema = false

        package init(_ name: String) { self.name = name }
    }

    let client: PostgresClient
    let functions: StoreFunctions
    let group: Group
    let sealer: any Sealer
    let clock: StoreClock
    let limits: StoreLimits
    /// The server's clock, where a test replaces it.
    let serverTime: (@Sendable () -> Int64)?
    let leases = StoreLeases()
    let writer: StoreWriter
    let presence: StorePresence
    private let bell: StoreBell
    private let skipped = Mutex<[String: Set<Int64>]>([:])

    private init(
        _ settings: PostgresSettings,
        _ group: Group,
        sealer: any Sealer,
        clock: StoreClock,
        limits: StoreLimits,
        time: TimeSource,
        serverTime: (@Sendable () -> Int64)?,
        joined: @escaping @Sendable (Int64) -> Void
    ) throws(StoreFailure) {
        let bell = StoreBell()
        client = try storing { () throws(PostgresFailure) in try PostgresClient(settings) { bell.heard() } }
        functions = StoreFunctions(schema: group.schema)
        (self.group, self.sealer, self.clock, self.limits) = (group, sealer, clock, limits)
        (self.serverTime, self.bell) = (serverTime, bell)
        let (client, functions, leases) = (client, functions, leases)
        let identity = StoreWriter.Identity(
            group: Array(group.name.utf8),
            machine: group.machine,
            program: group.program,
            lease: group.lease,
            keyCheck: group.keyCheck,
            formerKeyChecks: group.formerKeyChecks
        )
        let ring = StoreRing(client, functions, time)
        let presence = StorePresence(client, functions, lease: group.lease, time)
        writer = StoreWriter(client, functions, identity, patience: limits.patience) { news in
            switch news {
            case .joined(let member):
                client.listen(to: "corewire_\(functions.schema)_\(member.group)")
                ring.group = member.group
                presence.begin(member)
                joined(member.runner)
            case .left:
                leases.clear()
                presence.end()
            case .committed:
                bell.ring()
                if presence.hasOthers { ring.ring() }
            }
        }
        self.presence = presence
    }

    /// Opens the store: joins the group, as which runner is told now and whenever it has to join again.
    package static func open(
        _ settings: PostgresSettings,
        _ group: Group,
        sealer: any Sealer,
        clock: StoreClock,
        limits: StoreLimits = StoreLimits(),
        time: TimeSource,
        serverTime: (@Sendable () -> Int64)? = nil,
        within limit: Duration = .seconds(30),
        joined: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws(StoreFailure) -> PostgresStore {
        let store = try PostgresStore(
            settings,
            group,
            sealer: sealer,
            clock: clock,
            limits: limits,
            time: time,
            serverTime: serverTime,
            joined: joined
        )
        do throws(StoreFailure) { try await store.begin(within: limit) } catch {
            await store.client.close()
            throw error
        }
        store.presence.start(writer: store.writer) { [weak store] hasLeft in await store?.keepUp(hasLeft) }
        return store
    }

    private func begin(within limit: Duration) async throws(StoreFailure) {
        if group.confirmsByReplica { try await checkReplica(within: limit) }
        if group.makesSchema { try await PostgresMigration(schema: group.schema).runIfMissing(client, within: limit) }
        let member = try await writer.start(within: limit)
        if let former = group.former, former != member.runner {
            let parameters: [PostgresParameter] = [.int4(member.group), .int8(former), .int8(nil)]
            let call = functions.call("evict_1", parameters)
            do throws(PostgresFailure) { _ = try await client.rows(call, on: .reader, within: limit) } catch {
                throw StoreFailure(error)
            }
        }
    }

    private func checkReplica(within limit: Duration) async throws(StoreFailure) {
        let statement = PostgresStatement(
            "SELECT current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') <> 'local' AND $1",
            [.bool(true)]
        )
        let rows: [PostgresRow]
        do throws(PostgresFailure) { rows = try await client.rows(statement, on: .reader, within: limit) } catch {
            throw StoreFailure(error)
        }
        let hasReplica = try storing { () throws(PostgresFailure) in try rows.first?.bool(0) ?? false }
        guard hasReplica else {
            throw StoreFailure(
                .refused,
                "the database has no synchronous standby, which 'confirm: replica' requires",
                help: "set 'synchronous_standby_names' in the server"
            )
        }
    }

    /// Finishes the writes that wait, leaves the group and closes the connections; later calls fail.
    package func close() async {
        await presence.stop()
        await writer.close()
        bell.close()
        await client.close()
    }

    // MARK: Calls

    /// The group's number.
    func number() throws(StoreFailure) -> Int32 {
        guard let member = writer.member else {
            throw StoreFailure(.away, "this runner is joining its group again")
        }
        return member.group
    }

    /// The time for a call; nil for that of the server.
    var now: PostgresParameter { .int8(serverTime?()) }

    /// Calls a function that reads; it is called again where its answer was lost.
    func read(_ name: StaticString, _ parameters: [PostgresParameter]) async throws(StoreFailure) -> [PostgresRow] {
        let statement = functions.call(name, [.int4(try number())] + parameters)
        return try await read([statement])[0]
    }

    func read(_ statements: [PostgresStatement]) async throws(StoreFailure) -> [[PostgresRow]] {
        let due = Monotonic.after(limits.patience)
        while true {
            do throws(PostgresFailure) {
                let now = Monotonic.now
                let left = Duration.nanoseconds(Int64(due > now ? due - now : 0))
                return try await client.carryOut(statements, on: .reader, within: left)
            } catch {
                guard error.kind == .unanswered, Monotonic.now < due else { throw StoreFailure(error) }
            }
        }
    }

    /// A location in the group: data of one group is not that of another.
    func place(_ part: SealedPart, _ name: String, in scope: String) -> String {
        "group \(group.name.utf8.count) \(group.name) \(part.place(of: name, in: scope))"
    }

    // MARK: Waiting

    /// The result of a look.
    enum Lookup<Answer> {
        case found(Answer)
        /// Nothing yet; the longest time until the next look.
        case nothing(again: Duration)
    }

    /// Looks now and after each change, until there is an answer.
    func wait<Answer>(until look: () async throws(StoreFailure) -> Lookup<Answer>) async throws(StoreFailure) -> Answer
    {
        while true {
            let count = bell.count
            if Task.isCancelled { throw StoreFailure(.cancelled, "the wait for a change was cancelled") }
            guard let count else { throw StoreFailure(.closed, "the store is closed") }
            switch try await look() {
            case .found(let answer): return answer
            case .nothing(let pause): await bell.wait(after: count, atMost: min(pause, Self.longestWait))
            }
        }
    }

    /// After this time a look is made without news.
    static let longestWait = Duration.seconds(30)

    // MARK: Items that cannot be opened

    func skip(_ positions: [Int64], in queue: String) {
        skipped.withLock { $0[queue, default: []].formUnion(positions) }
    }

    func skipped(in queue: String) -> [Int64] { skipped.withLock { $0[queue].map(Array.init) ?? [] } }

    // MARK: Upkeep

    /// Frees claims whose time is over; what a runner that has left did not tell is looked for.
    private func keepUp(_ hasLeft: Bool) async {
        for queue in leases.queues(overAt: clock.uptime()) {
            _ = try? await turn([], claiming: nil, in: queue)
        }
        if hasLeft { bell.ring() }
    }
}

/// Wakes those that wait for a change of the store.
final class StoreBell: Sendable {
    private let signal = ChangeSignal()
    private let isClosed = Mutex(false)

    /// The number of changes; nil once the store is closed.
    var count: Int? { isClosed.withLock { $0 } ? nil : signal.count }

    func ring() { signal.signal() }
    func heard() { signal.signal() }

    func close() {
        isClosed.withLock { $0 = true }
        signal.signal()
    }

    func wait(after count: Int, atMost limit: Duration) async {
        await withTaskGroup { race in
            race.addTask { await self.signal.wait(after: count) }
            race.addTask { try? await Task.sleep(for: limit) }
            await race.next()
            race.cancelAll()
        }
    }
}
