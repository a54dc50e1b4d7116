import Synchronization
import WireBase
import WireConfig
import WireService
package import WireStore

/// The generations of an app, kept in the store so that they survive the runner: what they came to, redacted, and the
/// texts they were made of, sealed.
///
/// Apps of one group share one row of numbers.
package final class GenerationHistory: Sendable {
    private let store: any KeyValueStore
    private let app: String
    private let kept: Int
    private let last = Mutex<Int?>(nil)

    private static let records = "corewire/generations"
    private static let files = "corewire/generations/files"
    private static let texts = "corewire/generations/texts"
    private static let runner = "corewire/runner"

    /// Keeps the latest so many.
    package init(in store: any KeyValueStore, of app: String, keeping kept: Int = 20) {
        (self.store, self.app, self.kept) = (store, app, kept)
    }

    /// Takes the number of the generation that is made now; numbers go on where the last run ended.
    ///
    /// The texts are kept under it before there is a generation, so that no other app and no later run takes it as well.
    /// Where the store takes nothing the number is this run's alone.
    package func takeNumber(for candidate: Candidate) async -> Int {
        while true {
            let stored = [Self.records, Self.texts].compactMap { namespace in
                (try? store.list(namespace, prefix: "", after: nil, limit: 10_000))?.last.flatMap { Int($0.key) }
            }
            let number = last.withLock { last in
                let next = max(last ?? 0, stored.max() ?? 0) + 1
                last = next
                return next
            }
            do throws(StoreFailure) {
                try await keepTexts(of: candidate, as: number, if: .absent)
            } catch {
                if error.kind == .conflict { continue }
            }
            return number
        }
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

    /// Gives back a number that no generation has come of.
    func forgetTexts(of number: Int) async throws(StoreFailure) {
        _ = try await store.remove(Self.key(number), in: Self.texts, if: .always)
    }

    func keep(_ generation: Generation, origin: ChangeOrigin, time: Int64) async throws(StoreFailure) {
        let candidate = generation.candidate
        let key = Self.key(generation.number)
        let record = JSONValue.members([
            "app": .string(app),
            "environment": candidate.facts.name.map(JSONValue.string), "url": candidate.url.map(JSONValue.string),
            "hash": .string(candidate.hash),
            "origin": .string(origin.rawValue), "time": .integer(Int(time)),
        ])
        try await put(candidate.effective, type: "application/yaml", key, Self.files)
        try await keepTexts(of: candidate, as: generation.number, if: .always)
        // The record comes last: whoever sees it finds the rest.
        try await put(record.text(), type: "application/json", key, Self.records)
        try await forgetOld()
    }

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
        let needed = try nextStart().generations
        for (number, _) in own.dropFirst(kept) where !needed.contains(number) {
            for namespace in [Self.records, Self.files, Self.texts] {
                _ = try await store.remove(Self.key(number), in: namespace, if: .always)
            }
        }
    }

    // MARK: The next start

    /// What people decided last while the runner ran.
    package func nextStart() throws(StoreFailure) -> NextStart {
        if let entry = try store.entry("next/\(app)", in: Self.runner) {
            return (try? JSONValue(parsing: entry.bytes, named: "next")).map(NextStart.init) ?? NextStart()
        }
        var next = NextStart()
        // As it was kept when it was one for all apps of a group.
        let entry = try store.entry("environment", in: Self.runner)
        next.environment = entry.flatMap { String(validating: $0.bytes, as: UTF8.self) }
        return next
    }

    package func keep(_ next: NextStart) async throws(StoreFailure) {
        let idle = try nextStart().generations.subtracting(next.generations)
        try await put(next.json.text(), type: "application/json", "next/\(app)", Self.runner)
        // What was on trial and never ran has nothing but its texts.
        for number in idle where record(of: number) == nil { try await forgetTexts(of: number) }
    }

    // MARK: Reading

    /// The records of this app, latest first; those that name no app are from when there was no telling.
    private var own: [(number: Int, record: JSONValue)] {
        let summaries = (try? store.list(Self.records, prefix: "", after: nil, limit: 10_000)) ?? []
        return summaries.reversed().compactMap { summary in
            guard let number = Int(summary.key), let record = record(of: number) else { return nil }
            return (number, record)
        }
    }

    private func record(of number: Int) -> JSONValue? {
        let key = Self.key(number)
        guard let entry = try? store.entry(key, in: Self.records),
            let record = try? JSONValue(parsing: entry.bytes, named: key), (record["app"]?.string ?? app) == app
        else { return nil }
        return record
    }

    /// Latest first.
    func records(current: Int?, awaitingConfirmation pending: Int?) -> [GenerationRecord] {
        own.map { number, record in
            GenerationRecord(
                number: number,
                environment: record["environment"]?.string,
                url: record["url"]?.string,
                hash: record["hash"]?.string ?? "",
                origin: record["origin"]?.string.flatMap(ChangeOrigin.init) ?? .start,
                time: Int64(record["time"]?.integer ?? 0),
                outcome: .applied,
                isCurrent: number == current,
                awaitsConfirmation: number == pending
            )
        }
    }

    func effectiveFile(of number: Int) -> String? {
        guard record(of: number) != nil, let entry = try? store.entry(Self.key(number), in: Self.files) else {
            return nil
        }
        return String(validating: entry.bytes, as: UTF8.self)
    }

    /// What a generation was made of, or is to be; nil for one that is not kept, or is of another app.
    package func sources(of number: Int) throws(CandidateRejection) -> SourceTexts? {
        do throws(StoreFailure) {
            let isNeeded = try nextStart().generations.contains(number)
            guard record(of: number) != nil || isNeeded,
                let entry = try store.entry(Self.key(number), in: Self.texts),
                let json = try? JSONValue(parsing: entry.bytes, named: Self.key(number)),
                (json["app"]?.string ?? app) == app
            else { return nil }
            return SourceTexts(json)
        } catch {
            throw CandidateRejection(reason: "generation \(number) cannot be read from the store: \(error.reason)")
        }
    }

    /// Keys sort as numbers do.
    private static func key(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }
}
