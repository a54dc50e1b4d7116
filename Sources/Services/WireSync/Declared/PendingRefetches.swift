import Synchronization
import WireBase
import WireConfig

/// Queries requested by messages: each runs once for all messages that arrive before it is sent.
final class PendingRefetches: Sendable {
    /// A query of one user, whose claims may be in its variables.
    private struct Name: Hashable {
        let question, region: String
    }

    private let waiting = Mutex<(order: [Name], asked: [Name: AskedOperation])>(([], [:]))
    private let wakeups = (0..<workers).map { _ in Wakeup() }

    private static let most = 1_000
    private static let workers = 4

    /// Queues a query; one in progress runs once more.
    func post(_ asked: AskedOperation, of region: String) {
        waiting.withLock { waiting in
            let name = Name(question: asked.question.identity, region: region)
            guard waiting.order.count < Self.most, waiting.asked.updateValue(asked, forKey: name) == nil else { return }
            waiting.order.append(name)
        }
        for wakeup in wakeups { wakeup.wake() }
    }

    /// Runs until cancelled or the service ends, a few at a time, so that a slow query does not block the others.
    func run(until ending: OneShot, _ fetch: @escaping @Sendable (AskedOperation, String) async -> Void) async {
        _ = await unless(ending) {
            await withDiscardingTaskGroup { group in
                for wakeup in self.wakeups {
                    group.addTask {
                        while await wakeup.next() != nil {
                            while let (asked, region) = self.take() { await fetch(asked, region) }
                        }
                    }
                }
            }
        }
    }

    private func take() -> (AskedOperation, String)? {
        waiting.withLock { waiting in
            guard !Task.isCancelled, !waiting.order.isEmpty else { return nil }
            let name = waiting.order.removeFirst()
            return waiting.asked.removeValue(forKey: name).map { ($0, name.region) }
        }
    }
}
