import Synchronization
import WireConfig
package import WireStore

extension SyncCache {
    /// Answers a query from the records, or says what is missing.
    package func read(
        _ question: CacheQuestion,
        pages: Denormalizer.Pages = .asked
    ) throws(StoreFailure) -> CacheReading {
        var attempts = 0
        while true {
            try follow()
            let (hit, seen) = state.withLock { state in
                let question = question.resolved(state.aliases)
                let key = AnswerKey(question: question.identity, pages: pages)
                return (state.answers.use(key)?.hit, Seen(key: key, question: question, state))
            }
            if let hit { return .hit(hit) }
            attempts += 1
            let loader = RecordLoader(self, seen.layers)
            let reading = Self.reading(of: seen, by: loader)
            if let failure = loader.failure { throw failure }
            // What has changed meanwhile may have been read in part.
            let isOfOneMoment = store.recordGlance() == seen.glance && seen.glance != nil
            if keep(reading, seen, loader, isOfOneMoment: isOfOneMoment) || attempts == Self.mostAttempts {
                return reading
            }
        }
    }

    private struct Seen {
        let key: AnswerKey
        let question: CacheQuestion
        let rules: RecordRules
        let layers: Layers
        let generation: Int
        let glance: RecordGlance?

        init(key: AnswerKey, question: CacheQuestion, _ state: State) {
            (self.key, self.question) = (key, question)
            (rules, layers) = (state.rules, state.layers)
            (generation, glance) = (state.generation, state.glance)
        }
    }

    private static func reading(of seen: Seen, by loader: RecordLoader) -> CacheReading {
        do throws(RecordMiss) {
            let plan = seen.question.plan(seen.rules)
            let answer = try Denormalizer.answer(to: plan, from: loader, pages: seen.key.pages)
            return .hit(CacheHit(answer: answer, bytes: answer.data.bytes()))
        } catch {
            return .miss(error)
        }
    }

    /// Keeps what was read in memory; false where it changed meanwhile.
    private func keep(_ reading: CacheReading, _ seen: Seen, _ loader: RecordLoader, isOfOneMoment: Bool) -> Bool {
        let settings = settings
        let names = loader.read.keys.map { ($0, settings.name(of: $0)) }
        let read = loader.read
        return state.withLock { state in
            guard isOfOneMoment, state.generation == seen.generation else { return seen.glance == nil }
            for (key, name) in names {
                state.note(key, named: name)
                if let record = read[key] ?? nil { state.records.keep(record, under: key, weighing: record.weight) }
                if state.used.count < Self.mostUsed { state.used.insert(name) }
            }
            guard case .hit(let hit) = reading else { return true }
            state.next += 1
            let weight = hit.bytes.count * 3 + hit.answer.keys.count * 64 + 512
            state.answers.keep(KeptAnswer(number: state.next, hit: hit), under: seen.key, weighing: weight)
            state.answerNumbers[state.next] = seen.key
            state.answerKeys.set(hit.answer.keys, of: state.next)
            if state.answerNumbers.count > Self.mostAnswers { state.forgetAnswers() }
            return true
        }
    }

    private static let mostAttempts = 3
    private static let mostUsed = 4_096
    private static let mostAnswers = 10_000
}

extension SyncCache.State {
    fileprivate mutating func forgetAnswers() {
        answers.forgetAll()
        answerNumbers = [:]
        answerKeys = Dependencies()
    }
}

extension CacheRecord {
    /// What the record takes in memory, roughly.
    var weight: Int { 128 + fields.reduce(0) { $0 + $1.key.utf8.count + 64 + $1.value.value.weight } }
}

extension RecordValue {
    fileprivate var weight: Int {
        switch self {
        case .scalar(.string(let text)): text.utf8.count
        case .scalar(.array(_)), .scalar(.object(_)): 256
        case .scalar: 0
        case .list(let items): items.reduce(32) { $0 + 40 + $1.weight }
        case .reference(let key): key.text.utf8.count
        }
    }
}

extension SyncCache {
    /// Records by their names in order, after one of them, for people to look at; those that are gone are left out.
    package func listing(
        after name: String?,
        limit: Int
    ) throws(StoreFailure) -> (records: [(name: String, record: CacheRecord)], last: String?) {
        let found = try store.records(of: settings.region, after: name, limit: limit).records
        let names = found.keys.sorted()
        let records = names.compactMap { name -> (name: String, record: CacheRecord)? in
            guard name != RecordWrite.schema, let bytes = found[name], let record = CacheRecord(bytes: bytes),
                !record.isDeleted
            else { return nil }
            return (name, record)
        }
        return (records, names.last)
    }
}
