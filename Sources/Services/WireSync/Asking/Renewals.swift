import Synchronization
import WireBase
import WireHTTP
import WireService

/// Queries that are asked again behind the answer that the cache gave at once.
final class Renewals: Sendable {
    private let waiting = Mutex<[String: AskedOperation]>([:])
    private let wakeup = Wakeup()

    private static let most = 256

    /// Asks a query again soon; the same query once.
    func post(_ asked: AskedOperation) {
        waiting.withLock { waiting in
            guard waiting.count < Self.most, waiting[asked.question.identity] == nil else { return }
            waiting[asked.question.identity] = asked
        }
        wakeup.wake()
    }

    /// Works until it is cancelled, on a few at a time.
    func run(_ renew: @escaping @Sendable (AskedOperation) async -> Void) async {
        while await wakeup.next() != nil {
            let all = waiting.withLock { waiting in
                defer { waiting = [:] }
                return Array(waiting.values)
            }
            await withDiscardingTaskGroup { group in
                for asked in all { group.addTask { await renew(asked) } }
            }
        }
    }
}
