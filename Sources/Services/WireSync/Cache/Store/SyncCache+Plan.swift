import Synchronization

extension SyncCache {
    /// What a question selects, by the present rules.
    func plan(_ question: CacheQuestion) -> SelectionPlan { question.plan(state.withLock { $0.rules }) }
}
