/// The last changes in memory, which show whether data read earlier is outdated.
struct RecentChanges: Sendable {
    private struct Change: Sendable {
        let generation: Int
        /// Nil where there were too many.
        let keys: [RecordKey]?
    }

    private var changes: [Change] = []
    private var count = 0
    /// The last generation whose changes are forgotten.
    private var forgotten = 0

    private static let most = 4_096

    mutating func record(_ keys: some Collection<RecordKey>, at generation: Int) {
        if keys.isEmpty { return }
        let isKept = keys.count <= Self.most / 2
        changes.append(Change(generation: generation, keys: isKept ? Array(keys) : nil))
        count += isKept ? keys.count : 1
        while count > Self.most {
            // Removes half at once, so that it happens rarely.
            let dropped = changes.prefix(max(1, changes.count / 2))
            forgotten = dropped.last?.generation ?? generation
            count -= dropped.reduce(0) { $0 + ($1.keys?.count ?? 1) }
            changes.removeFirst(dropped.count)
        }
    }

    /// Everything may have changed.
    mutating func forget(at generation: Int) { (changes, count, forgotten) = ([], 0, generation) }

    /// Whether one of these records has changed after a generation, except by one own generation.
    func concern(_ keys: Set<RecordKey>, since generation: Int, but own: Int) -> Bool {
        if forgotten > generation { return true }
        return changes.contains { change in
            guard change.generation > generation, change.generation != own else { return false }
            return change.keys?.contains(where: keys.contains) ?? true
        }
    }
}
