import Synchronization
import WireConfig
import WireService

/// Hands the notifications of subscriptions on; those that nothing takes yet are kept, up to a limit.
final class SubscriptionOutlet: SubscriptionMessages {
    private struct State {
        var listener: AsyncStream<SubscriptionMessage>.Continuation?
        var number = 0
        var kept: [SubscriptionMessage] = []
        var isOver = false
    }

    private let state = Mutex(State())
    private static let most = 1_000

    init() {}

    func put(_ message: SubscriptionMessage) {
        state.withLock { state in
            guard !state.isOver else { return }
            if let listener = state.listener {
                listener.yield(message)
            } else {
                if state.kept.count == Self.most { state.kept.removeFirst() }
                state.kept.append(message)
            }
        }
    }

    func messages() -> AsyncStream<SubscriptionMessage> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SubscriptionMessage.self,
            bufferingPolicy: .bufferingNewest(Self.most)
        )
        let (number, former) = state.withLock { state in
            for message in state.kept { continuation.yield(message) }
            (state.kept, state.number) = ([], state.number + 1)
            defer { state.listener = state.isOver ? nil : continuation }
            return (state.number, state.listener)
        }
        former?.finish()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in
                if state.number == number { state.listener = nil }
            }
        }
        if state.withLock({ $0.isOver }) { continuation.finish() }
        return stream
    }

    func end() {
        let listener = state.withLock { state in
            state.isOver = true
            defer { state.listener = nil }
            return state.listener
        }
        listener?.finish()
    }
}
