import Synchronization
import WireBase
import WireConfig
package import WireStore

/// The records of one user in one environment: answers are taken apart into them, and queries answered from them.
///
/// The processes of a group share them by the cache file. In memory are the records and answers that were asked for
/// lately, as long as nothing they are made of has changed.
package final class SyncCache: Sendable {
    let store: any RecordStore
    let settings: CacheSettings
    let state: Mutex<State>

    struct State: Sendable {
        var rules: RecordRules
        var layers = Layers()
        var aliases = TemporaryID.Aliases()
        var records: RecentlyRead<RecordKey, CacheRecord>
        var answers: RecentlyRead<AnswerKey, KeptAnswer>
        /// The answers in memory, by the records they are made of.
        var answerKeys = Dependencies()
        var answerNumbers: [Int: AnswerKey] = [:]
        var watchers = Dependencies()
        var wakes: [Int: @Sendable () -> Void] = [:]
        var next = 0
        /// The position of the region that memory is right for.
        var position: Int64 = 0
        /// The state of the file when that was found.
        var glance: RecordGlance?
        /// Grows with each change of what memory holds.
        var generation = 0
        var recent = RecentChanges()
        /// The keys of records whose names are digests.
        var digested: RecentlyRead<String, RecordKey>
        /// The names of records that were read since the last write.
        var used: Set<String> = []
        /// The records of how far types are up to date, of those that are asked for here.
        var marks: Set<RecordKey> = []
        /// The position at which regions were removed last, by this process or another.
        var clearing: Int64 = 0
        /// The edits of this process that are under way.
        var own: [Int: OwnEdit] = [:]
    }

    typealias Wake = @Sendable () -> Void

    struct AnswerKey: Hashable, Sendable {
        let question: String
        let pages: Denormalizer.Pages
    }

    struct KeptAnswer: Sendable {
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

    /// How much the region holds on the disk.
    package var usage: StoreUsage {
        get throws(StoreFailure) { try store.recordUsage(of: settings.region) }
    }

    /// Removes all records, and returns how many there were, as `recordsByType` counts them.
    ///
    /// Layers stay, since their mutations do. What was asked for before it is not written after it.
    package func clear() async throws(StoreFailure) -> Int {
        let count = try recordsByType().values.reduce(0, +)
        _ = try await store.forgetRecords(ofRegionsBeginning: settings.region)
        try follow()
        return count
    }

    /// The last clearing, by this process or another: what was asked for before it is not to be written after it.
    package var clearing: Int64 {
        // Where the store cannot be read, nothing is written either.
        _ = try? follow()
        return state.withLock { $0.clearing }
    }

    // MARK: Watchers

    /// Grows with each change of records or layers that is known here.
    var generation: Int { state.withLock { $0.generation } }

    /// Whether one of these records has changed since a request was sent, but for what its answer has written.
    func hasChanged(_ keys: Set<RecordKey>, during span: SyncService.Fetched.Span) -> Bool {
        // What others have written is found there as well, and wakes later where the store cannot be read now.
        _ = try? follow()
        return state.withLock { $0.recent.concern(keys, since: span.sent, but: span.written) }
    }

    /// Calls back after each change of records, once for each change, until the watcher is removed.
    ///
    /// It is called on the thread that made the change; it reads the new answer elsewhere, and then names what that
    /// depends on.
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

    /// Changes the state, then wakes the watchers that the change concerns.
    func update<Result: Sendable>(_ body: (inout State) -> (Result, [Wake])) -> Result {
        let (result, wakes) = state.withLock { body(&$0) }
        for wake in wakes { wake() }
        return result
    }
}

extension SyncCache.State {
    /// Lets go of what was made of records that have changed, and returns the watchers to wake.
    mutating func change(_ keys: some Collection<RecordKey>, but watcher: Int? = nil) -> [SyncCache.Wake] {
        generation += 1
        for key in keys { records.forget(key) }
        return changed(keys, but: watcher)
    }

    /// The same without the records themselves, such as where layers have changed.
    mutating func changed(_ keys: some Collection<RecordKey>, but watcher: Int? = nil) -> [SyncCache.Wake] {
        generation += 1
        recent.note(keys, at: generation)
        forgetAnswers(of: keys)
        return watchers.watchers(of: keys).filter { $0 != watcher }.sorted().compactMap { wakes[$0] }
    }

    /// Lets go of answers made of records that are younger now, if nothing else.
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

    /// The keys of records by their names; nil where one may have been known, and is not any more.
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

    /// Remembers the keys of records whose names do not tell them.
    mutating func note(_ key: RecordKey, named name: String) {
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

    /// Keeps an answer for as long as there is room, and none of its records has changed.
    mutating func keep(_ hit: CacheHit, under key: SyncCache.AnswerKey) {
        next += 1
        answerNumbers[next] = key
        answerKeys.set(hit.answer.keys, of: next)
        let weight = hit.bytes.count * 3 + hit.answer.keys.count * Self.keyWeight + 512
        answers.keep(SyncCache.KeptAnswer(number: next, hit: hit), under: key, weighing: weight)
        forgetGone()
    }

    private mutating func forgetGone() {
        for answer in answers.takeGone() {
            answerKeys.remove(answer.number)
            answerNumbers[answer.number] = nil
        }
    }

    /// What a record takes that an answer is made of: in the answer, and on both sides of the dependencies.
    private static let keyWeight = 192
}
