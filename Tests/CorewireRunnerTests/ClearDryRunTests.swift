import Foundation
import Support
import Testing
import WireConfig

@Suite("A dry run of clearing", .timeLimit(.minutes(3)))
struct ClearDryRunTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        allow: { secret-in-clear: "this user exists in a test alone" }
        environments: { dev: { backend: embedded } }
        environment: dev
        auth: { flow: password, username: ada, password: wonder }
        network: {}
        background: { tasks: { touch: { exec: [/usr/bin/touch, touched] } } }
        content: { modules: { news: { name: News } } }
        device: { register: onRequest }
        notifications: { permission: granted, handlers: { show: { on: presentable, present: [list] } } }
        persistence: { namespaces: { maps: { of: device } } }
        push: { registrars: { health: { type: healthCloud, path: notifications, apiKey: known } } }
        sync:
          url: graphql
          authenticated: false
          operations: tasks.graphql
          schema: server.graphqls
          queueMutations: true
        backends:
          content: { directory: content }
          graphql: { schema: schema.graphql, data: data.yaml }
          issuer: { users: { ada: { password: wonder } } }
        api: {}

        """

    private static func started() async throws -> RunningRunner {
        let home = try TemporaryFolder()
        for name in ["schema.graphql", "server.graphqls", "tasks.graphql", "data.yaml"] {
            try home.write(try Repository.text(of: "configs/local/graphql/\(name)"), to: name)
        }
        try home.write(
            "module: News\nfields: { title: text }\ninstances: { first: { name: First, values: { title: x } } }\n",
            to: "content/news.yaml"
        )
        return try await RunningRunner(file, in: home)
    }

    /// Has each service keep something, and waits until none of them writes any more.
    private static func fill(_ runner: RunningRunner) async throws {
        func well(_ words: String...) throws {
            let run = try runner.corewire(words)
            #expect(run.status == 0, "\(words): \(run.everything)")
        }
        #expect(try await eventually { try runner.corewire(["push", "status"]).output.contains("registered") })
        for (namespace, key) in [("drafts", "a"), ("drafts", "b"), ("maps", "c")] {
            try well("state", "set", namespace, key, "text")
        }
        try well("tasks", "run", "touch", "--wait")
        try well("notifications", "send", "Hello", "--id", "n1", "--wait")
        try well("device", "tag", "nurse", "yes")
        try well("content", "sync")
        try well("sync", "query", "AllTasks")
        // One request that has ended, and requests and a mutation that wait.
        try well("outbox", "post", "/nowhere", "--id", "ended")
        #expect(try await eventually { try runner.corewire(["outbox", "show", "ended"]).output.contains("failed") })
        try well("outbox", "pause")
        try well("outbox", "post", "/nowhere", "--id", "waits")
        try well("sync", "mutate", "CreateTask", "--var", #"input={"title":"Buy tea"}"#, "--no-wait")
    }

    /// Everything in the store of the runner that clearing may remove, without versions and times.
    private static func stored(_ runner: RunningRunner) throws -> String {
        let question = """
            import sqlite3, sys
            tables = {
                "state.db": ["SELECT namespace, key FROM entries", "SELECT queue, id, lane FROM work",
                    "SELECT queue, id FROM done", "SELECT * FROM pauses"],
                "cache.db": ["SELECT region, key FROM answers", "SELECT name, key FROM records JOIN record_regions r ON r.id = region"],
            }
            for name, queries in tables.items():
                store = sqlite3.connect(f"file:{sys.argv[1]}/{name}?mode=ro", uri=True)
                for query in queries: print(query, sorted(store.execute(query)))
            """
        let folder = runner.home.url.appendingPathComponent("state/corewire/com.example.tasks").path
        let run = try Program.run("/usr/bin/python3", ["-c", question, folder])
        try #require(run.status == 0, "\(run.everything)")
        return run.output
    }

    private static func counts(_ runner: RunningRunner, _ words: String...) throws -> [String: Int] {
        let run = try runner.corewire(["clear"] + words + ["--format", "json"])
        #expect(run.status == 0, "\(run.everything)")
        let json = try JSONValue(parsing: Array(run.output.utf8), named: "answer")
        var counts: [String: Int] = [:]
        for service in json["services"]?.array ?? [] {
            for item in service["removed"]?.array ?? [] {
                counts["\(service["service"]?.string ?? ""): \(item["what"]?.string ?? "")"] = item["count"]?.integer
            }
        }
        return counts
    }

    /// What only a clearing can tell, since it asks servers.
    private static let unknown: Set = [
        "auth: sessions that the server still has", "push: registrations ended at their servers",
        "push: registrations that servers still have",
    ]

    @Test("it changes nothing, and tells what a clearing removes then", arguments: ["user", "environment", "all"])
    func equal(scope: String) async throws {
        let runner = try await Self.started()
        try await Self.fill(runner)
        let events = try runner.corewire(["events"]).output
        let before = try Self.stored(runner)
        let told = try Self.counts(runner, scope, "--dry-run")
        #expect(try Self.stored(runner) == before)
        #expect(try runner.corewire(["auth", "status"]).output.contains("signed in"))
        #expect(try runner.corewire(["push", "status"]).output.contains("registered"))
        #expect(try runner.corewire(["events"]).output == events)

        var cleared = try Self.counts(runner, scope)
        #expect(Self.unknown.isSubset(of: cleared.keys) && Self.unknown.isDisjoint(with: told.keys))
        for what in Self.unknown { cleared[what] = nil }
        #expect(told == cleared, "\(Set(told.map { "\($0)" }).symmetricDifference(cleared.map { "\($0)" }).sorted())")
        let filled = [
            "auth: sessions with their tokens", "background: results of tasks", "background: queued requests",
            "background: results of requests", "notifications: notifications in the list",
            "sync: mutations and their results",
            "persistence: stored values", "content: copies of modules",
        ]
        for what in filled { #expect(told[what] ?? 0 > 0, "\(what)") }
        #expect(try await runner.stop() == 0)
    }

    @Test("it names the services that it counts, and only those")
    func named() async throws {
        let runner = try await RunningRunner("version: 1\napp: { id: com.example.tasks }\npersistence: {}\n")
        #expect(try runner.corewire(["state", "set", "drafts", "a", "b"]).status == 0)
        let expected = """
            would remove:
            persistence:
              stored values: 1
              namespaces of apps: 1

            """
        for _ in 0..<2 {
            let run = try runner.corewire(["clear", "user", "--service", "persistence", "--dry-run"])
            #expect(run.output == expected && run.status == 0, "\(run.everything)")
        }
        #expect(try runner.corewire(["clear", "user", "--service", "nope", "--dry-run"]).status == 1)
        #expect(!runner.log.contains("cleared"))
        #expect(try runner.corewire(["clear", "user"]).status == 0)
        #expect(try runner.corewire(["clear", "user", "--dry-run"]).output == "nothing to remove\n")
        #expect(try await runner.stop() == 0)
    }
}
