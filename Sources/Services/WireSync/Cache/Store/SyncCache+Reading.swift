import Synchronization
import WireConfig
package import WireStore

extension SyncCache {
    /// Answers a query from the records, or returns the first missing part.
    package func read(
        _ question: CacheQuestion,
        pages: Denormalizer.Pages = .asked
    ) throws(StoreFailure) -> CacheReading {
        try follow()
        let known = state.withLock { state in
            state.answer(AnswerKey(question: question.resolved(state.aliases).identity, pages: pages))
        }
        if let known { return .hit(known) }
        let look = try reload()
        let question = question.resolved(look.known.aliases)
        let loader = RecordLoader(self, look)
        let reading = Self.reading(of: question.plan(look.known.rules), pages, by: loader)
        if let failure = loader.failure { throw failure }
        keep(reading, AnswerKey(question: question.identity, pages: pages), look.known.generation, loader)
        return reading
    }

    /// The valid answer in memory; nil where the store would have to be read, or memory is in use.
    ///
    /// Waits neither for the store nor for another thread.
    package func recall(_ question: CacheQuestion, pages: Denormalizer.Pages = .asked) -> CacheHit? {
        guard let glance = store.recordGlance() else { return nil }
        let found = state.withLockIfAvailable { state in
            guard state.glance == glance else { return nil as CacheHit? }
            return state.answer(AnswerKey(question: question.resolved(state.aliases).identity, pages: pages))
        }
        return found ?? nil
    }

    private static func reading(
        of plan: SelectionPlan,
        _ pages: Denormalizer.Pages,
        by loader: RecordLoader
    ) -> CacheReading {
        do throws(RecordMiss) {
            let answer = try Denormalizer.answer(to: plan, from: loader, pages: pages)
            return .hit(CacheHit(answer: answer, bytes: answer.data.bytes()))
        } catch {
            return .miss(error)
        }
    }

    /// Stores a reading in memory, unless that has changed meanwhile.
    private func keep(_ reading: CacheReading, _ key: AnswerKey, _ generation: Int, _ loader: RecordLoader) {
        let settings = settings
        let names = loader.read.keys.map { ($0, settings.name(of: $0)) }
        let read = loader.read
        state.withLock { state in
            guard state.generation == generation else { return }
            for (key, name) in names {
                state.recordKey(key, named: name)
                if let record = read[key] ?? nil { state.records.keep(record, under: key, weighing: record.weight) }
                if state.used.count < Self.mostUsed { state.used.insert(name) }
            }
            if case .hit(let hit) = reading { state.keep(hit, under: key) }
        }
    }

    private static let mostUsed = 4_096
}

extension CacheRecord {
    /// The approximate memory size of the record.
    var weight: Int {
        let keys = fields.keys.reduce(128) { $0 + $1.utf8.count + 64 }
        return fields.values.reduce(keys) { $0 + $1.weight }
    }
}

extension RecordValue {
    fileprivate var weight: Int {
        switch self {
        case .scalar(let value): value.weight
        case .list(let items): items.reduce(32) { $0 + 40 + $1.weight }
        case .reference(let key): key.text.utf8.count
        }
    }
}

extension JSONValue {
    /// The size of the value besides its own storage; the depth of server data is limited by their reader.
    fileprivate var weight: Int {
        switch self {
        case .string(let text), .decimal(let text): text.utf8.count
        case .array(let items): items.reduce(32) { $0 + 32 + $1.weight }
        case .object(let members): members.reduce(32) { $0 + 64 + $1.key.utf8.count + $1.value.weight }
        default: 0
        }
    }
}

extension SyncCache {
    /// Lists records by name after one of them, without deleted ones.
    package func listing(
        after name: String?,
        limit: Int
    ) throws(StoreFailure) -> (records: [(name: String, record: CacheRecord)], last: String?) {
        let found = try store.records(of: settings.region, after: name, limit: limit).records
        let names = found.keys.sorted()
        let records = names.compactMap { name -> (name: String, record: CacheRecord)? in
            guard !name.hasPrefix("~"), let bytes = found[name], let record = CacheRecord(bytes: bytes),
                !record.isDeleted
            else { return nil }
            return (name, record)
        }
        return (records, names.last)
    }
}

extension SyncCache {
    /// The number of answers and names in memory, for tests of the limits.
    package var remembered: (answers: Int, records: Int, names: Int) {
        state.withLock { ($0.answerNumbers.count, $0.answerKeys.count, $0.digested.count) }
    }
}
