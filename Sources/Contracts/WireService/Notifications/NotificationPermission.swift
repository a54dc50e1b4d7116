import Synchronization
import WireConfig

/// Whether notifications may be shown to the user; one for the whole program, kept by whoever shows them.
///
/// Nil while nobody shows notifications at all: then nothing waits for a permission.
package final class NotificationPermission: Sendable {
    package enum Answer: String, Sendable, CaseIterable {
        /// Nobody was asked yet.
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

    /// Said by whoever keeps it, and by nobody else.
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
