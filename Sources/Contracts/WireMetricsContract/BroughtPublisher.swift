import Synchronization
import WireConfig
package import WireService

/// What the program around the runner does with metrics itself, instead of having them sent; outlives generations.
package final class BroughtPublisher: Sendable {
    package typealias Work = @Sendable (MetricsMessage) async throws -> Void

    private struct State {
        var work: (ticket: Int, work: Work)?
        var last = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var work: Work? { state.withLock { $0.work?.work } }

    /// Takes the place of what was brought before; the answer takes it away again.
    package func bring(_ work: @escaping Work) -> Int {
        state.withLock { state in
            state.last += 1
            state.work = (state.last, work)
            return state.last
        }
    }

    /// Takes away what was brought, where nothing else has taken its place.
    package func take(_ ticket: Int) {
        state.withLock { state in if state.work?.ticket == ticket { state.work = nil } }
    }
}

extension Ability where Value == BroughtPublisher {
    package static var broughtPublisher: Ability<BroughtPublisher> { Ability(Provision(.runner, "brought publisher")) }
}
