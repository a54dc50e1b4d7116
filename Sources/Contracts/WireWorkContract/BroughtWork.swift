import Synchronization
import WireBase
import WireConfig
package import WireService

/// The tasks' work that is code of the embedding program, by the name of the task; outlives generations.
package final class BroughtWork: Sendable {
    package typealias Work = @Sendable () async throws -> Void

    private let state = Mutex<(works: [String: (ticket: Int, work: Work)], last: Int)>(([:], 0))
    private let listeners = Listeners<Void>()

    package init() {}

    package subscript(name: String) -> Work? { state.withLock { $0.works[name]?.work } }

    /// Replaces earlier work of the same task; the ticket returned removes it again.
    package func bring(_ name: String, _ work: @escaping Work) -> Int {
        defer { listeners.tell(()) }
        return state.withLock { state in
            state.last += 1
            state.works[name] = (state.last, work)
            return state.last
        }
    }

    /// Removes the work of a task, unless it was replaced after the ticket was given.
    package func take(_ name: String, _ ticket: Int) {
        state.withLock { if $0.works[name]?.ticket == ticket { $0.works[name] = nil } }
        listeners.tell(())
    }

    /// Tells when work was added or removed, until the task that listens is cancelled.
    package func changes() -> AsyncStream<Void> { listeners.listen() }
}

extension Ability where Value == BroughtWork {
    package static var broughtWork: Ability<BroughtWork> { Ability(Provision(.runner, "brought work")) }
}
