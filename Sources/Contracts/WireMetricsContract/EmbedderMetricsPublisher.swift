import Synchronization
import WireConfig
package import WireService

/// Publishes metrics by code of the embedding program instead of sending them; outlives generations.
package final class EmbedderMetricsPublisher: Sendable {
    package typealias Work = @Sendable (MetricsMessage) async throws -> Void

    private struct State {
        var work: (ticket: Int, work: Work)?
        var last = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var work: Work? { state.withLock { $0.work?.work } }

    /// Registers the code and replaces earlier code; the returned ticket removes it.
    package func bring(_ work: @escaping Work) -> Int {
        state.withLock { state in
            state.last += 1
            state.work = (state.last, work)
            return state.last
        }
    }

    /// Removes the code, unless it was replaced after the ticket was issued.
    package func remove(_ ticket: Int) {
        state.withLock { state in if state.work?.ticket == ticket { state.work = nil } }
    }
}

extension Ability where Value == EmbedderMetricsPublisher {
    package static var broughtPublisher: Ability<EmbedderMetricsPublisher> {
        Ability(Provision(.runner, "brought publisher"))
    }
}
