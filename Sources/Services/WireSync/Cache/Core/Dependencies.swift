/// The watchers that depend on records.
package struct Dependencies: Sendable {
    private var keys: [Int: Set<RecordKey>] = [:]
    private var watchers: [RecordKey: Set<Int>] = [:]

    package init() {}

    /// Replaces the records that a watcher's answer depends on.
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

    /// The watchers affected by a change, each once; takes time proportional to the changed records.
    package func watchers(of changed: some Sequence<RecordKey>) -> Set<Int> {
        var found: Set<Int> = []
        if watchers.isEmpty { return found }
        for key in changed { found.formUnion(watchers[key] ?? []) }
        return found
    }

    /// The records that any watcher depends on.
    package var records: some Sequence<RecordKey> { watchers.keys }
    /// The number of records with watchers.
    package var count: Int { watchers.count }
    package var all: some Sequence<Int> { keys.keys }
}
