import Foundation
import Support
import Testing
import WireConfig

/// What README shows of `sync` in "Pull the plug".
@Suite("A GraphQL server that goes offline", .timeLimit(.minutes(5)))
struct PulledPlugTests {
    /// The commands of README from the first query on, each on one line.
    private static func commands() throws -> [String] {
        let readme = try Repository.text(of: "README.md")
        let begin = try #require(readme.range(of: "    $ corewire sync query AllTasks"))
        let block = readme[begin.lowerBound...].prefix(
            upTo: readme[begin.lowerBound...].range(of: "\n\n")?.lowerBound ?? readme.endIndex
        )
        return block.components(separatedBy: "    $ ").dropFirst().map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    @Test(
        "the README example works: offline results at once, also after a kill, and ordered delivery with a resolved conflict"
    )
    func readme() async throws {
        let home = try LocalSample.home()
        var runner = try await RunningRunner(nil, app: LocalSample.app, in: home)
        try await runner.signIn(as: "ada", "wonder")
        let backends = try JSONValue(parsing: try await runner.ask("GET", "/v1/backends").body, named: "backends")
        let base = try #require(backends["baseUrl"]?.string)
        func shell(_ command: String) throws -> Run {
            try Program.run(
                "/bin/sh",
                ["-c", command.replacing("http://127.0.0.1:7430", with: base)],
                in: home.url,
                environment: [
                    "PATH": "\(Program.buildFolder.path):/usr/bin:/bin", "COREWIRE_SOCKET": runner.socket,
                ]
            )
        }
        var outputs: [String] = []
        for command in try Self.commands() {
            if command.hasPrefix("pkill ") {
                try await runner.kill()
            } else if command.hasPrefix("corewire run ") {
                runner = try await RunningRunner(nil, app: LocalSample.app, in: home)
            } else {
                let isQueue = command.contains("queue show ID")
                let run = try shell(isQueue ? command.replacing("ID", with: Self.id(in: outputs.last ?? "")) : command)
                #expect(run.status == 0, "\(command): \(run.errors)")
                outputs.append(run.output)
            }
            if command.hasPrefix("corewire backends clear") {
                let isDone = try await eventually { try shell("corewire sync queue").output == "no queued mutations\n" }
                #expect(isDone, "\(runner.log.suffix(2_000))")
            }
            if command.hasPrefix("corewire sync mutate UpdateTask"), Browser.isInstalled {
                let link = try shell("corewire console").output.trimmingCharacters(in: .whitespacesAndNewlines)
                let console = try Browser.run("Sync/sync_console_test.py", [link, "waiting"])
                #expect(console.status == 0, "\(console.everything)")
            }
        }
        try #require(outputs.count == 12, "README has other commands now: \(outputs.count)")
        for offline in [outputs[5], outputs[7]] {
            for text in ["Buy tea", "Buy milk", "Replace both lights", "local-", "from the cache"] {
                #expect(offline.contains(text), "\(offline)")
            }
        }
        #expect(outputs[6].contains(#""_version":2"#), "\(outputs[6])")
        #expect(!outputs[9].contains("local-") && !outputs[9].contains("from the cache"), "\(outputs[9])")
        #expect(outputs[9].contains("Replace both lights  true"), "\(outputs[9])")
        #expect(outputs[10].components(separatedBy: "confirmed").count == 4, "\(outputs[10])")
        #expect(outputs[11].contains("overwritten: title, at the server \"Replace the lamp\""), "\(outputs[11])")
        // The ids of the server grow with time: what was made first has arrived first.
        let rows = outputs[9].split(separator: "\n")
        let ids = ["Buy tea", "Buy milk"].map { title in rows.first { $0.contains(title) }?.prefix { $0 != " " } ?? "" }
        #expect(ids[0] < ids[1], "\(ids)")
        #expect(try await runner.stop() == 0)
    }

    /// The id of the mutation that has changed a task.
    private static func id(in table: String) -> String {
        let row = table.split(separator: "\n").first { $0.contains("UpdateTask") } ?? ""
        return row.split(separator: " ").dropFirst().first.map(String.init) ?? "none"
    }

    @Test("a conflict with the strategy 'ask' is resolved in the console", .enabled(if: Browser.isInstalled))
    func decided() async throws {
        let runner = try await SyncRunner.start(
            "queueMutations: true\nconflicts: { strategy: ask }",
            more: "background: { retry: { attempts: 1000, min: 100ms, max: 1s } }\napi: { listen: 127.0.0.1:0 }\n"
        )
        _ = try await runner.query("AllTasks")
        let base = try JSONValue(parsing: try await runner.ask("GET", "/v1/backends").body, named: "backends")[
            "baseUrl"
        ]
        #expect(try await runner.ask("POST", "/v1/outbox/pause", SyncRunner.json, text: "{}").status < 300)
        let mine = #"{"input":{"id":"fridge","title":"Mine","note":"Twice a day","_version":1}}"#
        let body = #"{"operation":"UpdateTask","wait":"0s","variables":\#(mine)}"#
        #expect(try await runner.ask("POST", "/v1/sync/mutate", SyncRunner.json, text: body).status == 202)
        let change =
            #"{"query":"mutation { updateTask(input: { id: \"fridge\", title: \"Theirs\", note: \"Once\", _version: 1 }) { id } }"}"#
        let other = try Program.run(
            "/usr/bin/curl",
            ["-s", "-H", "Content-Type: application/json", "-d", change, "\(base?.string ?? "")/graphql"]
        )
        #expect(other.output.contains("fridge"), "\(other.output)")
        #expect(try await runner.ask("POST", "/v1/outbox/resume", SyncRunner.json, text: "{}").status < 300)
        let address = try await LoopbackAddress(runner)
        let console = try Browser.run("Sync/sync_console_test.py", [try await address.link(), "decide"])
        #expect(console.status == 0, "\(console.everything)")
    }
}
