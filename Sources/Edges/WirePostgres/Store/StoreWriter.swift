import Synchronization
import WireBase
import WireConfig
import WireStore

/// Carries out the writing operations of this runner, one transaction after the other.
///
/// Operations that arrive meanwhile share the next transaction. The server keeps the number and the answers of the last
/// one, stored with it, so that a transaction whose answer was lost is neither lost nor made twice.
final class StoreWriter: Sendable {
    /// What the others of the group are told of this runner.
    struct Identity: Sendable {
        let group: [UInt8]
        let machine: [UInt8]
        let instance: [UInt8]
        /// The version of the program, for the others to show.
        let release: [UInt8]
        /// How long it may be silent.
        let lease: Duration
        /// By which a runner with another sealing key is recognized.
        let keyCheck: [UInt8]
        /// The same of former keys, which this runner can open too.
        let formerKeyChecks: [[UInt8]]
    }

    /// What happens to the membership, and to the store.
    enum News: Sendable {
        case joined(Membership)
        /// All claims of this runner are those of others.
        case left(StoreFailure.Kind)
        case committed(StoreJob.Kind)
    }

    private struct State {
        var jobs: [StoreJob] = []
        var isClosed = false
        var member: Membership?
        /// The group's number, also while the runner joins again.
        var group: Int32?
        /// Whether the last transaction was not one of many values.
        var wasAlone = false
        /// Whether the server has to be asked what it has stored last.
        var isDoubtful = false
        /// The number of the last transaction.
        var number: Int64 = 0
        /// Transactions with claims whose callers have been told of a failure.
        var orphaned: [Int64] = []
    }

    private let client: PostgresClient
    private let functions: StoreFunctions
    private let identity: Identity
    private let patience: StorePatience
    private let news: @Sendable (News) -> Void
    private let state = Mutex(State())
    private let work = Wakeup()
    private let ended = OneShot()
    private let hasLeft = OneShot()

    /// Small, since the first value of a transaction locks those of the group until the last has arrived.
    private static let largestBatch = (jobs: 256, size: 256 << 10)
    /// The server's code for a transaction that does not follow the last one.
    private static let outOfOrder = "CW001"

    init(
        _ client: PostgresClient,
        _ functions: StoreFunctions,
        _ identity: Identity,
        patience: StorePatience,
        news: @escaping @Sendable (News) -> Void
    ) {
        (self.client, self.functions, self.identity) = (client, functions, identity)
        (self.patience, self.news) = (patience, news)
    }

    var member: Membership? { state.withLock { $0.member } }
    var group: Int32? { state.withLock { $0.group } }

    /// Joins the group, and begins to work.
    func start(within limit: Duration) async throws(StoreFailure) -> Membership {
        let member = try await join(until: Monotonic.after(limit))
        Task(executorPreference: client.executor) { await self.run() }
        return member
    }

    /// Leaves the group after the operations that wait; later ones fail.
    ///
    /// Returns whether the server has confirmed that.
    func close() async -> Bool {
        state.withLock { $0.isClosed = true }
        work.finish()
        await ended.wait()
        return hasLeft.hasFired
    }

    /// Has the operations that wait end by a time, as if that were their limit.
    func hasten(by end: UInt64) {
        state.withLock { state in
            for index in state.jobs.indices { state.jobs[index].due = min(state.jobs[index].due, end) }
        }
    }

    /// Has the server asked whether this runner is still a member.
    func doubt() {
        state.withLock { $0.isDoubtful = true }
        work.wake()
    }

    /// Has the server asked if that is owed, now that it can be reached.
    func nudge() { if state.withLock({ $0.isDoubtful || !$0.orphaned.isEmpty }) { work.wake() } }

    /// Carries out an operation; returns when the server has it on its disk.
    func write(
        _ kind: StoreJob.Kind,
        order: [UInt8] = [],
        size: Int = 0,
        rows: StoreJob.Statement? = nil,
        delivered: (@Sendable (Membership, StoreAnswer) -> Void)? = nil,
        _ statement: @escaping StoreJob.Statement
    ) async throws(StoreFailure) -> StoreAnswer {
        let due = patience.due(for: size)
        let result: Result<StoreAnswer, StoreFailure> = await withCheckedContinuation { waiter in
            let job = StoreJob(
                kind: kind,
                order: order,
                size: size,
                statement: statement,
                due: due,
                rows: rows,
                delivered: delivered
            ) {
                waiter.resume(returning: $0)
            }
            let isTaken = state.withLock { state in
                if !state.isClosed { state.jobs.append(job) }
                return !state.isClosed
            }
            if isTaken { work.wake() } else { job.ended(.failure(StoreFailure(.closed, "the store is closed"))) }
        }
        return try result.get()
    }

    // MARK: The task

    private func run() async {
        while await work.next() != nil { await workOff() }
        await workOff()
        if let member, (try? await call("leave_1", [.int8(member.runner)], until: Monotonic.after(.seconds(2)))) != nil
        {
            hasLeft.fire()
        }
        ended.fire()
    }

    private func workOff() async {
        let isDoubtful = state.withLock { $0.isDoubtful && $0.jobs.isEmpty && !$0.isClosed }
        if isDoubtful { _ = try? await settle(nil, until: patience.due()) }
        while true {
            await release()
            let (late, batch) = state.withLock { state in
                let now = Monotonic.now
                let late = state.jobs.filter { $0.due <= now }
                state.jobs.removeAll { $0.due <= now }
                return (late, Self.nextBatch(&state.jobs, &state.wasAlone))
            }
            fail(late, StoreFailure(.away, "the database has not answered in time"))
            guard let kind = batch.first?.kind else { return }
            if await carryOut(batch) { news(.committed(kind)) }
        }
    }

    /// Takes the oldest operation, and those that may share its transaction.
    ///
    /// Claims and their extensions do not wait for all values before them.
    private static func nextBatch(_ jobs: inout [StoreJob], _ wasAlone: inout Bool) -> [StoreJob] {
        let alone = jobs.firstIndex { $0.kind == .alone }
        if let alone, !wasAlone || jobs.allSatisfy({ $0.kind == .alone }) {
            wasAlone = true
            return [jobs.remove(at: alone)]
        }
        wasAlone = false
        guard let first = jobs.first(where: { $0.kind != .alone }) else { return [] }
        var (batch, rest, size) = ([StoreJob](), [StoreJob](), 0)
        for job in jobs {
            let isTaken =
                job.kind == first.kind && batch.count < largestBatch.jobs
                && (batch.isEmpty || size + job.size <= largestBatch.size)
            if isTaken { (batch, size) = (batch + [job], size + job.size) } else { rest.append(job) }
        }
        jobs = rest
        // Sorting keeps the order of equal ones.
        return batch.sorted { $0.order.lexicographicallyPrecedes($1.order) }
    }

    /// Carries out operations in one transaction; returns whether that was done.
    private func carryOut(_ jobs: [StoreJob]) async -> Bool {
        let due = jobs.map(\.due).max() ?? 0
        // The number, once the transaction may have been carried out.
        var sent: Int64?
        // Whether a transaction without operations has to come before it, so that it can no longer be carried out.
        var isFencing = false
        var rounds = 0
        while true {
            let member: Membership
            do throws(StoreFailure) {
                switch try await settle(sent, until: due) {
                case .done(let member, let answers):
                    await deliver(answers, to: jobs, member, until: due)
                    return true
                case .open(let present): member = present
                }
            } catch {
                fail(jobs, error)
                return false
            }
            let number = isFencing ? nextNumber() : sent ?? nextNumber()
            do throws(PostgresFailure) {
                let results = try await client.carryOut(
                    statements(of: isFencing ? [] : jobs, member, number),
                    on: .writer,
                    within: patience.left(until: due)
                )
                confirm(number)
                if isFencing { return await carryOutEach(jobs) }
                deliver(results, to: jobs, member, number)
                return true
            } catch {
                rounds += 1
                switch error.kind {
                case .unanswered, .cancelled:
                    if !isFencing { sent = number }
                    state.withLock { $0.isDoubtful = true }
                case .rejected(Self.outOfOrder) where rounds < Self.mostRounds:
                    state.withLock { $0.isDoubtful = true }
                case .rejected("40001") where rounds < Self.mostRounds,
                    .rejected("40P01") where rounds < Self.mostRounds,
                    // Another transaction holds a lock for longer than the server waits.
                    .rejected("55P03") where !patience.isOver(due):
                    break
                case .rejected where sent != nil && !isFencing:
                    // What was sent first may still arrive.
                    isFencing = true
                case .rejected where sent == nil && jobs.count > 1: return await carryOutEach(jobs)
                case .away, .refused, .unusable, .malformed, .rejected:
                    // What was sent before may be carried out yet.
                    if sent != nil { state.withLock { $0.isDoubtful = true } }
                    fail(jobs, StoreFailure(error))
                    return false
                }
            }
        }
    }

    private static let mostRounds = 50

    /// Carries out operations in transactions of their own: one of them fails, and the others must not with it.
    private func carryOutEach(_ jobs: [StoreJob]) async -> Bool {
        var isDone = false
        for job in jobs { isDone = await carryOut([job]) || isDone }
        return isDone
    }

    private func statements(of jobs: [StoreJob], _ member: Membership, _ number: Int64) -> [PostgresStatement] {
        let runner = PostgresParameter.int8(member.runner)
        var statements = [functions.call("begin_1", [runner, .int8(member.operation), .int8(number)])]
        for job in jobs {
            statements.append(job.statement(member, number))
            if let rows = job.rows { statements.append(rows(member, number)) }
        }
        return statements + [functions.call("keep_1", [runner, .int8(number)])]
    }

    private func nextNumber() -> Int64 {
        state.withLock { state in
            state.number += 1
            return state.number
        }
    }

    private func confirm(_ number: Int64) { state.withLock { $0.member?.operation = number } }

    // MARK: Answers

    private func deliver(_ results: [[PostgresRow]], to jobs: [StoreJob], _ member: Membership, _ number: Int64) {
        // The first is that of the beginning.
        var index = 1
        for job in jobs {
            let result: Result<StoreAnswer, StoreFailure>
            do throws(StoreFailure) {
                let text = try storing { () throws(PostgresFailure) in try results[index].first?.bytes(0) ?? [] }
                let rows = job.rows == nil ? [] : results[index + 1]
                let answer = try StoreAnswer(parsing: text, rows)
                job.delivered?(member, answer)
                result = .success(answer)
            } catch {
                state.withLock { $0.orphaned.append(number) }
                result = .failure(error)
            }
            index += job.rows == nil ? 1 : 2
            job.ended(result)
        }
    }

    /// Delivers the answers that the server has kept, with the rows that belong to them.
    private func deliver(_ answers: [JSONValue], to jobs: [StoreJob], _ member: Membership, until due: UInt64) async {
        guard answers.count == jobs.count else {
            state.withLock { $0.orphaned.append(member.operation) }
            return fail(jobs, .unexpected("another number of answers"))
        }
        for (job, answer) in zip(jobs, answers) {
            do throws(StoreFailure) {
                var rows: [PostgresRow] = []
                if let statement = job.rows?(member, member.operation) { rows = try await call(statement, until: due) }
                let whole = try StoreAnswer(answer, rows)
                job.delivered?(member, whole)
                job.ended(.success(whole))
            } catch {
                state.withLock { $0.orphaned.append(member.operation) }
                job.ended(.failure(error))
            }
        }
    }

    private func fail(_ jobs: [StoreJob], _ failure: StoreFailure) {
        for job in jobs { job.ended(.failure(failure)) }
    }

    // MARK: Membership

    private enum Outcome {
        /// The transaction was carried out, with these answers.
        case done(Membership, [JSONValue])
        /// The next transaction can be made.
        case open(Membership)
    }

    /// Joins the group where this runner is no member, and asks where it is in doubt what the server has stored last.
    ///
    /// Throws where it is not known what has become of a transaction that was sent.
    private func settle(_ sent: Int64?, until due: UInt64) async throws(StoreFailure) -> Outcome {
        while true {
            let (present, isDoubtful) = state.withLock { ($0.member, $0.isDoubtful) }
            guard let present else { return .open(try await join(until: due)) }
            guard isDoubtful else { return .open(present) }
            let rows = try await call("standing_1", [.int8(present.runner)], until: due)
            guard let row = rows.first else { throw .unexpected("no standing") }
            let isKnown = try storing { () throws(PostgresFailure) in try row.text(0) == "held" }
            let timeline = try storing { () throws(PostgresFailure) in try row.text(3) }
            let stored = try storing { () throws(PostgresFailure) in try row.optionalInteger(1) }
            guard isKnown, let stored, stored >= present.operation else {
                let kind: StoreFailure.Kind = isKnown || timeline != present.timeline ? .rewound : .evicted
                if isKnown { _ = try await call("leave_1", [.int8(present.runner)], until: due) }
                leave(because: kind)
                if sent != nil { throw Self.gone(kind) }
                continue
            }
            let member = state.withLock { state in
                // Of a transaction whose callers were told of a failure.
                if stored != present.operation, stored != sent { state.orphaned.append(stored) }
                state.isDoubtful = false
                state.member?.operation = stored
                state.member?.timeline = timeline
                return state.member ?? present
            }
            guard stored == sent else { return .open(member) }
            let text = try storing { () throws(PostgresFailure) in try row.bytes(2) }
            return .done(member, try StoreAnswer.list(text))
        }
    }

    private func join(until due: UInt64) async throws(StoreFailure) -> Membership {
        let runner = Int64.random(in: 1 ... .max)
        let parameters: [PostgresParameter] = [
            .bytea(identity.group), .int8(runner), .bytea(identity.machine), .bytea(identity.instance),
            .bytea(identity.release), .int4(PostgresStore.program), .milliseconds(identity.lease),
            .bytea(identity.keyCheck),
        ]
        var rows = try await call("join_1", parameters, until: due)
        for former in identity.formerKeyChecks
        where try storing({ () throws(PostgresFailure) in try rows.first?.text(0) }) == "key" {
            _ = try await call(
                "rekey_1",
                [.bytea(identity.group), .bytea(former), .bytea(identity.keyCheck)],
                until: due
            )
            rows = try await call("join_1", parameters, until: due)
        }
        guard let row = rows.first else { throw .unexpected("no answer to joining") }
        switch try storing({ () throws(PostgresFailure) in try row.text(0) }) {
        case "joined": break
        case "key": throw .otherKey
        case "full": throw StoreFailure(.refused, "the group has as many runners as it may have")
        default: throw .unexpected("an unknown answer to joining")
        }
        let member = try storing { () throws(PostgresFailure) in
            Membership(
                runner: runner,
                group: Int32(truncatingIfNeeded: try row.integer(1)),
                timeline: try row.text(3),
                operation: try row.integer(2)
            )
        }
        state.withLock { ($0.member, $0.group, $0.isDoubtful) = (member, member.group, false) }
        news(.joined(member))
        return member
    }

    private func leave(because kind: StoreFailure.Kind) {
        state.withLock { ($0.member, $0.isDoubtful, $0.orphaned) = (nil, false, []) }
        news(.left(kind))
    }

    private static func gone(_ kind: StoreFailure.Kind) -> StoreFailure {
        kind == .rewound
            ? StoreFailure(.rewound, "the database has lost what it had confirmed; the write may be lost too")
            : StoreFailure(.evicted, "other runners have given this one up; the write may have been made")
    }

    /// Frees the claims of transactions whose callers were told of a failure.
    private func release() async {
        let (orphaned, member) = state.withLock { state in
            defer { state.orphaned = [] }
            // Leaving the group frees all claims.
            return (state.orphaned, state.isClosed ? nil : state.member)
        }
        guard let member else { return }
        for number in orphaned {
            do throws(StoreFailure) {
                let due = Monotonic.after(.seconds(2))
                let parameters: [PostgresParameter] = [.int4(member.group), .int8(member.runner), .int8(number)]
                let claims = try await call("claimed_1", parameters, until: due)
                var queues: [[UInt8]: [StoreTurn.Ending]] = [:]
                try storing { () throws(PostgresFailure) in
                    for row in claims {
                        let ending = StoreTurn.Ending(try row.integer(1), try row.integer(11), .notBegun)
                        queues[try row.bytes(0), default: []].append(ending)
                    }
                }
                let functions = functions
                let jobs = queues.map { queue, endings in
                    StoreJob(
                        kind: .alone,
                        statement: { member, number in
                            StoreTurn(queue, endings).statement(functions, member, number, at: nil)
                        },
                        due: patience.due(),
                        ended: { [weak self] result in
                            // Released again when the server can be reached.
                            if case .failure = result { self?.state.withLock { $0.orphaned.append(number) } }
                        }
                    )
                }
                state.withLock { $0.jobs.insert(contentsOf: jobs, at: 0) }
            } catch {
                state.withLock { $0.orphaned.append(number) }
            }
        }
    }

    // MARK: Calls

    private func call(_ name: StaticString, _ parameters: [PostgresParameter], until due: UInt64)
        async throws(StoreFailure) -> [PostgresRow]
    {
        try await call(functions.call(name, parameters), until: due)
    }

    /// Makes a call that may be made again.
    private func call(_ statement: PostgresStatement, until due: UInt64) async throws(StoreFailure) -> [PostgresRow] {
        while true {
            do throws(PostgresFailure) {
                return try await client.rows(statement, on: .writer, within: patience.left(until: due))
            } catch {
                guard error.kind == .unanswered, !patience.isOver(due) else { throw StoreFailure(error) }
            }
        }
    }
}
