import Foundation
import Support
import Testing

/// AG-4: query, mutate, watch, refetch; BY-7: the cache; BY-3: with nothing outside.
@Suite("Cached queries", .timeLimit(.minutes(3)))
struct SyncQueryTests {
    @Test("a query is answered by the server once, then by the cache")
    func cacheFirst() async throws {
        let runner = try await SyncRunner.start()
        let missing = try await runner.query("AllTasks", #""policy":"cacheOnly""#)
        #expect(missing.status == 504)
        #expect(missing.kind == "not-stored")
        let first = try await runner.query("AllTasks")
        #expect(first.status == 200, "\(first.text)")
        #expect(first.text.contains(#""source":"server""#))
        try await runner.breakServer()
        let second = try await runner.query("AllTasks")
        #expect(second.status == 200, "\(second.text)")
        #expect(second.text.contains(#""source":"cache""#))
        #expect(second.text.contains("Order bandages"))
        // Another operation that selects the same objects needs no server either.
        let document = #"{"query":"{ findTasks(orderBy: { field: \"title\" }) { items { title } } }"}"#
        let other = try await runner.ask("POST", "/v1/sync/query", SyncRunner.json, text: document)
        #expect(other.text.contains(#""data":{"findTasks":{"items":[{"title":"Check the fridge"}"#), "\(other.text)")
    }

    @Test(
        "the policy determines the result when the server fails",
        arguments: [
            ("cacheFirst", 200, "\"source\":\"cache\""), ("cacheOnly", 200, "\"source\":\"cache\""),
            ("cacheAndNetwork", 200, "\"source\":\"cache\""), ("networkFirst", 200, "\"stale\":true"),
            ("networkOnly", 502, "sync-failed"), ("noCache", 502, "sync-failed"),
        ]
    )
    func policies(policy: String, status: Int, words: String) async throws {
        let runner = try await SyncRunner.start("", more: "network: { retries: 0 }\napi: {}\n")
        _ = try await runner.query("AllTasks")
        try await runner.breakServer()
        let answer = try await runner.query("AllTasks", #""policy":"\#(policy)""#)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.text.contains(words), "\(answer.text)")
    }

    @Test("a query with noCache stores nothing")
    func noCache() async throws {
        let runner = try await SyncRunner.start()
        #expect(try await runner.query("AllTasks", #""policy":"noCache""#).status == 200)
        #expect(try await runner.query("AllTasks", #""policy":"cacheOnly""#).status == 504)
    }

    @Test("the cache survives the runner, and is removed by 'corewire clear'")
    func restart() async throws {
        let home = try TemporaryFolder()
        let first = try await SyncRunner.start(in: home)
        _ = try await first.query("AllTasks")
        try await first.kill()
        let second = try await SyncRunner.start(in: home)
        #expect(try await second.query("AllTasks", #""policy":"cacheOnly""#).status == 200)
        let cleared = try second.corewire(["clear", "environment", "--service", "sync"])
        #expect(cleared.status == 0, "\(cleared.everything)")
        #expect(try await second.query("AllTasks", #""policy":"cacheOnly""#).status == 504)
    }

    @Test("a watch delivers the complete result once after a mutation changes one of its objects")
    func watch() async throws {
        let runner = try await SyncRunner.start()
        let watch = try await runner.watch("/v1/sync/watch?operation=AllTasks")
        #expect(try await watch.next()?.data.contains("Check the fridge") == true)
        let updated = try await runner.mutate(
            "UpdateTask",
            #"{"input":{"id":"fridge","title":"Defrost","_version":1}}"#
        )
        #expect(updated.text.contains("Defrost"), "\(updated.text)")
        let second = try #require(try await watch.next())
        #expect(second.event == "answer")
        #expect(second.data.contains("Defrost") && second.data.contains("Order bandages"))
        // The next event is of the next change, not the same one again.
        _ = try await runner.mutate("UpdateTask", #"{"input":{"id":"fridge","title":"Clean","_version":2}}"#)
        #expect(try await watch.next()?.data.contains("Clean") == true)
    }

    @Test("a refetch reports whether the result has changed")
    func refetch() async throws {
        let runner = try await SyncRunner.start()
        _ = try await runner.query("AllTasks")
        let refetch = {
            try await runner.ask("POST", "/v1/sync/refetch", SyncRunner.json, text: #"{"operation":"AllTasks"}"#).text
        }
        #expect(try await refetch().contains(#""changed":false"#))
        // Behind the back of the cache.
        let document = #"{"query":"mutation { createTask(input: { title: \"New\" }) { __typename } }"}"#
        _ = try await runner.ask("POST", "/v1/sync/mutate", SyncRunner.json, text: document)
        #expect(try await refetch().contains(#""changed":true"#))
    }

    @Test(
        "an invalid request is rejected with help",
        arguments: [
            (#"{"operation":"AllTask"}"#, 404, "did you mean 'AllTasks'?"),
            (#"{"operation":"CreateTask"}"#, 400, "expected a query, found a mutation"),
            (#"{"operation":"Task"}"#, 400, "missing variable '$id': expected 'ID!'"),
            (#"{"operation":"Task","variables":[1]}"#, 400, "'variables': expected an object"),
            (#"{"query":"{ findTasks { items { titel } } }"}"#, 400, "1:23: the type 'Task' has no field 'titel'"),
            (#"{"query":"{ findTasks"}"#, 400, "1:12"),
            (#"{"query":"{ __typename }","operation":"AllTasks"}"#, 400, "expected either 'operation' or 'query'"),
            (#"{}"#, 400, "expected either 'operation' or 'query'"),
        ]
    )
    func wrong(body: String, status: Int, words: String) async throws {
        let runner = try await SyncRunner.start()
        let answer = try await runner.ask("POST", "/v1/sync/query", SyncRunner.json, text: body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.text.contains(words), "\(answer.text)")
    }
}
