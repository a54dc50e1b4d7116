import Synchronization
package import WireBase
import WireConfig
package import WireService

/// Code of the program that has the push tokens of providers, where the file says that the app has them; outlives generations.
package final class PushTokenCode: Sendable {
    /// What the program does for one provider.
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
    private let listeners = Listeners<Void>()

    package init() {}

    /// One for the same provider is replaced; the answer takes it away again.
    package func add(_ provider: String, _ source: Source) -> Int {
        let ticket = state.withLock { state in
            state.last += 1
            state.sources[provider] = (state.last, source)
            return state.last
        }
        listeners.tell(())
        return ticket
    }

    package func remove(_ ticket: Int) {
        state.withLock { state in state.sources = state.sources.filter { $0.value.ticket != ticket } }
        listeners.tell(())
    }

    package subscript(provider: String) -> Source? { state.withLock { $0.sources[provider]?.source } }

    /// Tells that there is another source, or one less, until the task that listens is cancelled.
    package func changes() -> AsyncStream<Void> { listeners.listen() }
}

extension Ability where Value == PushTokenCode {
    package static var pushTokenCode: Ability<PushTokenCode> { Ability(Provision(.runner, "push token code")) }
}
