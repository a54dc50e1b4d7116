import Synchronization
import WireBase
import WireConfig
import WireService
package import WireStore

/// The generations there were, kept in the store so that they survive the runner: what they came to, redacted, and the
/// texts they were made of, sealed.
package final class GenerationHistory: Sendable {
    private let store: any KeyValueStore
    private let kept: Int
    private let last = Mutex<Int?>(nil)

    private static let records = "corewire/generations"
    private static let files = "corewire/generations/files"
    private static let texts = "corewire/generations/texts"
    private static let runner = "corewire/runner"

    /// Keeps the latest so many.
    package init(in store: any KeyValueStore, keeping kept: Int = 20) {
        self.store = store
        self.kept = kept
    }

    /// The number of the generation that is made now; numbers go on where the last run ended.
    func nextNumber() -> Int {
        let stored = (try? store.list(Self.records, prefix: "", after: nil, limit: 10_000))?.last
        return last.withLock { last in
            let next = max(last ?? 0, stored.flatMap { Int($0.key) } ?? 0) + 1
            last = next
            return next
        }
    }

    /// Keeps a generation; and its environment as the one the next start takes, where somebody has switched to it.
    func keep(_ generation: Generation, origin: ChangeOrigin, time: Int64, isSwitch: Bool) async throws(StoreFailure) {
        let candidate = generation.candidate
        let key = Self.key(generation.number)
        let record = JSONValue.members([
            "environment": candidate.facts.name.map(JSONValue.string), "url": candidate.url.map(JSONValue.string),
            "hash": .string(candidate.hash),
            "origin": .string(origin.rawValue), "time": .integer(Int(time)),
        ])
        try await put(candidate.effective, type: "application/yaml", key, Self.files)
        try await put(candidate.sources.reveal().json.text(), type: "application/json", key, Self.texts, isSealed: true)
        // The record comes last: whoever sees it finds the rest.
        try await put(record.text(), type: "application/json", key, Self.records)
        if isSwitch, let name = candidate.sources.reveal().environment {
            try await put(name, type: "text/plain", "environment", Self.runner)
        }
        try await forgetOld()
    }

    private func put(_ text: String, type: String, _ key: String, _ namespace: String, isSealed: Bool = false)
        async throws(StoreFailure)
    {
        let value = NewValue(Array(text.utf8), type: type, isSealed: isSealed)
        _ = try await store.put(value, under: key, in: namespace, if: .always)
    }

    private func forgetOld() async throws(StoreFailure) {
        let all = try store.list(Self.records, prefix: "", after: nil, limit: 10_000)
        for summary in all.dropLast(kept) {
            for namespace in [Self.records, Self.files, Self.texts] {
                _ = try await store.remove(summary.key, in: namespace, if: .always)
            }
        }
    }

    /// The environment somebody chose last while the runner ran.
    package var rememberedEnvironment: String? {
        guard let entry = try? store.entry("environment", in: Self.runner) else { return nil }
        return String(validating: entry.bytes, as: UTF8.self)
    }

    /// Latest first.
    func records(current: Int?, awaitingConfirmation pending: Int?) -> [GenerationRecord] {
        let summaries = (try? store.list(Self.records, prefix: "", after: nil, limit: 10_000)) ?? []
        return summaries.reversed().compactMap { summary in
            guard let number = Int(summary.key), let entry = try? store.entry(summary.key, in: Self.records),
                let record = try? JSONValue(parsing: entry.bytes, named: summary.key)
            else { return nil }
            return GenerationRecord(
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
        guard let entry = try? store.entry(Self.key(number), in: Self.files) else { return nil }
        return String(validating: entry.bytes, as: UTF8.self)
    }

    func sources(of number: Int) throws(CandidateRejection) -> SourceTexts? {
        do throws(StoreFailure) {
            guard let entry = try store.entry(Self.key(number), in: Self.texts) else { return nil }
            return (try? JSONValue(parsing: entry.bytes, named: Self.key(number))).flatMap(SourceTexts.init)
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
