import Synchronization
import WireBase
import WireStore
import WireSync

/// Records in memory, with steps of others between those of an edit or of a reading.
final class MemoryStore: RecordStore {
    private let state = Mutex(Region())
    private let past = Mutex<Region?>(nil)
    private let hooks = Mutex(Hooks())

    fileprivate struct Region: Sendable {
        var records: [String: (bytes: [UInt8], position: Int64)] = [:]
        var marked: Set<String> = []
        var last: Int64 = 0
        var removed: Int64 = 0
        var clearing: Int64 = 0
    }

    /// What is done once, or after each reading.
    struct Hooks: Sendable {
        /// Before an edit is decided.
        var beforeEdit: (@Sendable () -> Void)?
        /// When an edit can be seen, and has not returned yet.
        var afterCommit: (@Sendable () -> Void)?
        /// In place of the commit: the edit is taken back, others write, and it fails.
        var insteadOfCommit: (@Sendable () -> Void)?
        /// Before news are read.
        var beforeNews: (@Sendable () -> Void)?
        var afterRead: (@Sendable () -> Void)?
    }

    func set(_ change: (inout Hooks) -> Void) { hooks.withLock { change(&$0) } }

    /// Another process writes.
    func write(_ records: [String: CacheRecord], removing removals: [String] = []) {
        let puts = records.sorted { $0.key < $1.key }.map { RecordChanges.Put($0.key, $0.value.bytes) }
        state.withLock { $0.apply(RecordChanges(puts: puts, removals: removals)) }
    }

    func bytes(_ key: String) -> [UInt8]? { state.withLock { $0.records[key]?.bytes } }

    // MARK: RecordStore

    func view(of region: String) -> any RecordView {
        View(self, past.withLock { $0.take() } ?? state.withLock { $0 })
    }

    /// Lets the next view show what there is now, whenever that is.
    var recall: @Sendable () -> Void {
        let now = state.withLock { $0 }
        return { [self] in past.withLock { $0 = now } }
    }

    private final class View: RecordView {
        private let store: MemoryStore
        private let region: Region

        init(_ store: MemoryStore, _ region: Region) { (self.store, self.region) = (store, region) }

        var position: Int64 { region.last }
        var clearing: Int64 { region.clearing }

        func records(_ keys: [String]) -> [String: [UInt8]] {
            defer { store.hooks.withLock { $0.afterRead }?() }
            return region.found(keys)
        }

        func changes(after position: Int64, through end: Int64, limit: Int) -> RecordChangeSet {
            store.hooks.withLock { $0.beforeNews.take() }?()
            return region.changeSet(after: position, through: end, limit: limit)
        }
    }

    func records(of region: String, after key: String?, limit: Int) -> FoundRecords { FoundRecords() }

    func edit(
        _ edit: RecordEdit,
        in region: String,
        deciding decide: @escaping @Sendable (FoundRecords) -> RecordChanges
    ) async throws(StoreFailure) -> RecordReceipt {
        hooks.withLock { $0.beforeEdit.take() }?()
        var next = state.withLock { $0 }
        let former = next.last
        var keys = edit.keys
        if edit.known.position != former { keys += edit.known.keys }
        if edit.readsMarked { keys += next.marked.flatMap { [$0, edit.successor($0)].compactMap(\.self) } }
        let found = FoundRecords(records: next.found(keys), position: former, clearing: next.clearing)
        next.apply(decide(found))
        let receipt = RecordReceipt(former: former, position: next.last, evicted: 0)
        edit.foreseen(receipt)
        if let others = hooks.withLock({ $0.insteadOfCommit.take() }) {
            others()
            throw StoreFailure(.full, "the disk is full")
        }
        state.withLock { [next] in $0 = next }
        hooks.withLock { $0.afterCommit.take() }?()
        return receipt
    }

    func forgetRecords(ofRegionsBeginning prefix: String) -> Int {
        state.withLock { region in
            let (count, clearing) = (region.records.count, region.clearing + 1)
            region = Region()
            region.clearing = clearing
            return count
        }
    }

    func recordCount(ofRegionsBeginning prefix: String) -> Int { state.withLock { $0.records.count } }

    func recordsChanged(after position: Int64, in region: String) async throws(StoreFailure) -> Int64 {
        state.withLock { $0.last }
    }

    func recordUsage(of region: String) -> StoreUsage { StoreUsage(entries: 0, size: .bytes(0)) }

    func recordGlance() -> RecordGlance? {
        state.withLock { RecordGlance(UInt64($0.last), UInt64($0.records.count), UInt64($0.clearing), 0, 0, 0) }
    }
}

extension MemoryStore.Region {
    fileprivate func found(_ keys: [String]) -> [String: [UInt8]] {
        keys.reduce(into: [:]) { $0[$1] = records[$1]?.bytes }
    }

    fileprivate func changeSet(after position: Int64, through end: Int64, limit: Int) -> RecordChangeSet {
        let end = min(end, last)
        let all = records.filter { $0.value.position > position && $0.value.position <= end }
        let told = all.sorted { $0.value.position < $1.value.position }.prefix(limit)
        return RecordChangeSet(
            keys: told.map(\.key),
            hasGap: removed > position,
            position: told.count == limit ? told.last?.value.position ?? end : end
        )
    }

    fileprivate mutating func apply(_ changes: RecordChanges) {
        for put in changes.puts {
            last += 1
            records[put.key] = (put.bytes, last)
            if put.isMarked { marked.insert(put.key) } else { marked.remove(put.key) }
        }
        for key in changes.removals where records.removeValue(forKey: key) != nil {
            last += 1
            removed = last
        }
    }
}

/// Counts how often a watcher is called.
final class Counter: Sendable {
    private let calls = Atomic<Int>(0)

    var wake: @Sendable () -> Void { { [self] in calls.add(1, ordering: .relaxed) } }

    var count: Int { calls.load(ordering: .relaxed) }
}

extension SyncCache {
    /// The answer of a cache as text, or what is missing.
    func text(_ question: CacheQuestion) throws -> String {
        switch try read(question) {
        case .hit(let hit): String(decoding: hit.bytes, as: UTF8.self)
        case .miss(let miss): "miss \(miss.key)"
        }
    }

    /// What a watcher of an answer depends on.
    func keys(_ question: CacheQuestion) throws -> Set<RecordKey> {
        switch try read(question) {
        case .hit(let hit): hit.answer.keys
        case .miss(let miss): miss.keys
        }
    }
}
