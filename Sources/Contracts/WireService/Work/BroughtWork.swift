import Synchronization
import WireConfig

/// The work that the program around the runner does itself, by the name of the task it is for; outlives generations.
package final class BroughtWork: Sendable {
    package typealias Work = @Sendable () async throws -> Void

    private struct State {
        var works: [String: (ticket: Int, work: Work)] = [:]
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    package init() {}

    package subscript(name: String) -> Work? { state.withLock { $0.works[name]?.work } }

    /// Takes the place of what was brought for the same task; the answer takes it away again.
    package func bring(_ name: String, _ work: @escaping Work) -> Int {
        let (ticket, listeners) = state.withLock { state in
            state.last += 1
            state.works[name] = (state.last, work)
            return (state.last, Array(state.listeners.values))
        }
        for listener in listeners { listener.yield() }
        return ticket
    }

    /// Takes away what was brought, where nothing else has taken its place.
    package func take(_ name: String, _ ticket: Int) {
        let listeners = state.withLock { state in
            if state.works[name]?.ticket == ticket { state.works[name] = nil }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield() }
    }

    /// Tells whenever something was brought or taken, until the task that listens is cancelled.
    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[number] = nil }
        }
        return stream
    }
}

extension Ability where Value == BroughtWork {
    package static var broughtWork: Ability<BroughtWork> { Ability(Provision(.runner, "brought work")) }
}
