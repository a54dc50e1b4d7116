import Synchronization
import WireConfig

/// What is removed of what services keep.
package enum ClearingScope: String, Sendable, CaseIterable {
    /// What is of the people who use this device.
    case user
    /// Whatever is kept for the environment that runs.
    case environment
    /// Whatever is kept for any environment.
    case all
}

/// A kind of things that were removed, and how many there were.
package struct Cleared: Sendable, Equatable {
    package let what: String
    package let count: Int

    package init(_ what: String, _ count: Int) {
        (self.what, self.count) = (what, count)
    }
}

/// Somebody who keeps something, and can let go of it.
package protocol Clearing: Sendable {
    /// Returns when it is gone from the disk, with what there was.
    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared]
}

/// Everybody who keeps something, by the name of the service; outlives generations.
///
/// A service joins with one line where it starts, and leaves with one where it stops:
/// `ticket = host.find(.clearings)?.join(host.service, self)` and `clearings.leave(ticket)`.
package final class Clearings: Sendable {
    private struct State {
        var keepers: [(ticket: Int, service: String, keeper: any Clearing)] = []
        var last = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes the place of what joined by the same name; the answer takes it away again.
    package func join(_ service: String, _ keeper: any Clearing) -> Int {
        state.withLock { state in
            state.last += 1
            state.keepers.removeAll { $0.service == service }
            state.keepers.append((state.last, service, keeper))
            return state.last
        }
    }

    package func leave(_ ticket: Int) {
        state.withLock { state in state.keepers.removeAll { $0.ticket == ticket } }
    }

    package var all: [(service: String, keeper: any Clearing)] {
        state.withLock { state in state.keepers.map { ($0.service, $0.keeper) }.sorted { $0.service < $1.service } }
    }
}

extension Ability where Value == Clearings {
    package static var clearings: Ability<Clearings> { Ability(Provision(.runner, "clearings")) }
}
