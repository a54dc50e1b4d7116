import Synchronization
import WireConfig
import WireHTTP

/// Whether notifications may be shown to the user; one for the whole program, kept by the service that shows them.
///
/// Nil while no service shows notifications: then nothing waits for a permission.
package final class NotificationPermission: Sendable {
    package enum Answer: String, JSONWord, PlainCodable {
        /// The user was not asked yet.
        case ask
        case granted, denied
    }

    private struct State {
        var answer: Answer?
        var listeners: [Int: AsyncStream<Answer?>.Continuation] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var answer: Answer? { state.withLock { $0.answer } }

    /// Called by the service that keeps it alone.
    package func become(_ answer: Answer?) {
        let listeners: [AsyncStream<Answer?>.Continuation] = state.withLock { state in
            guard state.answer != answer else { return [] }
            state.answer = answer
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(answer) }
    }

    /// The answer from now on, beginning with now, until the task that listens is cancelled.
    package func changes() -> AsyncStream<Answer?> {
        let (stream, continuation) = AsyncStream.makeStream(of: Answer?.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
            continuation.yield(state.answer)
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[number] = nil }
        }
        return stream
    }
}

extension Ability where Value == NotificationPermission {
    package static var notificationPermission: Ability<NotificationPermission> {
        Ability(Provision(.runner, "notification permission"))
    }
}
