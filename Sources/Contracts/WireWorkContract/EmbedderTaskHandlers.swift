import Synchronization
import WireBase
import WireConfig
package import WireService

/// The registry of task code in the embedding program, by task name; outlives generations.
package final class EmbedderTaskHandlers: Sendable {
    package typealias Work = @Sendable () async throws -> Void

    private let state = Mutex<(works: [String: (ticket: Int, work: Work)], last: Int)>(([:], 0))
    private let listeners = Subscribers<Void>()

    package init() {}

    package subscript(name: String) -> Work? { state.withLock { $0.works[name]?.work } }

    /// Registers the code of a task and replaces earlier code; the returned ticket removes it.
    package func bring(_ name: String, _ work: @escaping Work) -> Int {
        defer { listeners.notify(()) }
        return state.withLock { state in
            state.last += 1
            state.works[name] = (state.last, work)
            return state.last
        }
    }

    /// Removes the code of a task, unless it was replaced after the ticket was issued.
    package func remove(_ name: String, _ ticket: Int) {
        state.withLock { if $0.works[name]?.ticket == ticket { $0.works[name] = nil } }
        listeners.notify(())
    }

    /// Yields when code is added or removed, until the task is cancelled.
    package func changes() -> AsyncStream<Void> { listeners.listen() }
}

extension Ability where Value == EmbedderTaskHandlers {
    package static var broughtWork: Ability<EmbedderTaskHandlers> { Ability(Provision(.runner, "brought work")) }
}
