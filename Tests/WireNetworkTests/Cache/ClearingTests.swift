import Support
import Testing
import WireBase
import WireHTTP
import WireNetworkContract
import WireService
import WireStore

@testable import WireNetwork

@Suite("Stored answers are cleared")
struct AnswerClearingTests {
    private static let things = "https://api.example.com/things"

    private static func fill(_ bench: CacheBench) async throws {
        bench.serve(200, ["Cache-Control": "max-age=60"], "something")
        _ = try await bench.ask()
        _ = try await bench.ask(user: "ada")
        _ = try await bench.ask(user: "ada", environment: "stage")
        _ = try await bench.ask(.get, Self.things + "/own", ["Authorization": "Bearer own"])
        _ = bench.asked()
    }

    /// Clears, after a dry run that tells the same.
    private static func clear(_ bench: CacheBench, _ scope: ClearingScope) async throws -> Int {
        let stores = Stores(bench.store)
        let told = try await bench.stage.responseCache.clear(scope, of: "dev", with: Eraser(stores, isDryRun: true))
        let count = try await bench.stage.responseCache.clear(scope, of: "dev", with: Eraser(stores))
        #expect(told == count)
        return count
    }

    @Test("those of people go, and those that anybody gets stay; other environments are left as they are")
    func user() async throws {
        let bench = try CacheBench()
        try await Self.fill(bench)
        // What ada has, and what its URL varies by; and what was got with a secret of the request's own.
        #expect(try await Self.clear(bench, .user) == 3)
        #expect(try await bench.ask().word == "hit")
        #expect(try await bench.ask(user: "ada", environment: "stage").word == "hit")
        #expect(try await bench.ask(user: "ada").word == "miss")
        #expect(try await bench.ask(.get, Self.things + "/own", ["Authorization": "Bearer own"]).word == "miss")
    }

    @Test("an environment goes as a whole, and all of them as one")
    func environment() async throws {
        let bench = try CacheBench()
        try await Self.fill(bench)
        _ = try await Self.clear(bench, .environment)
        #expect(try await bench.ask().word == "miss")
        #expect(try await bench.ask(user: "ada", environment: "stage").word == "hit")
        _ = try await Self.clear(bench, .all)
        #expect(bench.stage.responseCache.usage?.entries == 0)
    }

    @Test("an answer that was asked for before is not stored after")
    func late() async throws {
        let bench = try CacheBench()
        let (asked, answer) = (OneShot(), OneShot())
        let late = Task {
            try await bench.stage.send(try bench.pipelineRequest(bench.call(), user: "ada")) {
                _ async throws(CallFailure) in
                asked.fire()
                await answer.wait()
                return ServerAnswer(
                    status: .ok,
                    fields: ["Cache-Control": "max-age=60"],
                    body: Chunks(["something"])
                )
            }
        }
        await asked.wait()
        await bench.stage.responseCache.barrier.close()
        _ = try await Self.clear(bench, .user)
        bench.stage.responseCache.barrier.open()
        answer.fire()
        _ = try await late.value.body.collect(upTo: .mebibytes(1))
        #expect(bench.stage.responseCache.usage?.entries == 0)
        bench.serve(200, ["Cache-Control": "max-age=60"], "else")
        #expect(try await bench.ask(user: "ada").word == "miss")
        #expect(try await bench.ask(user: "ada").word == "hit")
    }
}
