import Synchronization
import WireBase
import WireHTTP
import WireSyncContract

/// Queries in flight: callers of the same query share one request.
final class SharedFetches: Sendable {
    typealias Outcome = Result<SyncService.Fetched, SyncFailure>
    typealias Work = @Sendable () async -> Outcome

    /// The identity of a request.
    struct Key: Hashable, Sendable {
        /// The user's region, and the operation with its variables.
        let region, question: String
        /// Callers with other rights send requests of their own, which are checked against these.
        let tokens: TokenRights
        let isKept: Bool
        /// A request from before a mutation or a clearing does not answer a query after it.
        let moment: [Int]
    }

    /// The last answer to a watched query that the cache does not have completely.
    struct Latest: Sendable {
        /// The number of the request.
        let number: Int
        let region: String
        let moment: [Int]
        let fetched: SyncService.Fetched
    }

    private final class Flight: Sendable {
        let number: Int
        let work: Work
        let outcome = Mutex<Outcome?>(nil)
        let finished = OneShot()
        let unwanted = OneShot()

        init(_ number: Int, _ work: @escaping Work) { (self.number, self.work) = (number, work) }
    }

    private struct Waiters {
        let flight: Flight
        var count = 0
        /// Called when the answer has arrived, before it is delivered; by the tickets of the callers.
        var settles: [Int: @Sendable () -> Void] = [:]
    }

    /// What a watcher has delivered: it needs the answer to a later request, and none from before a time.
    struct Delivered: Sendable {
        let number: Int
        let oldest: Duration
    }

    private enum Joined {
        case flight(Flight, ticket: Int)
        case known(SyncService.Fetched)
    }

    private struct State {
        var isRunning = false
        var flights: [Key: Waiters] = [:]
        var starting: [(key: Key, flight: Flight)] = []
        var mutations = 0
        /// The number of requests so far.
        var number = 0
        var tickets = 0
        var watched: [String: (count: Int, latest: Latest?)] = [:]

        func latest(_ question: String, in region: String, after told: Delivered, _ moment: [Int]) -> Latest? {
            guard let latest = watched[question]?.latest, latest.region == region, latest.number > told.number,
                latest.moment == moment, latest.fetched.time > told.oldest
            else { return nil }
            return latest
        }
    }

    private let state = Mutex(State())
    private let wakeup = Wakeup()

    // MARK: Asking

    /// Notes the end of a mutation: later queries do not share earlier requests.
    func mutated() { state.withLock { $0.mutations += 1 } }

    var mutations: Int { state.withLock { $0.mutations } }

    /// The number of requests so far.
    var number: Int { state.withLock { $0.number } }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// The number of waiting callers.
    var waiting: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.count } } }

    /// Returns the outcome of a request in flight, or of a new one.
    ///
    /// A watcher needs an answer later than its last one: where a request has ended since, its answer is used. A
    /// caller that is cancelled leaves; the request ends with its last caller.
    func fetch(
        _ key: Key,
        after told: Delivered? = nil,
        settled: (@Sendable () -> Void)? = nil,
        _ work: @escaping Work
    ) async throws(SyncFailure) -> SyncService.Fetched {
        let (flight, ticket): (Flight, Int)
        switch join(key, told, settled, work) {
        case .flight(let joined, let number): (flight, ticket) = (joined, number)
        case .known(let fetched): return fetched
        case nil: return try await work().get()
        }
        await flight.finished.wait()
        guard let outcome = flight.outcome.withLock({ $0 }) else {
            leave(key, flight, ticket)
            throw SyncFailure(.cancelled, "the request was cancelled")
        }
        return try outcome.get()
    }

    /// Nil where the service does not run, and the caller sends the request itself.
    private func join(_ key: Key, _ told: Delivered?, _ settled: (@Sendable () -> Void)?, _ work: @escaping Work)
        -> Joined?
    {
        let joined: Joined? = state.withLock { state in
            guard state.isRunning else { return nil }
            if state.flights[key] == nil {
                if let told, let latest = state.latest(key.question, in: key.region, after: told, key.moment) {
                    return .known(latest.fetched)
                }
                state.number += 1
                let flight = Flight(state.number, work)
                state.flights[key] = Waiters(flight: flight)
                state.starting.append((key, flight))
            }
            guard let flight = state.flights[key]?.flight else { return nil }
            state.tickets += 1
            state.flights[key]?.count += 1
            state.flights[key]?.settles[state.tickets] = settled
            return .flight(flight, ticket: state.tickets)
        }
        wakeup.wake()
        return joined
    }

    private func leave(_ key: Key, _ flight: Flight, _ ticket: Int) {
        let isUnwanted = state.withLock { state in
            guard state.flights[key]?.flight === flight else { return false }
            state.flights[key]?.count -= 1
            state.flights[key]?.settles[ticket] = nil
            guard state.flights[key]?.count == 0 else { return false }
            state.flights[key] = nil
            return true
        }
        if isUnwanted { flight.unwanted.fire() }
    }

    // MARK: Watched queries

    /// Stores the last answer to a query while it is watched.
    func watch(_ question: String) { state.withLock { $0.watched[question, default: (0, nil)].count += 1 } }

    func unwatch(_ question: String) {
        state.withLock { state in
            state.watched[question]?.count -= 1
            if state.watched[question]?.count == 0 { state.watched[question] = nil }
        }
    }

    /// The last answer to a watched query, where its request is later than a given one and nothing was cleared or
    /// mutated since.
    func latest(_ question: String, in region: String, after told: Delivered, _ moment: [Int]) -> Latest? {
        state.withLock { $0.latest(question, in: region, after: told, moment) }
    }

    // MARK: Work

    /// Sends queued requests until cancelled.
    func run() async {
        state.withLock { $0.isRunning = true }
        await withDiscardingTaskGroup { group in
            while await wakeup.next() != nil {
                let starting = state.withLock { state in
                    defer { state.starting = [] }
                    return state.starting
                }
                for (key, flight) in starting { group.addTask { await self.run(key, flight) } }
            }
        }
        let left = state.withLock { state in
            defer { (state.isRunning, state.flights, state.starting) = (false, [:], []) }
            return state.flights.values.map(\.flight)
        }
        for flight in left { finish(flight, .failure(SyncFailure(.ending, "the service is stopping"))) }
    }

    private func run(_ key: Key, _ flight: Flight) async {
        let outcome = await unless(flight.unwanted) { await flight.work() }
        guard let outcome else { return }
        finish(flight, note(outcome, of: key, flight))
    }

    /// Later callers need another request; watchers were informed of this one's changes.
    private func note(_ outcome: Outcome, of key: Key, _ flight: Flight) -> Outcome {
        state.withLock { state in
            let outcome = outcome.map { fetched in
                var fetched = fetched
                fetched.number = flight.number
                if fetched.isKept, let known = state.watched[key.question],
                    known.latest?.number ?? 0 < flight.number
                {
                    let latest = Latest(number: flight.number, region: key.region, moment: key.moment, fetched: fetched)
                    state.watched[key.question]?.latest = fetched.isWhole ? nil : latest
                }
                return fetched
            }
            if state.flights[key]?.flight === flight, let waiters = state.flights.removeValue(forKey: key) {
                for settle in waiters.settles.values { settle() }
            }
            return outcome
        }
    }

    private func finish(_ flight: Flight, _ outcome: Outcome) {
        flight.outcome.withLock { $0 = outcome }
        flight.finished.fire()
    }
}
