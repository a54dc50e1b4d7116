import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireService

@Suite("The mutation queue under random failures")
struct RandomQueueTests {
    private static func tasks(_ bench: QueueBench) async throws -> [JSONValue] {
        let asked: JSONValue = .members(["operation": .string("AllTasks"), "policy": .string("cacheOnly")])
        let json = try await bench.ask(.post, "/v1/sync/query", asked).json
        return try #require(json["data"]?["findTasks"]?["items"]?.array, "\(json.text())")
    }

    @Test(
        "each mutation is executed once and in order, and the cache equals the server in the end",
        arguments: UInt64(1)...2
    )
    func random(seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        var bench = try await QueueBench()
        try await bench.fetch()
        // What there is by what was asked for, whatever the network did.
        var model: [String] = []
        for step in 0..<50 {
            let id = "\(seed)-\(step)"
            let more: KeyValuePairs<String, JSONValue?> = ["id": .string(id), "wait": .string("0s")]
            let pick = Int.random(in: 0..<100, using: &random)
            let title = "t\(step)"
            switch pick {
            case 0..<35:
                model.append(title)
                _ = try await bench.mutate("CreateTask", input(["title": .string(title)]), more)
            case 35..<75 where !model.isEmpty:
                let place = model.indices.randomElement(using: &random) ?? 0
                let shown = try await Self.tasks(bench).first { $0["title"]?.string == model[place] }
                let task = try #require(shown, "\(model[place])")
                if pick < 60 {
                    model[place] = title
                    let change = input(["id": task["id"], "title": .string(title), "_version": task["_version"]])
                    _ = try await bench.mutate("UpdateTask", change, more)
                } else {
                    model.remove(at: place)
                    _ = try await bench.mutate(
                        "DeleteTask",
                        input(["id": task["id"], "_version": task["_version"]]),
                        more
                    )
                }
            case 75..<80: bench.goOffline()
            case 80..<88: bench.goOnline()
            case 88..<92: bench.server.hold(OneShot())
            case 92..<100:
                bench = try await bench.restarted()
                bench.server.hold(nil)
            default: break
            }
            for _ in 0..<Int.random(in: 0..<30, using: &random) { await breath() }
            let shown = try await Self.tasks(bench).compactMap { $0["title"]?.string }.sorted()
            #expect(shown == model.sorted(), "after step \(step), a draw of \(pick)")
        }
        bench.server.hold(nil)
        bench.goOffline()
        bench = try await bench.restarted()
        bench.goOnline()
        var left = -1
        for _ in 0..<400 where left != 0 {
            for _ in 0..<50 { await breath() }
            left = try await bench.ask(.get, "/v1/sync/queue").json["mutations"]?.array?.count ?? -1
            try await bench.pass(.seconds(1))
        }
        #expect(left == 0)
        #expect(bench.server.titles.map { String($0.drop { $0 != " " }.dropFirst()) }.sorted() == model.sorted())
        let isEqual = try await eventually {
            let cached = try await Self.tasks(bench).map { "\($0["id"]?.string ?? "?") \($0["title"]?.string ?? "?")" }
            return Set(cached) == Set(bench.server.titles)
        }
        #expect(isEqual)
        await bench.kill()
    }
}
