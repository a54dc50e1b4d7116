/// Which watchers depend on which records.
package struct Dependencies: Sendable {
    private var keys: [Int: Set<RecordKey>] = [:]
    private var watchers: [RecordKey: Set<Int>] = [:]

    package init() {}

    /// Notes the records that a watcher's answer was made of, in place of those before.
    package mutating func set(_ records: Set<RecordKey>, of watcher: Int) {
        let former = keys[watcher] ?? []
        for key in former.subtracting(records) { remove(watcher, of: key) }
        for key in records.subtracting(former) { watchers[key, default: []].insert(watcher) }
        keys[watcher] = records
    }

    package mutating func remove(_ watcher: Int) {
        for key in keys.removeValue(forKey: watcher) ?? [] { remove(watcher, of: key) }
    }

    private mutating func remove(_ watcher: Int, of key: RecordKey) {
        watchers[key]?.remove(watcher)
        if watchers[key]?.isEmpty == true { watchers[key] = nil }
    }

    /// The watchers concerned by a change, each once; takes as long as there are changed records.
    package func watchers(of changed: some Sequence<RecordKey>) -> Set<Int> {
        var found: Set<Int> = []
        if watchers.isEmpty { return found }
        for key in changed { found.formUnion(watchers[key] ?? []) }
        return found
    }

    /// The records that any watcher depends on.
    package var records: some Sequence<RecordKey> { watchers.keys }
    /// How many records any watcher depends on.
    package var count: Int { watchers.count }
    package var all: some Sequence<Int> { keys.keys }
}
