import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract
import WireService
package import WireStore

/// Stores the generations of an app across restarts: their effective files with secrets redacted, and their source
/// texts encrypted.
///
/// Apps of one group share one sequence of numbers.
package final class GenerationHistory: Sendable {
    private let store: any KeyValueStore
    private let app: String
    private let kept: Int
    private let numbers = Mutex(Numbers())

    private struct Numbers {
        var last = 0
        /// The numbers that the store has accepted: no other generation has them.
        var reserved: Set<Int> = []
        /// The numbers under which generations are stored whose own numbers another process has taken.
        var replaced: [Int: Int] = [:]
    }

    private let records: Repository<StoredGeneration>
    private let nextStarts: Repository<NextStart>

    private static let files = "corewire/generations/files"
    private static let texts = "corewire/generations/texts"
    private static let runner = "corewire/runner"

    /// Makes a history with a maximum number of generations.
    package init(in store: any KeyValueStore, of app: String, keeping kept: Int = 20) {
        (self.store, self.app, self.kept) = (store, app, kept)
        records = Repository(in: store, namespace: "corewire/generations", of: "record of generation")
        nextStarts = Repository(in: store, namespace: Self.runner, prefix: "next/", of: "next start of")
    }

    /// Reserves the number of the next generation; numbering continues across restarts.
    ///
    /// The source texts are stored under the number first, so that no other process reserves the same one. If the store
    /// fails, the number is valid for this process only.
    package func reserveNumber(for candidate: Candidate) async -> Int {
        while true {
            let number = await nextNumber()
            do throws(StoreFailure) {
                if try await reserve(number, for: candidate) { return number }
            } catch {
                return number
            }
        }
    }

    /// A number after all that are known.
    private func nextNumber() async -> Int {
        var stored = 0
        for namespace in [records.namespace, Self.texts] {
            let found = try? await store.list(namespace, prefix: "", after: nil, limit: 10_000)
            stored = max(stored, found?.last.flatMap { Int($0.key) } ?? 0)
        }
        return numbers.withLock { [stored] numbers in
            numbers.last = max(numbers.last, stored) + 1
            return numbers.last
        }
    }

    /// Stores the texts under a number; false where another generation has it.
    private func reserve(_ number: Int, for candidate: Candidate) async throws(StoreFailure) -> Bool {
        let kept: Void? = try await nilOnConflict { () async throws(StoreFailure) in
            try await keepTexts(of: candidate, as: number, if: .absent)
        }
        guard kept != nil else { return false }
        numbers.withLock { _ = $0.reserved.insert(number) }
        return true
    }

    private func keepTexts(of candidate: Candidate, as number: Int, if condition: StoreCondition)
        async throws(StoreFailure)
    {
        let texts = candidate.sources.reveal().json.members ?? []
        let json = JSONValue.object([("app", .string(app))] + texts)
        try await put(
            json.text(),
            type: "application/json",
            Self.key(number),
            Self.texts,
            isSealed: true,
            if: condition
        )
    }

    /// Releases a number without a generation; one that was not reserved may be that of another generation.
    func release(_ number: Int) async throws(StoreFailure) {
        guard numbers.withLock({ $0.reserved.contains(number) }) else { return }
        try await deleteTexts(of: number)
    }

    private func deleteTexts(of number: Int) async throws(StoreFailure) {
        _ = try await store.remove(Self.key(number), in: Self.texts, if: .always)
    }

    func save(_ generation: Generation, action: ChangeAction, origin: ChangeOrigin, time: Int64)
        async throws(StoreFailure)
    {
        let candidate = generation.candidate
        let record = StoredGeneration(
            app: app,
            environment: candidate.facts.name,
            url: candidate.url,
            hash: candidate.hash,
            action: action,
            origin: origin,
            time: time
        )
        // First, because a number that was not reserved may be that of another generation.
        let key = Self.key(try await keepTexts(of: candidate, as: generation.number))
        try await put(candidate.effective, type: "application/yaml", key, Self.files)
        // The record is written last, so that its readers find the other data.
        try await records.put(record, of: key, if: .always)
        try await forgetOld()
    }

    /// Stores the texts of a generation; returns the number that it has in the store: another one where its own was not
    /// reserved and is taken.
    private func keepTexts(of candidate: Candidate, as own: Int) async throws(StoreFailure) -> Int {
        var number = storedNumber(of: own)
        if numbers.withLock({ $0.reserved.contains(number) }) {
            try await keepTexts(of: candidate, as: number, if: .always)
            return number
        }
        while try await !reserve(number, for: candidate) { number = await nextNumber() }
        if number != own { numbers.withLock { [number] in $0.replaced[own] = number } }
        return number
    }

    private func storedNumber(of number: Int) -> Int { numbers.withLock { $0.replaced[number] ?? number } }

    private func put(
        _ text: String,
        type: String,
        _ key: String,
        _ namespace: String,
        isSealed: Bool = false,
        if condition: StoreCondition = .always
    ) async throws(StoreFailure) {
        let value = NewValue(Array(text.utf8), type: type, isSealed: isSealed)
        _ = try await store.put(value, under: key, in: namespace, if: condition)
    }

    private func forgetOld() async throws(StoreFailure) {
        let needed = try await nextStart().generations
        for (number, _) in try await own().dropFirst(kept) where !needed.contains(number) {
            for namespace in [records.namespace, Self.files, Self.texts] {
                _ = try await store.remove(Self.key(number), in: namespace, if: .always)
            }
        }
    }

    // MARK: The next start

    /// The decisions for the next start.
    package func nextStart() async throws(StoreFailure) -> NextStart {
        if try await nextStarts.version(of: app) != nil {
            return try await nextStarts.readable(app)?.record ?? NextStart()
        }
        var next = NextStart()
        // The earlier format, shared by all apps of a group.
        let entry = try await store.entry("environment", in: Self.runner)
        next.environment = entry.flatMap { String(validating: $0.bytes, as: UTF8.self) }
        return next
    }

    package func save(_ next: NextStart) async throws(StoreFailure) {
        var unused: [Int] = []
        for number in try await nextStart().generations.subtracting(next.generations)
        where try await records.version(of: Self.key(number)) == nil {
            // A trial that never ran has only its texts.
            unused.append(number)
        }
        try await nextStarts.put(next, of: app, if: .always)
        for number in unused { try await deleteTexts(of: number) }
    }

    // MARK: Reading

    /// The records of this app, latest first; older records name no app.
    private func own() async throws(StoreFailure) -> [(number: Int, record: StoredGeneration)] {
        var own: [(Int, StoredGeneration)] = []
        for listed in try await records.list().reversed() {
            guard let number = Int(listed.name), case .success(let stored) = listed.stored, isOwn(stored.record) else {
                continue
            }
            own.append((number, stored.record))
        }
        return own
    }

    private func record(of number: Int) async throws(StoreFailure) -> StoredGeneration? {
        let record = try await records.readable(Self.key(number))?.record
        return record.flatMap { isOwn($0) ? $0 : nil }
    }

    private func isOwn(_ record: StoredGeneration) -> Bool { record.app ?? app == app }

    /// The records, latest first.
    func records(current: Int?, awaitingConfirmation pending: Int?) async throws(StoreFailure) -> [GenerationRecord] {
        let (current, pending) = (current.map(storedNumber), pending.map(storedNumber))
        return try await own().map { number, record in
            GenerationRecord(
                number: number,
                environment: record.environment,
                url: record.url,
                hash: record.hash,
                action: record.action,
                origin: record.origin,
                time: record.time,
                outcome: .applied,
                isCurrent: number == current,
                awaitsConfirmation: number == pending
            )
        }
    }

    func effectiveFile(of generation: Int) async throws(StoreFailure) -> String? {
        let number = storedNumber(of: generation)
        guard try await record(of: number) != nil, let entry = try await store.entry(Self.key(number), in: Self.files)
        else {
            return nil
        }
        return String(validating: entry.bytes, as: UTF8.self)
    }

    /// The source texts of a generation; nil where it is not stored, or belongs to another app.
    package func sources(of generation: Int) async throws(CandidateRejection) -> SourceTexts? {
        let number = storedNumber(of: generation)
        do throws(StoreFailure) {
            let isNeeded = try await nextStart().generations.contains(number)
            let isStored = try await record(of: number) != nil
            guard isStored || isNeeded,
                let entry = try await store.entry(Self.key(number), in: Self.texts),
                let json = try? JSONValue(parsing: entry.bytes, named: Self.key(number)),
                (json["app"]?.string ?? app) == app
            else { return nil }
            return SourceTexts(json)
        } catch {
            throw CandidateRejection(reason: "generation \(number) cannot be read from the store: \(error.reason)")
        }
    }

    /// Keys that sort like numbers.
    private static func key(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }
}

/// A stored generation; the app is nil in records of an earlier format.
private struct StoredGeneration: JSONRecord {
    let app, environment, url: String?
    let hash: String
    let action: ChangeAction?
    let origin: ChangeOrigin
    let time: Int64
}

extension StoredGeneration {
    static let form = JSONForm<Self>("StoredGeneration", "A generation as it is stored.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        app = try members.optional("app", \.app, "The app.")
        environment = try members.optional("environment", \.environment, "The environment.")
        url = try members.optional("url", \.url, "The base URL that was given in place of an environment.")
        hash = try members.value("hash", \.hash, "A digest of its file.", or: "")
        action = try members.optional("action", \.action, "What started it.")
        origin = try members.value("origin", \.origin, "What requested it.", or: .start)
        time = try members.value("time", \.time, "The start in milliseconds since 1970.", or: 0)
    }
}
