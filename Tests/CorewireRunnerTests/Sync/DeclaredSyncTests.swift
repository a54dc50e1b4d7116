import Foundation
import Support
import Testing

/// AG-4, BY-7: what the file has kept up to date by itself.
@Suite("Subscriptions and delta queries of the file", .timeLimit(.minutes(3)))
struct DeclaredSyncTests {
    /// The cached list of all tasks, of what the delta query tells of each.
    private static func list(_ runner: RunningRunner) async throws -> String {
        let document = #"{ findTasks(orderBy: { field: \"title\" }) { items { id title } } }"#
        let text = #"{"query":"\#(document)","policy":"cacheOnly"}"#
        return try await runner.ask("POST", "/v1/sync/query", SyncRunner.json, text: text).text
    }

    /// A change that the cache hears of by no other way.
    private static func change(_ document: String, at runner: RunningRunner) async throws {
        let text = #"{"query":"\#(document)"}"#
        let answer = try await runner.ask("POST", "/v1/sync/mutate", SyncRunner.json, text: text)
        try #require(answer.status == 200, "\(answer.text)")
    }

    @Test("a subscription refetches its queries, posts notifications, and is listed")
    func subscription() async throws {
        let runner = try await SyncRunner.start(
            "subscriptions: { TaskAdded: { refetch: [AllTasks], notification: newTask } }",
            more:
                "api: {}\nnotifications: { permission: granted, handlers: { show: { on: presentable, present: [list] } } }\n"
        )
        _ = try await runner.query("AllTasks")
        let isActive = try await eventually {
            try await runner.ask("GET", "/v1/sync/subscriptions").text.contains(#""state":"active""#)
        }
        #expect(isActive)
        try await Self.change(#"mutation { createTask(input: { title: \"Bed 3\" }) { __typename } }"#, at: runner)
        #expect(try await eventually { try await Self.list(runner).contains("Bed 3") })
        #expect(
            try await eventually { try await runner.ask("GET", "/v1/notifications").text.contains("Bed 3") }
        )
        let listed = try runner.corewire(["sync", "subscriptions"])
        #expect(listed.output.contains("file: TaskAdded"), "\(listed.everything)")
        let metrics = try await runner.ask("GET", "/metrics").text
        #expect(metrics.contains(#"corewire_sync_subscriptions{of="file"} 1"#))
    }

    @Test("a type is updated by its delta query, with new and deleted objects")
    func delta() async throws {
        let runner = try await SyncRunner.start("delta: { Task: { query: SyncTasks, every: 1s, adds: [AllTasks] } }")
        _ = try await runner.query("AllTasks")
        let hasRun = try await eventually {
            try await runner.ask("GET", "/v1/sync/subscriptions").text.contains(#""lastRun":"#)
        }
        #expect(hasRun)
        try await Self.change(#"mutation { createTask(input: { title: \"Bed 4\" }) { __typename } }"#, at: runner)
        #expect(try await eventually { try await Self.list(runner).contains("Bed 4") })
        try await Self.change(
            #"mutation { deleteTask(input: { id: \"fridge\", _version: 1 }) { __typename } }"#,
            at: runner
        )
        #expect(try await eventually { try await !Self.list(runner).contains("Check the fridge") })
        #expect(try await Self.list(runner).contains("Order bandages"))
    }
}
