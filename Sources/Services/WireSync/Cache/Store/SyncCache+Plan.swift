import Synchronization

extension SyncCache {
    /// The selections of a query, by the current rules.
    func plan(_ question: CacheQuestion) -> SelectionPlan { question.plan(state.withLock { $0.rules }) }
}
