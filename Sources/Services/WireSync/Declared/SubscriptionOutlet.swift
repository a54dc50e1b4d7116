import Synchronization
import WireBase
import WireConfig
package import WireNotificationContract
package import WireTelemetry

/// Passes the notifications of subscriptions on; those without a receiver are queued, up to a limit of bytes.
///
/// They are queued here, not in the streams, so that those of one user are removed when the user changes.
package final class SubscriptionOutlet: SubscriptionMessages {
    private struct Waiting {
        let message: SubscriptionMessage
        let size: Int
        let region: String
    }

    private struct State {
        var waiting: [Waiting] = []
        var size = 0
        /// The present listener; another one replaces it.
        var number = 0
        var isOver = false
    }

    private let state = Mutex(State())
    private let signal = ChangeSignal()
    private let log: Log
    private let region: @Sendable () -> String

    package static let most = (count: 1_000, size: 16 << 20)

    /// Takes the region of the present user, whose notifications are passed on.
    package init(_ log: Log, _ region: @escaping @Sendable () -> String) {
        (self.log, self.region) = (log, region)
    }

    package func put(_ message: SubscriptionMessage, of region: String) {
        let size = message.payload.bytes().count
        let dropped = state.withLock { state in
            guard !state.isOver else { return 0 }
            state.waiting.append(Waiting(message: message, size: size, region: region))
            state.size += size
            let before = state.waiting.count
            while state.waiting.count > 1, state.waiting.count > Self.most.count || state.size > Self.most.size {
                state.size -= state.waiting.removeFirst().size
            }
            return before - state.waiting.count
        }
        signal.signal()
        guard dropped > 0 else { return }
        log.warning(
            "notifications of subscriptions are dropped: the queue is full",
            ["dropped": .integer(dropped), "subscription": .text(message.subscription)]
        )
    }

    package func messages() -> AsyncStream<SubscriptionMessage> {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        signal.signal()
        return AsyncStream(unfolding: { await self.next(number) })
    }

    /// Nil where another listener has replaced this one, the service has stopped, or the task is cancelled.
    private func next(_ number: Int) async -> SubscriptionMessage? {
        while !Task.isCancelled {
            let count = signal.count
            let (next, isOver) = state.withLock { state -> (Waiting?, Bool) in
                guard state.number == number else { return (nil, true) }
                guard !state.waiting.isEmpty else { return (nil, state.isOver) }
                let next = state.waiting.removeFirst()
                state.size -= next.size
                return (next, false)
            }
            if let next {
                if next.region == region() { return next.message }
            } else if isOver {
                return nil
            } else {
                await signal.wait(after: count)
            }
        }
        return nil
    }

    /// Drops queued notifications of a former user.
    package func clear() { state.withLock { ($0.waiting, $0.size) = ([], 0) } }

    func end() {
        state.withLock { $0.isOver = true }
        signal.signal()
    }
}
