import Synchronization
package import WireBase
import WireConfig
package import WireService

/// The registry of app code that provides push tokens; outlives generations.
package final class PushTokenCode: Sendable {
    /// The code for one provider.
    package struct Source: Sendable {
        package let get: @Sendable () async throws -> Secret<String>?
        package let delete: (@Sendable () async throws -> Void)?

        package init(
            get: @escaping @Sendable () async throws -> Secret<String>?,
            delete: (@Sendable () async throws -> Void)?
        ) {
            (self.get, self.delete) = (get, delete)
        }
    }

    private struct State {
        var last = 0
        var sources: [String: (ticket: Int, source: Source)] = [:]
    }

    private let state = Mutex(State())
    private let listeners = Subscribers<Void>()

    package init() {}

    /// Registers code and replaces that of the same provider; the returned ticket removes it.
    package func add(_ provider: String, _ source: Source) -> Int {
        let ticket = state.withLock { state in
            state.last += 1
            state.sources[provider] = (state.last, source)
            return state.last
        }
        listeners.notify(())
        return ticket
    }

    package func remove(_ ticket: Int) {
        state.withLock { state in state.sources = state.sources.filter { $0.value.ticket != ticket } }
        listeners.notify(())
    }

    package subscript(provider: String) -> Source? { state.withLock { $0.sources[provider]?.source } }

    /// Yields when a source is added or removed, until the task is cancelled.
    package func changes() -> AsyncStream<Void> { listeners.listen() }
}

extension Ability where Value == PushTokenCode {
    package static var pushTokenCode: Ability<PushTokenCode> { Ability(Provision(.runner, "push token code")) }
}
