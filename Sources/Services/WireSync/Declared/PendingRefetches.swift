import Synchronization
import WireBase
import WireConfig

/// Queries that messages ask for: each is run once for all messages that came before it is sent.
final class PendingRefetches: Sendable {
    private let waiting = Mutex<(order: [String], asked: [String: AskedOperation])>(([], [:]))
    private let wakeup = Wakeup()

    private static let most = 1_000
    private static let atOnce = 4

    /// Runs a query soon; one that is under way is run once more.
    func post(_ asked: AskedOperation) {
        waiting.withLock { waiting in
            let identity = asked.question.identity
            guard waiting.order.count < Self.most, waiting.asked.updateValue(asked, forKey: identity) == nil else {
                return
            }
            waiting.order.append(identity)
        }
        wakeup.wake()
    }

    /// Works until it is cancelled.
    func run(_ fetch: @escaping @Sendable (AskedOperation) async -> Void) async {
        while await wakeup.next() != nil {
            await withTaskGroup { group in
                for _ in 0..<Self.atOnce {
                    group.addTask { while let asked = self.take(), !Task.isCancelled { await fetch(asked) } }
                }
            }
        }
    }

    private func take() -> AskedOperation? {
        waiting.withLock { waiting in
            guard !waiting.order.isEmpty else { return nil }
            return waiting.asked.removeValue(forKey: waiting.order.removeFirst())
        }
    }
}
