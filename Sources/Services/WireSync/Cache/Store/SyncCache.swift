import Synchronization
import WireBase
import WireConfig
package import WireStore

/// The records of one user in one environment: answers are split into records, and queries answered from them.
///
/// The processes of a group share the cache file. Memory holds records and answers used recently, until a record they
/// depend on changes.
package final class SyncCache: Sendable {
    let store: any RecordStore
    let settings: CacheSettings
    let state: Mutex<State>

    struct State: Sendable {
        var rules: RecordRules
        var layers = Layers()
        var aliases = TemporaryID.Aliases()
        var records: RecentlyRead<RecordKey, CacheRecord>
        var answers: RecentlyRead<AnswerKey, StoredAnswer>
        /// The answers in memory, by the records they depend on.
        var answerKeys = Dependencies()
        var answerNumbers: [Int: AnswerKey] = [:]
        var watchers = Dependencies()
        var wakes: [Int: @Sendable () -> Void] = [:]
        var next = 0
        /// The position of the region that memory corresponds to.
        var position: Int64 = 0
        /// The state of the file at that time.
        var glance: RecordGlance?
        /// Increases with each change of memory.
        var generation = 0
        var recent = RecentChanges()
        /// The keys of records whose names are digests.
        var digested: RecentlyRead<String, RecordKey>
        /// The names of records read since the last write.
        var used: Set<String> = []
        /// The records about the freshness of types that were requested here.
        var marks: Set<RecordKey> = []
        /// The position of the last removal of regions, by any process.
        var clearing: Int64 = 0
        /// The edits of this process in progress.
        var ownEdits: [Int: OwnEdit] = [:]
    }

    typealias Wake = @Sendable () -> Void

    struct AnswerKey: Hashable, Sendable {
        let question: String
        let pages: Denormalizer.Pages
    }

    struct StoredAnswer: Sendable {
        let number: Int
        let hit: CacheHit
    }

    package init(_ store: any RecordStore, _ settings: CacheSettings, _ rules: RecordRules) {
        self.store = store
        self.settings = settings
        state = Mutex(
            State(
                rules: rules,
                records: RecentlyRead(upTo: settings.memory.bytes),
                answers: RecentlyRead(upTo: settings.memory.bytes, tellsGone: true),
                digested: RecentlyRead(upTo: settings.memory.bytes / 2)
            )
        )
    }

    /// The size of the region on the disk.
    package var usage: StoreUsage {
        get throws(StoreFailure) { try store.recordUsage(of: settings.region) }
    }

    /// Removes all records; returns their number as in `recordsByType`.
    ///
    /// Layers stay with their mutations. Answers requested before it are not stored after it.
    package func clear() async throws(StoreFailure) -> Int {
        let count = try recordsByType().values.reduce(0, +)
        _ = try await store.forgetRecords(ofRegionsBeginning: settings.region)
        try follow()
        return count
    }

    /// The last clearing, by any process: answers requested before it are not stored after it.
    package var clearing: Int64 {
        // Where the store cannot be read, nothing is written either.
        _ = try? follow()
        return state.withLock { $0.clearing }
    }

    // MARK: Watchers

    /// Increases with each known change of records or layers.
    var generation: Int { state.withLock { $0.generation } }

    /// Whether one of these records has changed since a request was sent, other than by its answer.
    func hasChanged(_ keys: Set<RecordKey>, during span: SyncService.Fetched.Span) -> Bool {
        // Includes changes of others; where the store cannot be read now, they wake watchers later.
        _ = try? follow()
        return state.withLock { $0.recent.concern(keys, since: span.sent, but: span.written) }
    }

    /// Calls back after each change of records until the watcher is removed.
    ///
    /// Called on the thread of the change; the watcher reads the new answer elsewhere, and then sets its new
    /// dependencies.
    package func watch(_ keys: Set<RecordKey>, wake: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.watchers.set(keys, of: state.next)
            state.wakes[state.next] = wake
            return state.next
        }
    }

    package func rewatch(_ watcher: Int, _ keys: Set<RecordKey>) {
        state.withLock { state in
            if state.wakes[watcher] != nil { state.watchers.set(keys, of: watcher) }
        }
    }

    package func unwatch(_ watcher: Int) {
        state.withLock { state in
            state.watchers.remove(watcher)
            state.wakes[watcher] = nil
        }
    }

    /// Changes the state, then wakes the affected watchers.
    func update<Result: Sendable>(_ body: (inout State) -> (Result, [Wake])) -> Result {
        let (result, wakes) = state.withLock { body(&$0) }
        for wake in wakes { wake() }
        return result
    }
}

extension SyncCache.State {
    /// Removes answers that depend on changed records; returns the watchers to wake.
    mutating func change(_ keys: some Collection<RecordKey>, but watcher: Int? = nil) -> [SyncCache.Wake] {
        generation += 1
        for key in keys { records.forget(key) }
        return changed(keys, but: watcher)
    }

    /// Does the same without changed records, for example after a change of layers.
    mutating func changed(_ keys: some Collection<RecordKey>, but watcher: Int? = nil) -> [SyncCache.Wake] {
        generation += 1
        recent.record(keys, at: generation)
        forgetAnswers(of: keys)
        return watchers.watchers(of: keys).filter { $0 != watcher }.sorted().compactMap { wakes[$0] }
    }

    /// Removes answers whose records have only become younger.
    mutating func forgetAnswers(of keys: some Sequence<RecordKey>) {
        for number in answerKeys.watchers(of: keys) { forget(answer: number) }
    }

    mutating func changeAll() -> [SyncCache.Wake] {
        generation += 1
        recent.forget(at: generation)
        records.forgetAll()
        answers.forgetAll()
        answerNumbers = [:]
        answerKeys = Dependencies()
        return wakes.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The keys of records by name; nil where one may have been forgotten.
    func keys(of names: [String]) -> [RecordKey]? {
        var keys: [RecordKey] = []
        for name in names {
            if !name.hasPrefix(CacheSettings.digested) {
                keys.append(RecordKey(name))
            } else if let key = digested.find(name) {
                keys.append(key)
            } else if digested.hasDropped {
                return nil
            }
        }
        return keys
    }

    /// Stores the keys of records whose names are digests.
    mutating func recordKey(_ key: RecordKey, named name: String) {
        guard name.hasPrefix(CacheSettings.digested) else { return }
        digested.keep(key, under: name, weighing: name.utf8.count + key.text.utf8.count + 64)
    }

    private mutating func forget(answer number: Int) {
        if let key = answerNumbers[number] { answers.forget(key) }
        forgetGone()
    }

    // MARK: Answers

    mutating func answer(_ key: SyncCache.AnswerKey) -> CacheHit? {
        defer { forgetGone() }
        return answers.use(key)?.hit
    }

    /// Stores an answer while there is room, until one of its records changes.
    mutating func keep(_ hit: CacheHit, under key: SyncCache.AnswerKey) {
        next += 1
        answerNumbers[next] = key
        answerKeys.set(hit.answer.keys, of: next)
        let weight = hit.bytes.count * 3 + hit.answer.keys.count * Self.keyWeight + 512
        answers.keep(SyncCache.StoredAnswer(number: next, hit: hit), under: key, weighing: weight)
        forgetGone()
    }

    private mutating func forgetGone() {
        for answer in answers.takeGone() {
            answerKeys.remove(answer.number)
            answerNumbers[answer.number] = nil
        }
    }

    /// The size of a dependency: in the answer, and on both sides of the index.
    private static let keyWeight = 192
}
