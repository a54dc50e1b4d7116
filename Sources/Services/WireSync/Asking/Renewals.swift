import Synchronization
import WireBase
import WireHTTP
import WireService

/// Background queries for answers that the cache gave at once.
final class Renewals: Sendable {
    private struct Name: Hashable {
        let question: String
        let tokens: TokenRights
    }

    private struct State {
        /// In order of arrival.
        var waiting: [AskedOperation] = []
        /// The queued queries, and those in progress.
        var known: Set<Name> = []
    }

    private let state = Mutex(State())
    private let wakeups = (0..<workers).map { _ in Wakeup() }

    private static let most = 256
    private static let workers = 4

    /// Queues a query; the same query of callers with the same rights once.
    func post(_ asked: AskedOperation) {
        state.withLock { state in
            let name = Name(question: asked.question.identity, tokens: asked.tokens)
            guard state.known.count < Self.most, state.known.insert(name).inserted else { return }
            state.waiting.append(asked)
        }
        for wakeup in wakeups { wakeup.wake() }
    }

    /// Runs until cancelled or the service ends, a few at a time, so that a slow query does not block the others.
    func run(until ending: OneShot, _ renew: @escaping @Sendable (AskedOperation) async -> Void) async {
        _ = await unless(ending) {
            await withDiscardingTaskGroup { group in
                for wakeup in self.wakeups { group.addTask { await self.work(on: wakeup, renew) } }
            }
        }
    }

    private func work(on wakeup: Wakeup, _ renew: @Sendable (AskedOperation) async -> Void) async {
        while await wakeup.next() != nil {
            while let asked = next() {
                await renew(asked)
                finish(asked)
            }
        }
    }

    private func next() -> AskedOperation? {
        state.withLock { state in
            guard !Task.isCancelled, !state.waiting.isEmpty else { return nil }
            return state.waiting.removeFirst()
        }
    }

    private func finish(_ asked: AskedOperation) {
        state.withLock { state in
            _ = state.known.remove(Name(question: asked.question.identity, tokens: asked.tokens))
        }
    }
}
