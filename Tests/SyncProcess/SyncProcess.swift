import Foundation
import WireBase
import WireConfig
import WireCrypto
import WireGraphQL
import WireSQLite
import WireStore
import WireSync

/// Reads and keeps an answer of a GraphQL server again and again: what the benchmark of `sync` starts.
///
/// usage: SyncProcess measure-reading|measure-normalizing|measure-new-records|measure-known-records FOLDER ROUNDS
///
/// The folder has `answer.json` and `query.graphql`; the median of the rounds is said in microseconds.
@main
enum SyncProcess {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, let rounds = Int(arguments[2]) else { throw Usage() }
        let folder = arguments[1]
        let answer = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/answer.json")))
        let question = try question(of: "\(folder)/query.graphql")
        switch arguments[0] {
        case "measure-reading": try measure(rounds) { _ = try read(answer) }
        case "measure-normalizing":
            let data = try read(answer)
            let plan = SelectionPlan(question.operation, with: [:], variables: [:], rules: RecordRules())
            try measure(rounds) { _ = try Normalizer.records(of: data, by: plan, at: Moment(position: 0, time: 1)) }
        case "measure-new-records", "measure-known-records":
            let store = try SQLiteStore.open(folder: folder, sealer: KeySealer(try KeyFile.key(in: folder)))
            let cache = cache(store)
            let isNew = arguments[0] == "measure-new-records"
            _ = try await cache.write(try read(answer), to: question)
            try await measure(rounds, before: { if isNew { _ = try await cache.clear() } }) {
                _ = try await cache.write(try read(answer), to: question)
            }
            await store.close()
        default: throw Usage()
        }
    }

    struct Usage: Error {}

    static func read(_ answer: [UInt8]) throws -> JSONValue {
        var limits = ReadingLimits()
        (limits.depth, limits.nodes) = (128, 1_000_000)
        guard let data = try JSONValue(parsing: answer, named: "answer", limits: limits, exactNumbers: true)["data"]
        else { throw Usage() }
        return data
    }

    static func question(of path: String) throws -> CacheQuestion {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let document = try Parser.document(SourceFile(name: path, bytes: bytes))
        guard let operation = document.operations.first else { throw Usage() }
        return CacheQuestion(document: path, operation: operation, fragments: [:])
    }

    static func cache(_ store: SQLiteStore) -> SyncCache {
        SyncCache(
            store,
            CacheSettings(region: "bench", digest: { _ in "" }, now: { Int64(Date().timeIntervalSince1970 * 1_000) }),
            RecordRules()
        )
    }

    static func measure(_ rounds: Int, _ work: () throws -> Void) throws {
        say(try (0..<rounds).map { _ in try ContinuousClock().measure(work) })
    }

    static func measure(
        _ rounds: Int,
        before: () async throws -> Void,
        _ work: () async throws -> Void
    ) async throws {
        var times: [Duration] = []
        for _ in 0..<rounds {
            try await before()
            times.append(try await ContinuousClock().measure(work))
        }
        say(times)
    }

    static func say(_ times: [Duration]) {
        print(Int(times.sorted()[times.count / 2] / .microseconds(1)))
    }
}
