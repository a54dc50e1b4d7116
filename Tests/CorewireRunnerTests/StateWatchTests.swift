import Foundation
import Support
import Testing

@Suite("The change stream of a namespace")
struct StateWatchTests {
    @Test("each change of the namespace is sent once, in order, with its version as id")
    func changes() async throws {
        let runner = try await RunningRunner(StateTests.file)
        _ = try await runner.ask("PUT", "/v1/state/notes/before", text: "x")
        let watch = try await runner.watch("/v1/state/notes")
        _ = try await runner.ask("PUT", "/v1/state/notes/k", text: "1")
        let version = try await runner.version(of: "notes/k")
        _ = try await runner.ask("PUT", "/v1/state/other/k", text: "1")
        _ = try await runner.ask("DELETE", "/v1/state/notes/k")
        _ = try await runner.ask("DELETE", "/v1/state/notes")
        let first = try #require(try await watch.next())
        #expect(first.event == "put")
        #expect(first.data == #"{"key":"k","version":\#(version)}"#)
        #expect(first.id == "\(version)")
        let second = try #require(try await watch.next())
        #expect(second.event == "removed")
        #expect(second.data.contains(#""key":"k""#))
        #expect(try await watch.next()?.data.contains(#""key":"before""#) == true)
    }

    @Test("a resumed watch continues after its id, without a gap")
    func resumed() async throws {
        let runner = try await RunningRunner(StateTests.file)
        let first = try await runner.watch("/v1/state/notes?watch=true")
        for number in 0..<3 { _ = try await runner.ask("PUT", "/v1/state/notes/k\(number)", text: "x") }
        let seen = try #require(try await first.next()?.id)
        try await first.close()
        let second = try await runner.watch("/v1/state/notes", after: seen)
        #expect(try await second.next()?.data.contains(#""key":"k1""#) == true)
        #expect(try await second.next()?.data.contains(#""key":"k2""#) == true)
    }

    @Test("a watch with an unknown id gets a gap")
    func gap() async throws {
        let runner = try await RunningRunner(StateTests.file)
        let watch = try await runner.watch("/v1/state/notes", after: "999999")
        #expect(try await watch.next()?.event == "gap")
        _ = try await runner.ask("PUT", "/v1/state/notes/k", text: "x")
        #expect(try await watch.next()?.event == "put")
        for id in ["x", "-1", "1, 2", "99999999999999999999"] {
            let answer = try await runner.ask("GET", "/v1/state/notes?watch", ["Last-Event-ID: \(id)"])
            #expect(answer.status == 400, "\(id)")
        }
    }

    @Test("a watch ends when the runner leaves its environment, and when it stops")
    func ends() async throws {
        let runner = try await RunningRunner(StateTests.file)
        let first = try await runner.watch("/v1/state/notes")
        let json = ["Content-Type: application/json"]
        #expect(try await runner.ask("PUT", "/v1/environment", json, text: #"{"environment":"stage"}"#).status == 200)
        #expect(try await first.next() == nil)
        let second = try await runner.watch("/v1/state/notes")
        runner.program.signal(SIGTERM)
        // How the connection ends is the listener's affair.
        #expect((try? await second.next()) ?? nil == nil)
        #expect(try await runner.program.end() == 0)
    }
}

/// A line that a command prints while it runs.
private func line(_ text: String, in file: URL) -> Bool {
    (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").contains { $0.hasPrefix(text) } ?? false
}

@Suite("corewire state")
struct StateCommandTests {
    @Test("a value is stored and printed unchanged")
    func roundTrip() async throws {
        let runner = try await RunningRunner(StateTests.file)
        let bytes = Data((0...255).map(UInt8.init))
        let set = try runner.corewire(["state", "set", "notes", "a b/\u{e9}", "--type", "image/png"], input: bytes)
        #expect(set.status == 0, "\(set.everything)")
        #expect(try await runner.ask("GET", "/v1/state/notes/a%20b/%C3%A9").body == Array(bytes))
        let got = try runner.corewire(["state", "get", "notes", "a b/\u{e9}", "--format", "json"])
        #expect(got.output.contains(bytes.base64EncodedString()))
        #expect(try runner.corewire(["state", "set", "notes", "k", "hello"]).output.hasPrefix("stored, version "))
        #expect(try runner.corewire(["state", "get", "notes", "k"]).output == "hello")
        #expect(try runner.corewire(["state", "list", "notes"]).output.contains("a b/\u{e9}"))
        #expect(try runner.corewire(["state", "list"]).output.contains("notes"))
        #expect(try runner.corewire(["state", "remove", "notes", "k"]).status == 0)
        #expect(try runner.corewire(["state", "remove", "notes", "k"]).status == 1)
    }

    @Test("a watch prints each change as a line, and continues after a restart of the runner")
    func watch() async throws {
        let home = try TemporaryFolder()
        let first = try await RunningRunner(StateTests.file, in: home)
        let lines = home.url.appendingPathComponent("lines")
        let watch = try StartedProgram(
            Program.corewire,
            ["state", "watch", "notes", "--socket", first.socket],
            environment: ["HOME": home.url.path],
            output: lines.path,
            errors: "/dev/null"
        )
        func change(_ runner: RunningRunner, _ key: String) async throws -> Bool {
            // Asked again until somebody watches: a test that fails ends as well.
            try await eventually {
                _ = try await runner.ask("PUT", "/v1/state/notes/\(key)", text: "x")
                await breath()
                return line("put  \(key)  ", in: lines)
            }
        }
        #expect(try await change(first, "a"))
        try await first.kill()
        let second = try await RunningRunner(nil, in: home)
        #expect(try await second.ask("PUT", "/v1/state/notes/b", text: "x").status == 201)
        #expect(try await change(second, "c"))
        // What happened before it was back is not missing.
        #expect(line("put  b  ", in: lines))
        watch.signal(SIGINT)
        #expect(try await watch.end() == -SIGINT)
    }

    @Test("a missing value or a rejection exits with 1, a missing runner with 69")
    func statuses() async throws {
        let runner = try await RunningRunner(StateTests.file)
        #expect(try runner.corewire(["state", "get", "notes", "k"]).status == 1)
        #expect(try runner.corewire(["state", "set", "a b", "k", "v"]).status == 1)
        #expect(try runner.corewire(["state", "set", "notes", "k", "v", "--if-absent"]).status == 0)
        let again = try runner.corewire(["state", "set", "notes", "k", "w", "--if-absent"])
        #expect(again.status == 1)
        #expect(again.errors == "error: the condition does not hold: the entry 'k' exists already\n")
        #expect(try runner.corewire(["state", "set", "notes", "k", "w", "--if-match", "x"]).status == 64)
        #expect(try runner.corewire(["state", "set", "notes", "k", "w", "--ttl", "10"]).status == 64)
        let version = try await runner.version(of: "notes/k")
        #expect(try runner.corewire(["state", "set", "notes", "k", "w", "--if-match", "\(version)"]).status == 0)
        try await runner.stop()
        #expect(try runner.corewire(["state", "get", "notes", "k"]).status == 69)
    }
}
