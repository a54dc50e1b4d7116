import Synchronization
import WireBase
import WireConfig

/// Queries that messages ask for: each is run once for all messages that came before it is sent.
final class PendingRefetches: Sendable {
    /// A query of one user, whose claims its variables may have.
    private struct Name: Hashable {
        let question, region: String
    }

    private let waiting = Mutex<(order: [Name], asked: [Name: AskedOperation])>(([], [:]))
    private let wakeups = (0..<workers).map { _ in Wakeup() }

    private static let most = 1_000
    private static let workers = 4

    /// Runs a query soon; one that is under way is run once more.
    func post(_ asked: AskedOperation, of region: String) {
        waiting.withLock { waiting in
            let name = Name(question: asked.question.identity, region: region)
            guard waiting.order.count < Self.most, waiting.asked.updateValue(asked, forKey: name) == nil else { return }
            waiting.order.append(name)
        }
        for wakeup in wakeups { wakeup.wake() }
    }

    /// Works until it is cancelled or the service ends, on a few at a time: one that takes long does not keep the others.
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
