import Synchronization
import WireBase
import WireHTTP
import WireService

/// Queries on their way to the server: one that is asked for meanwhile is not sent again, and all get its answer.
final class SharedFetches: Sendable {
    typealias Outcome = Result<SyncService.Fetched, SyncFailure>
    typealias Work = @Sendable () async -> Outcome

    /// What makes two requests the same.
    struct Key: Hashable, Sendable {
        /// Whose data they are, and the operation with its variables.
        let region, question: String
        /// Callers with other rights send requests of their own, which are judged by these.
        let tokens: TokenRights
        let isKept: Bool
        /// What was asked before a mutation or a clearing is not the answer to what is asked after it.
        let moment: [Int]
    }

    /// The last answer to a query that is watched, in the order the answers came.
    struct Latest: Sendable {
        let number: Int
        let region: String
        let fetched: SyncService.Fetched
    }

    private final class Flight: Sendable {
        let work: Work
        let outcome = Mutex<Outcome?>(nil)
        let finished = OneShot()
        let unwanted = OneShot()

        init(_ work: @escaping Work) { self.work = work }
    }

    private struct Waiters {
        let flight: Flight
        var count = 0
        /// Called when the answer is there, before anything is told of it.
        var settles: [@Sendable () -> Void] = []
    }

    private struct State {
        var isRunning = false
        var flights: [Key: Waiters] = [:]
        var starting: [(key: Key, flight: Flight)] = []
        var mutations = 0
        var number = 0
        var watched: [String: (count: Int, latest: Latest?)] = [:]
    }

    private let state = Mutex(State())
    private let wakeup = Wakeup()

    // MARK: Asking

    /// A mutation has ended: what is asked from now on is not answered by what was asked before.
    func mutated() { state.withLock { $0.mutations += 1 } }

    var mutations: Int { state.withLock { $0.mutations } }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// How many callers wait for an answer.
    var waiting: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.count } } }

    /// The outcome of a request that is under way, or of one that is sent for it.
    ///
    /// A caller that is cancelled leaves; the request ends with its last caller.
    func fetch(
        _ key: Key,
        settled: (@Sendable () -> Void)? = nil,
        _ work: @escaping Work
    ) async throws(SyncFailure) -> SyncService.Fetched {
        guard let flight = join(key, settled, work) else { return try await work().get() }
        await flight.finished.wait()
        guard let outcome = flight.outcome.withLock({ $0 }) else {
            leave(key, flight)
            throw SyncFailure(.cancelled, "the request was given up")
        }
        return try outcome.get()
    }

    /// Nil where the service does not run, and the caller sends the request itself.
    private func join(_ key: Key, _ settled: (@Sendable () -> Void)?, _ work: @escaping Work) -> Flight? {
        let flight: Flight? = state.withLock { state in
            guard state.isRunning else { return nil }
            var waiters = state.flights[key] ?? Waiters(flight: Flight(work))
            if waiters.count == 0 { state.starting.append((key, waiters.flight)) }
            waiters.count += 1
            if let settled { waiters.settles.append(settled) }
            state.flights[key] = waiters
            return waiters.flight
        }
        wakeup.wake()
        return flight
    }

    private func leave(_ key: Key, _ flight: Flight) {
        let isUnwanted = state.withLock { state in
            guard state.flights[key]?.flight === flight else { return false }
            state.flights[key]?.count -= 1
            guard state.flights[key]?.count == 0 else { return false }
            state.flights[key] = nil
            return true
        }
        if isUnwanted { flight.unwanted.fire() }
    }

    // MARK: Watched queries

    /// Keeps the last answer to a query from now on, until it is watched no more.
    func watch(_ question: String) { state.withLock { $0.watched[question, default: (0, nil)].count += 1 } }

    func unwatch(_ question: String) {
        state.withLock { state in
            state.watched[question]?.count -= 1
            if state.watched[question]?.count == 0 { state.watched[question] = nil }
        }
    }

    /// The last answer to a watched query, where it came after one of a number.
    func latest(_ question: String, in region: String, after number: Int) -> Latest? {
        state.withLock { state in
            guard let latest = state.watched[question]?.latest, latest.region == region, latest.number > number else {
                return nil
            }
            return latest
        }
    }

    // MARK: Work

    /// Sends what is asked for, until it is cancelled.
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

    /// Callers that come from now on need another request; watchers have heard of what this one has changed.
    private func note(_ outcome: Outcome, of key: Key, _ flight: Flight) -> Outcome {
        state.withLock { state in
            state.number += 1
            let outcome = outcome.map { fetched in
                var fetched = fetched
                fetched.number = state.number
                if key.isKept, state.watched[key.question] != nil {
                    let latest = Latest(number: state.number, region: key.region, fetched: fetched)
                    state.watched[key.question]?.latest = latest
                }
                return fetched
            }
            if state.flights[key]?.flight === flight, let waiters = state.flights.removeValue(forKey: key) {
                for settle in waiters.settles { settle() }
            }
            return outcome
        }
    }

    private func finish(_ flight: Flight, _ outcome: Outcome) {
        flight.outcome.withLock { $0 = outcome }
        flight.finished.fire()
    }
}
