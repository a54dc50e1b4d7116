import Foundation
import Support
import Testing

/// Downloads on the command line and over the socket, of the built programs.
@Suite("Downloads on the command line")
struct DownloadTests {
    private static func runner() async throws -> RunningRunner {
        try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            background: { downloads: { directory: files, hosts: [127.0.0.1] } }
            api: {}

            """
        )
    }

    /// A server of one file, which ends when nobody holds it any more.
    private static func serve(_ home: TemporaryFolder, _ bytes: Data) async throws -> (StartedProgram, String) {
        try home.write(bytes, to: "served/map.zip")
        let script = """
            import functools, http.server, os, sys
            handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            open(sys.argv[2] + ".new", "w").write(str(server.server_address[1]))
            os.rename(sys.argv[2] + ".new", sys.argv[2])
            server.serve_forever()
            """
        let port = home.url.appendingPathComponent("port")
        let program = try StartedProgram(
            "/usr/bin/python3",
            ["-c", script, home.url.appendingPathComponent("served").path, port.path],
            environment: ["LC_ALL": "C.UTF-8"],
            output: home.url.appendingPathComponent("server.out").path,
            errors: home.url.appendingPathComponent("server.log").path
        )
        let isReady = await eventually { FileManager.default.fileExists(atPath: port.path) }
        try #require(isReady, "\((try? home.text(of: "server.log")) ?? "")")
        return (program, "http://127.0.0.1:\(try String(contentsOf: port, encoding: .utf8))")
    }

    private static func corewire(_ runner: RunningRunner, _ arguments: String...) throws -> Run {
        try Program.corewire(arguments, environment: ["COREWIRE_SOCKET": runner.socket])
    }

    @Test("a file is requested, waited for, shown, listed and removed")
    func whole() async throws {
        let runner = try await Self.runner()
        let bytes = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let (server, base) = try await Self.serve(runner.home, bytes)
        let added = try Self.corewire(
            runner,
            "downloads",
            "add",
            "\(base)/map.zip?token=geheim",
            "--id",
            "map",
            "--wait"
        )
        #expect(added.status == 0, "\(added.everything)")
        let path = String(added.output.dropLast())
        #expect(path.hasSuffix("/data/com.example.tasks/files/map.zip"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        #expect(added.errors.contains("map  done  100%  1.9MiB of 1.9MiB"))

        let again = try Self.corewire(runner, "downloads", "add", "\(base)/map.zip?token=geheim", "--id", "map")
        #expect(again.output.hasPrefix("map  done  100%"))
        let list = try Self.corewire(runner, "downloads", "list")
        #expect(list.output.contains("map") && list.output.contains("done"))
        #expect(!list.everything.contains("geheim"), "what stands in the query of an address is nobody's to see")
        let show = try Self.corewire(runner, "downloads", "show", "map", "--format", "json")
        #expect(show.output.contains(#""state": "done""#) && !show.output.contains("geheim"))
        #expect(try Self.corewire(runner, "downloads", "watch", "map").status == 0)
        #expect(try Self.corewire(runner, "downloads", "pause", "map").output.hasPrefix("map  done"))

        let removed = try Self.corewire(runner, "downloads", "cancel", "map", "--with-file")
        #expect(removed.output == "removed\n")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try Self.corewire(runner, "downloads", "list").output == "no downloads\n")
        let unknown = try Self.corewire(runner, "downloads", "show", "map")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("unknown download 'map'"))
        server.signal(SIGTERM)
        try await runner.stop()
    }

    @Test("a download that cannot start is rejected with its place in the file; a failed one shows the server's status")
    func refused() async throws {
        let runner = try await Self.runner()
        let (server, base) = try await Self.serve(runner.home, Data([1]))
        let forbidden = try Self.corewire(runner, "downloads", "add", "https://other.example/x")
        #expect(forbidden.status == 77)
        #expect(forbidden.errors.contains("the host 'other.example' is not allowed"))
        #expect(forbidden.errors.contains(".yaml:3:"))
        let failed = try Self.corewire(runner, "downloads", "add", "\(base)/none", "--wait")
        #expect(failed.status == 1)
        #expect(failed.errors.contains("the server responded with status 404 Not Found"))
        let name = try Self.corewire(runner, "downloads", "add", "\(base)/map.zip", "--name", "../x")
        #expect(name.errors.contains("found the name '../x'"))
        server.signal(SIGTERM)
        try await runner.stop()
    }

    @Test("a paused download stays paused across a restart, and resumes on request")
    func paused() async throws {
        let home = try TemporaryFolder()
        let file = """
            version: 1
            app: { id: com.example.tasks }
            background: { downloads: { directory: files } }
            api: {}

            """
        var runner = try await RunningRunner(file, in: home)
        let (server, base) = try await Self.serve(home, Data(repeating: 3, count: 100_000))
        // Nobody listens there: it waits for its next attempt.
        _ = try Self.corewire(runner, "downloads", "add", "http://127.0.0.1:1/nowhere", "--id", "bad")
        let paused = try Self.corewire(runner, "downloads", "pause", "bad")
        #expect(paused.output.hasPrefix("bad  paused"), "\(paused.everything)")
        try await runner.stop()
        runner = try await RunningRunner(nil, in: home)
        #expect(try Self.corewire(runner, "downloads", "show", "bad").output.hasPrefix("bad  paused"))
        let resumed = try Self.corewire(runner, "downloads", "resume", "bad", "--format", "json")
        #expect(resumed.output.contains(#""state": "waiting""#) || resumed.output.contains(#""state": "running""#))
        let good = try Self.corewire(runner, "downloads", "add", "\(base)/map.zip", "--wait")
        #expect(good.status == 0, "\(good.everything)")
        server.signal(SIGTERM)
        try await runner.stop()
    }
}
