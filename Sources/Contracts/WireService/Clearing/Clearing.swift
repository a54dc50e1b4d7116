import Synchronization
package import WireBase
import WireConfig
import WireHTTP
import WireStore

/// The scope of stored data to remove.
package enum ClearingScope: String, JSONWord, PlainCodable {
    /// The data of all users of this device in the running environment.
    ///
    /// Includes data of earlier users, and continues an interrupted clearing after the user is signed out. Data shared
    /// by all users stays.
    case user
    /// All data of the running environment.
    case environment
    /// All data of all environments.
    case all
}

/// The order in which services are cleared, so that none writes again what another has removed.
package enum ClearingTurn: Int, Sendable, Comparable {
    /// The session is first, so that no request is sent for a signed-out user.
    case identity
    /// Services that create work for others.
    case work
    /// Services that queue and do such work.
    case queue
    /// Stored values that any of the others may write.
    case values

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A service that stores data and can remove it.
package protocol Clearing: Sendable {
    var turn: ClearingTurn { get }

    /// Stops current work on the data to remove, in all processes that share it, and starts none before ``resume()``.
    ///
    /// Returns when no such work writes any more, or the task is cancelled by a timeout.
    func pause(_ scope: ClearingScope) async

    /// Removes the data with the eraser and returns the counts by kind, including kinds with none.
    ///
    /// What is in several stores is removed by attempts, so that one that is away keeps no data of the others. Can be
    /// interrupted at any moment and called again. In a dry run nothing is changed, work is not paused, and kinds
    /// are left out whose counts only a clearing can tell.
    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared]

    /// Allows work again, after success or failure. Called once for every ``pause(_:)``.
    func resume() async
}

extension Clearing {
    package var turn: ClearingTurn { .work }
    package func pause(_ scope: ClearingScope) async {}
    package func resume() async {}
}

/// The registry of all services that store data, by name; outlives generations.
///
/// A service registers when it starts: `host.find(.clearings)?.join(host.service, self, in: host.registrations)`.
package final class Clearings: Sendable {
    private struct State {
        var participants: [(ticket: Int, service: String, participant: any Clearing)] = []
        var last = 0
        /// Fires when the running clearing is done.
        var running: OneShot?
    }

    private let state = Mutex(State())

    package init() {}

    /// Registers a service; replaces an earlier one of the same name.
    package func join(_ service: String, _ participant: any Clearing, in registrations: Registrations) {
        let ticket = state.withLock { state in
            state.last += 1
            state.participants.removeAll { $0.service == service }
            state.participants.append((state.last, service, participant))
            return state.last
        }
        registrations.add { [weak self] in
            self?.state.withLock { state in state.participants.removeAll { $0.ticket == ticket } }
        }
    }

    package var all: [(service: String, participant: any Clearing)] {
        state.withLock { state in
            state.participants.map { ($0.service, $0.participant) }.sorted { $0.service < $1.service }
        }
    }

    // MARK: Clearing

    /// The name under which the store reports its own clearing.
    package static let store = "store"
    /// The timeout for pausing.
    private static let patience = Duration.seconds(10)

    /// Clears all services, or the given ones: pauses all of them, clears each in order, then the store.
    ///
    /// Clearings are serialized. Where one service fails the others continue, and the result says which failed. A dry
    /// run counts in the same order, and pauses nothing.
    package func clear(
        _ scope: ClearingScope,
        of services: [String]? = nil,
        with eraser: Eraser,
        _ clock: TimeSource
    ) async -> [ClearedService] {
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
            ($0.participant.turn, $0.service) < ($1.participant.turn, $1.service)
        }
        let late = eraser.isDryRun ? [] : await pause(chosen, scope, clock)
        var answers: [ClearedService] = []
        // Reported in the order of clearing.
        for (service, participant) in chosen {
            do throws(Fault) {
                let removed = try await participant.clear(scope, with: eraser)
                let remains = late.contains(service) ? Self.unended : nil
                answers.append(
                    ClearedService(service, removed: removed, remains: remains, keptBy: eraser.takeFault())
                )
            } catch {
                _ = eraser.takeFault()
                answers.append(ClearedService(service, keptBy: error))
            }
        }
        if !eraser.isDryRun { for (_, participant) in chosen.reversed() { await participant.resume() } }
        answers.append(await Self.scrub(with: eraser))
        return answers
    }

    private static let unended =
        "results of work that had not ended after \(patience.literal.plainText), here or at another runner: clear again"

    /// Returns the services whose work has not ended in time.
    private func pause(
        _ chosen: [(service: String, participant: any Clearing)],
        _ scope: ClearingScope,
        _ clock: TimeSource
    ) async -> Set<String> {
        await withTaskGroup(of: String?.self) { group in
            for (service, participant) in chosen {
                group.addTask {
                    await participant.pause(scope)
                    return Task.isCancelled ? nil : service
                }
            }
            group.addTask {
                try? await clock.sleep(Self.patience)
                return nil
            }
            var late = Set(chosen.map(\.service))
            while !late.isEmpty, let service = await group.next() ?? nil { late.remove(service) }
            group.cancelAll()
            return late
        }
    }

    private static func scrub(with eraser: Eraser) async -> ClearedService {
        let scrubbed = await eraser.scrub()
        let copies = Cleared("copies of earlier store versions", scrubbed.copies)
        return ClearedService(store, removed: [copies], remains: scrubbed.remains, keptBy: eraser.takeFault())
    }
}

extension Ability where Value == Clearings {
    package static var clearings: Ability<Clearings> { Ability(Provision(.runner, "clearings")) }
}
