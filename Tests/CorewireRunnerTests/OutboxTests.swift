import Foundation
import Support
import Testing

@Suite("The outbox of a runner")
struct OutboxTests {
    /// A server that answers as the path says, and notes what it was sent.
    private final class Server: Sendable {
        let program: StartedProgram
        let port: String
        private let notes: String

        init(in folder: TemporaryFolder) async throws {
            let (ready, notes) = (
                folder.url.appendingPathComponent("port").path, folder.url.appendingPathComponent("notes").path
            )
            self.notes = notes
            let script = """
                import http.server, os, sys
                class Handler(http.server.BaseHTTPRequestHandler):
                    protocol_version = "HTTP/1.1"
                    def do_POST(self):
                        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                        with open(sys.argv[2], "ab") as notes:
                            notes.write(self.headers["Request-ID"].encode() + b" " + self.path.encode() + b" " + body + b"\\n")
                        self.send_response(int(self.path.split("/")[1]))
                        self.send_header("Content-Length", "4")
                        self.end_headers()
                        self.wfile.write(b"well")
                    def log_message(self, *words): pass
                server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
                with open(sys.argv[1] + ".new", "w") as file: file.write(str(server.server_address[1]))
                os.rename(sys.argv[1] + ".new", sys.argv[1])
                server.serve_forever()
                """
            program = try StartedProgram(
                "/usr/bin/python3",
                ["-c", script, ready, notes],
                environment: [:],
                output: "/dev/null",
                errors: folder.url.appendingPathComponent("server.log").path
            )
            let isReady = await eventually { FileManager.default.fileExists(atPath: ready) }
            try #require(isReady)
            port = try String(contentsOfFile: ready, encoding: .utf8)
        }

        var seen: [String] {
            (try? String(contentsOfFile: notes, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
        }
    }

    private static func file(port: String, retry: String = "{ min: 100ms, max: 1s }") -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { baseUrl: "http://127.0.0.1:\(port)" }, other: { baseUrl: "http://127.0.0.1:1" } }
        network: {}
        background: { retry: \(retry) }
        api: {}

        """
    }

    @Test("a request posted from the command line is delivered, and all commands show its state")
    func commands() async throws {
        let folder = try TemporaryFolder()
        let server = try await Server(in: folder)
        let runner = try await RunningRunner(Self.file(port: server.port))
        #expect(
            try await runner.command("outbox", "post", "/201/x", "hello", "--id", "r1", "--type", "text/plain").output
                == "queued: r1\n"
        )
        #expect(
            try await runner.command("outbox", "post", "/201/x", "--id", "r1").output == "r1 was already accepted\n"
        )
        #expect(
            try await eventually {
                try await runner.command("outbox", "show", "r1").output.contains("state    sent")
            }
        )
        #expect(server.seen == ["r1 /201/x hello"])
        let shown = try await runner.command("outbox", "show", "r1")
        #expect(shown.status == 0 && shown.output.contains("well"))
        #expect(try await runner.command("outbox", "post", "/422/x", "--id", "r2").status == 0)
        #expect(try await eventually { try await runner.command("outbox", "show", "r2").status == 1 })
        let failed = try await runner.command("outbox", "show", "r2", "--format", "json")
        #expect(failed.status == 1 && failed.output.contains(#""state": "failed""#))
        #expect(try await runner.command("outbox", "pause", "--lane", "l").output == "paused lanes: l\n")
        #expect(
            try await runner.command("outbox", "post", "/201/y?key=secret", "--id", "r3", "--lane", "l").status == 0
        )
        let list = try await runner.command("outbox", "list").output
        #expect(list.contains("r3  POST /201/y") && list.contains("paused") && !list.contains("secret"))
        #expect(try await runner.command("outbox", "pause", "--lane", "m").output == "paused lanes: l, m\n")
        #expect(try await runner.command("outbox", "move", "r3", "m").output == "moved\n")
        #expect(try await runner.command("outbox", "show", "r3").output.contains("lane     m"))
        let unknown = try await runner.command("outbox", "move", "r9", "m", "--format", "json")
        #expect(unknown.status == 1 && unknown.errors.contains("no-such-request"))
        let misread = try await runner.command("outbox", "move", "r3", "")
        #expect(misread.status == 64 && misread.errors.contains("<lane>: found 0 bytes"), "\(misread.errors)")
        let dropped = try await runner.command("outbox", "remove", "r3", "--format", "json").output
        #expect(dropped.contains(#""dropped": true"#))
        #expect(try await runner.command("outbox", "resume", "--lane", "m").output == "resumed; paused lanes: l\n")
        #expect(try await runner.command("outbox", "remove", "r3").status == 1)
        #expect(try await runner.command("outbox", "resume", "--lane", "l").output == "resumed; nothing is paused\n")
        #expect(try await runner.command("outbox", "list").output == "no queued requests\n")
        #expect(try await runner.command("outbox", "list", "--limit", "0").status == 64)
        #expect(try await runner.command("outbox", "post", "/x", "--id", "a/b").status == 1)
        let broken = try await runner.command("outbox", "post", "/x", "{bad json")
        #expect(broken.status == 64 && broken.errors.contains("--type text/plain"), "\(broken.errors)")
        #expect(try await runner.command("outbox", "post", "/x", " ").errors.contains("empty"))
        #expect(server.seen.map { $0.prefix(2) } == ["r1", "r2"])
        #expect(try await runner.stop() == 0)
    }

    @Test("a request queued in one environment is sent only while that environment runs")
    func environments() async throws {
        let folder = try TemporaryFolder()
        let server = try await Server(in: folder)
        let runner = try await RunningRunner(Self.file(port: server.port))
        #expect(try await runner.command("outbox", "pause").status == 0)
        #expect(try await runner.command("outbox", "post", "/201/x", "--id", "r1").status == 0)
        #expect(try await runner.command("env", "use", "other").status == 0)
        #expect(try await runner.command("outbox", "list").output == "no queued requests\n")
        #expect(try await runner.command("env", "use", "dev").status == 0)
        #expect(try await runner.command("outbox", "resume").status == 0)
        #expect(await eventually { server.seen == ["r1 /201/x "] })
        #expect(try await runner.stop() == 0)
    }

    @Test("all delayed requests are retried on request")
    func retryAll() async throws {
        let folder = try TemporaryFolder()
        let server = try await Server(in: folder)
        let runner = try await RunningRunner(Self.file(port: server.port, retry: "{ min: 1h, max: 1h }"))
        for lane in ["a", "b"] {
            for number in 1...2 {
                let arguments = ["/503/x", "--id", "\(lane)\(number)", "--lane", lane]
                #expect(try runner.corewire(["outbox", "post"] + arguments).status == 0)
            }
        }
        func isTried(_ times: Int) -> Bool {
            ["a1", "b1"].allSatisfy { id in server.seen.count { $0.hasPrefix("\(id) ") } == times }
        }
        #expect(await eventually { isTried(1) })
        // The runner has stored both responses: no attempt is under way.
        #expect(
            try await eventually {
                let list = try await runner.command("outbox", "list", "--format", "json").output
                return list.matches(of: /"attempts": 1/).count == 2
                    && list.matches(of: /"state": "waiting"/).count == 4
            }
        )
        #expect(try await runner.command("outbox", "retry-all").output == "retrying 2, the first of each lane\n")
        #expect(await eventually { isTried(2) })
        #expect(server.seen.allSatisfy { $0.hasPrefix("a1 ") || $0.hasPrefix("b1 ") })
        #expect(try await runner.command("outbox", "retry-all", "--format", "json").output.contains("\"count\""))
        #expect(try await runner.stop() == 0)
    }

    @Test("the stored request is unreadable at rest")
    func atRest() async throws {
        let runner = try await RunningRunner(Self.file(port: "1"))
        #expect(try await runner.command("outbox", "pause").status == 0)
        #expect(
            try await runner.command(
                "outbox",
                "post",
                "/canary-path",
                #"["canary-body"]"#,
                "--header",
                "X-A: canary-field"
            )
            .status == 0
        )
        #expect(try await runner.stop() == 0)
        let grep = try Program.run("grep", ["-rla", "canary", runner.home.url.appendingPathComponent("state").path])
        #expect(grep.output == "" && grep.status == 1)
        #expect(!runner.log.contains("canary-body") && !runner.log.contains("canary-field"))
        // It is on the disk all the same.
        let next = try await RunningRunner(nil, in: runner.home)
        #expect(try await next.command("outbox", "list").output.contains("POST /canary-path"))
        #expect(try await next.stop() == 0)
    }
}

extension RunningRunner {
    fileprivate func command(_ words: String...) async throws -> Run { try corewire(words) }
}
