import Synchronization
package import WireBase
import WireConfig
import WireHTTP
import WireStore

/// What is removed of what services keep.
package enum ClearingScope: String, JSONWord, PlainCodable {
    /// What is of the people who use this device, in the environment that runs.
    ///
    /// Not only of the user who is signed in: what former users left goes as well, and a clearing that was interrupted goes
    /// on after the user was signed out. What all of them share stays.
    case user
    /// Everything that is kept for the environment that runs.
    case environment
    /// Everything that is kept for any environment.
    case all
}

/// The order in which services are cleared, so that none writes again what another one has removed.
package enum ClearingTurn: Int, Sendable, Comparable {
    /// The session goes first: nothing is sent for a user who has been signed out.
    case identity
    /// Services that make work for others.
    case work
    /// Services that do such work, and have it waiting.
    case queue
    /// Values that any of them may have written.
    case values

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A service that keeps something and can remove it.
package protocol Clearing: Sendable {
    var turn: ClearingTurn { get }

    /// Ends what is under way of what is to be removed, and begins nothing of it before ``resume()``.
    ///
    /// Returns when nothing of it writes any more, or the task is cancelled: there is a limit to what is waited for.
    func pause(_ scope: ClearingScope) async

    /// Returns when it is gone, with what there was; each kind is named, also where there was none of it.
    ///
    /// Broken off at any moment, it goes on where it is asked again.
    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared]

    /// Everything is removed, or could not be: work may begin. Called for every ``pause(_:)``.
    func resume() async
}

extension Clearing {
    package var turn: ClearingTurn { .work }
    package func pause(_ scope: ClearingScope) async {}
    package func resume() async {}
}

/// All services that keep something, by their names; outlives generations.
///
/// A service joins with one line where it starts: `host.find(.clearings)?.join(host.service, self, in: host.registrations)`.
package final class Clearings: Sendable {
    private struct State {
        var keepers: [(ticket: Int, service: String, keeper: any Clearing)] = []
        var last = 0
        /// Fires when the clearing that runs is done.
        var running: OneShot?
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes the place of what joined by the same name.
    package func join(_ service: String, _ keeper: any Clearing, in registrations: Registrations) {
        let ticket = state.withLock { state in
            state.last += 1
            state.keepers.removeAll { $0.service == service }
            state.keepers.append((state.last, service, keeper))
            return state.last
        }
        registrations.add { [weak self] in
            self?.state.withLock { state in state.keepers.removeAll { $0.ticket == ticket } }
        }
    }

    package var all: [(service: String, keeper: any Clearing)] {
        state.withLock { state in state.keepers.map { ($0.service, $0.keeper) }.sorted { $0.service < $1.service } }
    }

    // MARK: Clearing

    /// The name under which the store itself tells what it did.
    package static let store = "store"
    /// How long what is under way may take to end.
    private static let patience = Duration.seconds(10)

    /// Clears all services, or those that are named: all of them pause, each is cleared in its turn, then the store.
    ///
    /// One at a time. Where one of them fails the others go on, and the answer says which.
    package func clear(_ scope: ClearingScope, of services: [String]? = nil, in stores: Stores, _ clock: Clockwork)
        async -> [ClearedService]
    {
        let done = OneShot()
        while let other = state.withLock({ state in
            if state.running == nil { state.running = done }
            return state.running === done ? nil : state.running
        }) {
            await other.wait()
            if Task.isCancelled { return [] }
        }
        defer {
            state.withLock { $0.running = nil }
            done.fire()
        }
        let chosen = all.filter { services?.contains($0.service) ?? true }.sorted {
            ($0.keeper.turn, $0.service) < ($1.keeper.turn, $1.service)
        }
        await pause(chosen.map(\.keeper), scope, clock)
        var answers: [ClearedService] = []
        // Told in the order in which they were cleared.
        for (service, keeper) in chosen {
            do throws(Fault) {
                answers.append(ClearedService(service, removed: try await keeper.clear(scope)))
            } catch {
                answers.append(ClearedService(service, keptBy: error))
            }
        }
        for (_, keeper) in chosen.reversed() { await keeper.resume() }
        answers.append(await Self.scrub(stores))
        return answers
    }

    private func pause(_ keepers: [any Clearing], _ scope: ClearingScope, _ clock: Clockwork) async {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await withDiscardingTaskGroup { inner in
                    for keeper in keepers { inner.addTask { await keeper.pause(scope) } }
                }
                return true
            }
            group.addTask {
                try? await clock.sleep(Self.patience)
                return false
            }
            _ = await group.next()
            group.cancelAll()
        }
    }

    private static func scrub(_ stores: Stores) async -> ClearedService {
        do throws(StoreFailure) {
            let copies = try await stores.values.scrub()
            return ClearedService(store, removed: [Cleared("copies of former versions", copies)])
        } catch {
            return ClearedService(store, keptBy: Fault(error.reason, help: error.help))
        }
    }
}

extension Ability where Value == Clearings {
    package static var clearings: Ability<Clearings> { Ability(Provision(.runner, "clearings")) }
}
