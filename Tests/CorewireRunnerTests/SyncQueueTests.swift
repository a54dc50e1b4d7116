import Foundation
import Support
import Testing
import WireConfig

@Suite("Queued mutations of a runner")
struct SyncQueueTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        network: {}
        background: { retry: { attempts: 1000, min: 100ms, max: 1s } }
        sync:
          url: graphql
          authenticated: false
          operations: tasks.graphql
          schema: server.graphqls
          queueMutations: true
        backends: { graphql: { schema: schema.graphql, data: data.yaml } }
        api: {}

        """

    private static func titles(_ runner: RunningRunner, _ policy: String) async throws -> [String] {
        let run = try await runner.command("sync", "query", "AllTasks", "--policy", policy, "--format", "json")
        let json = try JSONValue(parsing: Array(run.output.utf8), named: "answer")
        let items = try #require(json["data"]?["findTasks"]?["items"]?.array, "\(run.output) \(run.errors)")
        return items.map { task in
            let id = task["id"]?.string ?? "?"
            return
                "\(id.hasPrefix("local-") ? "local" : id) \(task["title"]?.string ?? "?")"
        }
    }

    @Test("objects created and edited offline survive a kill, and are sent in order with conflicts resolved")
    func offline() async throws {
        let home = try TemporaryFolder()
        let sample = Repository.root.appendingPathComponent("configs/local/graphql")
        for name in ["tasks.graphql", "server.graphqls", "data.yaml"] {
            _ = try home.write(try Data(contentsOf: sample.appendingPathComponent(name)), to: name)
        }
        // The server tells conflicts instead of resolving them.
        let models = try String(contentsOf: sample.appendingPathComponent("schema.graphql"), encoding: .utf8)
        _ = try home.write(
            models.replacing("ttl: 604800", with: "ttl: 604800, strategy: 'ThrowOnConflict'"),
            to: "schema.graphql"
        )
        var runner = try await RunningRunner(Self.file, in: home)
        _ = try await Self.titles(runner, "networkOnly")
        let unknown = try await runner.command("sync", "queue", "remove", "nope", "--format", "json")
        #expect(unknown.status == 1 && unknown.errors.contains("no-such-mutation"), "\(unknown.everything)")
        #expect(try await runner.command("outbox", "pause").status == 0)
        for (id, title) in [("m1", "Buy tea"), ("m2", "Buy milk")] {
            let made = try await runner.command(
                "sync",
                "mutate",
                "CreateTask",
                "--var",
                #"input={"title":"\#(title)"}"#,
                "--id",
                id,
                "--no-wait"
            )
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.contains("local-"))
        }
        let edited = try await runner.command(
            "sync",
            "mutate",
            "UpdateTask",
            "--var",
            #"input={"id":"fridge","title":"Check both fridges","_version":1}"#,
            "--id",
            "m3",
            "--no-wait"
        )
        #expect(edited.status == 0, "\(edited.errors)")
        let seen = ["fridge Check both fridges", "local Buy milk", "local Buy tea"]
        #expect(try await Set(seen).isSubset(of: Self.titles(runner, "cacheOnly")))
        try await runner.kill()
        runner = try await RunningRunner(nil, in: home)
        #expect(try await Set(seen).isSubset(of: Self.titles(runner, "cacheOnly")))
        let waiting = try await runner.command("sync", "queue").output
        #expect(["m1", "m2", "m3"].allSatisfy(waiting.contains))

        // Another client changes the same task.
        let base = try JSONValue(parsing: try await runner.ask("GET", "/v1/backends").body, named: "backends")[
            "baseUrl"
        ]
        let change =
            #"mutation { updateTask(input: { id: "fridge", title: "Check a fridge", note: "Twice a day", _version: 1 }) { _version } }"#
        let body = JSONValue.members(["query": .string(change)]).text()
        let other = try Program.run(
            "/usr/bin/curl",
            ["-s", "-H", "Content-Type: application/json", "-d", body, "\(base?.string ?? "")/graphql"]
        )
        #expect(other.output.contains(#""_version":2"#), "\(other.output)")

        #expect(try await runner.command("outbox", "resume").status == 0)
        #expect(
            try await eventually {
                try await runner.command("sync", "queue").output == "no queued mutations\n"
            }
        )
        let titles = try await Self.titles(runner, "networkOnly")
        let wanted = ["Buy milk", "Buy tea", "Check both fridges", "Order bandages", "Replace the light"]
        #expect(titles.map { String($0.drop { $0 != " " }.dropFirst()) } == wanted)
        #expect(!titles.contains { $0.hasPrefix("local") })
        let shown = try await runner.command("sync", "queue", "show", "m3").output
        let words = ": merge\n  changed on both sides: title\n  overwritten: title, at the server \""
        #expect(shown.contains(words), "\(shown)")
        let asked = try Program.run(
            "/usr/bin/curl",
            [
                "-s", "-H", "Content-Type: application/json", "-d",
                #"{"query":"{ getTask(id: \"fridge\") { title note } }"}"#, "\(base?.string ?? "")/graphql",
            ]
        )
        #expect(asked.output.contains(#"{"title":"Check both fridges","note":"Twice a day"}"#), "\(asked.output)")
        #expect(try await runner.stop() == 0)
    }
}

extension RunningRunner {
    fileprivate func command(_ words: String...) async throws -> Run { try corewire(words) }
}
