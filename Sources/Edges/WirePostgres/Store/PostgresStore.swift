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
        package var machine = ""
        /// The name of the runner among several of its app on the machine; empty where it has none.
        package var instance = ""
        /// The version of the program, for the others to show.
        package var release = ""
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
    let patience: StorePatience
    let writer: StoreWriter
    let presence: StorePresence
    private let bell: StoreBell
    /// Tell the waiters of this runner, and the other runners.
    private let ring, otherRing: StoreRing
    private let upkeep = Mutex<Task<Void, Never>?>(nil)
    private let rounds = Mutex(0)
    private let skipped = Mutex<[String: Set<Int64>]>([:])
    /// This runner in the group, where the schema is older than `review` needs.
    private let unreviewed = Mutex<Int64?>(nil)

    private init(
        _ settings: PostgresSettings,
        _ group: Group,
        sealer: any Sealer,
        clock: StoreClock,
        limits: StoreLimits,
        time: TimeSource,
        serverTime: (@Sendable () -> Int64)?,
        livingBy uptime: (@Sendable () -> Int64)?,
        news: @escaping @Sendable (News) -> Void
    ) throws(StoreFailure) {
        let (bell, heard) = (StoreBell(), ChangeSignal())
        client = try storing { () throws(PostgresFailure) in
            try PostgresClient(settings) { channels in
                if !channels.isEmpty { heard.signal() }
                bell.ring()
            }
        }
        functions = StoreFunctions(schema: group.schema)
        (self.group, self.sealer, self.clock, self.limits) = (group, sealer, clock, limits)
        (self.serverTime, self.bell) = (serverTime, bell)
        let (client, functions, leases) = (client, functions, leases)
        let identity = StoreWriter.Identity(
            group: Array(group.name.utf8),
            machine: Array(group.machine.utf8),
            instance: Array(group.instance.utf8),
            release: Array(group.release.utf8),
            lease: group.lease,
            keyCheck: group.keyCheck,
            formerKeyChecks: group.formerKeyChecks
        )
        let patience = StorePatience(limits.patience)
        self.patience = patience
        let presence = StorePresence(
            client,
            functions,
            lease: group.lease,
            confirmsByReplica: group.confirmsByReplica,
            heard: heard,
            time,
            uptime: uptime ?? clock.uptime
        )
        let ring = StoreRing(on: client.executor, time) { bell.ring() }
        // Not within the transaction: a notification takes a lock of the whole server until the commit. What is not told,
        // because no server is reached, the others find by their looks.
        let otherRing = StoreRing(on: client.executor, time) {
            guard let group = presence.group else { return }
            _ = try? await client.rows(functions.call("ring_1", [.int4(group)]), on: .listener, within: .seconds(2))
        }
        (self.ring, self.otherRing) = (ring, otherRing)
        let told = news
        writer = StoreWriter(client, functions, identity, patience: patience) { news in
            switch news {
            case .joined(let member):
                client.listen(to: "corewire_\(functions.schema)_\(member.group)")
                presence.begin(member)
                told(.joined(runner: member.runner))
            case .left(let kind):
                leases.clear()
                presence.end()
                told(.left(kind))
            case .committed:
                ring.ring()
                if presence.hasOthers { otherRing.ring() }
            }
        }
        self.presence = presence
    }

    /// What happens to this runner in its group.
    package enum News: Sendable {
        case joined(runner: Int64)
        /// Others have given it up, or the server has lost it; it joins again.
        case left(StoreFailure.Kind)
    }

    /// The version of the schema that this program makes, which counts as that of the program.
    ///
    /// A later schema keeps the functions of earlier ones as long as its `oldest` allows programs of their versions.
    package static let program: Int32 = 1

    /// The runners of the group, as the last beat has told them; asks no server.
    package var members: GroupView { presence.view }

    /// Opens the store, and joins the group.
    ///
    /// A test may have it live by another clock than that of its leases.
    package static func open(
        _ settings: PostgresSettings,
        _ group: Group,
        sealer: any Sealer,
        clock: StoreClock,
        limits: StoreLimits = StoreLimits(),
        time: TimeSource,
        serverTime: (@Sendable () -> Int64)? = nil,
        within limit: Duration = .seconds(30),
        livingBy uptime: (@Sendable () -> Int64)? = nil,
        news: @escaping @Sendable (News) -> Void = { _ in }
    ) async throws(StoreFailure) -> PostgresStore {
        let store = try PostgresStore(
            settings,
            group,
            sealer: sealer,
            clock: clock,
            limits: limits,
            time: time,
            serverTime: serverTime,
            livingBy: uptime,
            news: news
        )
        do throws(StoreFailure) { try await store.begin(within: limit) } catch {
            await store.client.close()
            throw error
        }
        // A runner that has gone did not tell its last changes, and one that has come was not told of those before.
        store.presence.start(writer: store.writer) { [ring = store.ring, otherRing = store.otherRing] in
            ring.ring()
            otherRing.ring()
        }
        let upkeep = Task { [weak store] in
            while await store?.keepUp() != nil, (try? await time.sleep(Self.upkeepPause)) != nil {}
        }
        store.upkeep.withLock { $0 = upkeep }
        return store
    }

    private func begin(within limit: Duration) async throws(StoreFailure) {
        try await client.connect(within: limit)
        try await client.requireSessions(within: limit)
        if group.confirmsByReplica { try await checkReplica(within: limit) }
        if group.makesSchema { try await PostgresMigration(schema: group.schema).runIfMissing(client, within: limit) }
        try await checkVersion(within: limit)
        let member = try await writer.start(within: limit)
        guard let former = group.former, former != member.runner else { return }
        // It may have to wait for what that runner has begun.
        Task { [client, functions] in
            let call = functions.call("evict_1", [.int4(member.group), .int8(former), .int8(nil)])
            for _ in 0..<20 where (try? await client.rows(call, on: .reader, within: .seconds(5))) != nil {
                return
            }
        }
    }

    private func checkVersion(within limit: Duration) async throws(StoreFailure) {
        let oldest: Int64
        do throws(PostgresFailure) {
            let rows = try await client.rows(functions.call("schema_1"), on: .writer, within: limit)
            oldest = try rows.first?.integer(1) ?? 0
        } catch {
            throw StoreFailure(error)
        }
        guard oldest > Self.program else { return }
        throw StoreFailure(
            .newer,
            """
            the database has been prepared for later versions of this program only: its schema requires version \
            \(oldest), this program has \(Self.program)
            """,
            help: "install the version that the other runners have"
        )
    }

    private func checkReplica(within limit: Duration) async throws(StoreFailure) {
        let hasReplica: Bool
        do throws(PostgresFailure) {
            let rows = try await client.rows(StorePresence.replica, on: .reader, within: limit)
            hasReplica = try rows.first?.bool(0) ?? false
        } catch {
            throw StoreFailure(error)
        }
        guard hasReplica else { throw .noReplica }
    }

    /// Has operations wait for the database until then at most, and later ones for a second: the runner is about to end.
    package func finish(within limit: Duration) {
        let end = Monotonic.after(limit)
        patience.shorten(to: end)
        writer.hasten(by: end)
        client.hasten(by: end)
    }

    /// Finishes the writes that wait, leaves the group and closes the connections; later calls fail.
    package func close() async {
        let upkeep = upkeep.withLock { $0.take() }
        upkeep?.cancel()
        let hasLeft = await writer.close()
        await upkeep?.value
        await presence.stop()
        if hasLeft, presence.hasOthers, let group = writer.group {
            // What a ring may still owe.
            _ = try? await client.rows(functions.call("ring_1", [.int4(group)]), on: .listener, within: .seconds(2))
        }
        bell.close()
        await client.close()
    }

    // MARK: Calls

    /// The group's number.
    func number() throws(StoreFailure) -> Int32 {
        guard let group = writer.group else { throw StoreFailure(.closed, "the store is not open") }
        return group
    }

    /// The time for a call; nil for that of the server.
    var now: PostgresParameter { .int8(serverTime?()) }

    /// Calls a function that reads; it is called again where its answer was lost.
    func read(_ name: StaticString, _ parameters: [PostgresParameter]) async throws(StoreFailure) -> [PostgresRow] {
        let statement = functions.call(name, [.int4(try number())] + parameters)
        return try await read([statement])[0]
    }

    func read(_ statements: [PostgresStatement]) async throws(StoreFailure) -> [[PostgresRow]] {
        let due = patience.due()
        while true {
            do throws(PostgresFailure) {
                return try await client.read(statements, within: patience.left(until: due))
            } catch {
                guard error.kind == .unanswered, !patience.isOver(due) else { throw StoreFailure(error) }
            }
        }
    }

    /// A location in the group.
    func place(_ part: SealedPart, _ name: String, in scope: String) -> String {
        SealedPlaces(group: group.name).place(part, name, in: scope)
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

    /// Forgets those that are gone; asks an older schema without the function only once after joining.
    func review() async {
        guard let runner = writer.member?.runner, unreviewed.withLock({ $0 }) != runner else { return }
        for (queue, positions) in skipped.withLock({ $0 }) {
            let rows: [PostgresRow]
            do throws(StoreFailure) {
                rows = try await read("present_1", [.name(queue), .int8s(Array(positions))])
            } catch {
                if error.kind == .foreign { unreviewed.withLock { $0 = runner } }
                return
            }
            let gone = positions.subtracting(rows.compactMap { try? $0.integer(0) })
            skipped.withLock { skipped in
                skipped[queue]?.subtract(gone)
                if skipped[queue]?.isEmpty == true { skipped[queue] = nil }
            }
        }
    }

    func skipped(in queue: String) -> [Int64] { skipped.withLock { $0[queue].map(Array.init) ?? [] } }

    // MARK: Upkeep

    /// Frees claims whose time is over, and now and then removes what has expired.
    private func keepUp() async {
        for queue in leases.queues(overAt: clock.uptime()) { _ = try? await turn([], claiming: nil, in: queue) }
        let isDue = rounds.withLock { rounds in
            rounds += 1
            return rounds % Self.sweepRounds == Self.sweepRounds / 2
        }
        guard isDue, !presence.isSilent else { return }
        await review()
        let (functions, now, history) = (functions, now, Int64(limits.history))
        while !Task.isCancelled {
            let answer = try? await writer.write(.values) { member, _ in
                functions.call("sweep_1", [.int4(member.group), now, .int8(history), .int4(Self.sweptAtOnce)])
            }
            guard let count = try? answer?.integer(0), count >= Int64(Self.sweptAtOnce) else { return }
        }
    }

    private static let upkeepPause = Duration.seconds(2)
    private static let sweepRounds = 30
    private static let sweptAtOnce: Int32 = 500
}
