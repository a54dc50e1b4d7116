import Foundation
import Support
import Testing

/// `corewire request`, over a runner, to a server of Python's.
@Suite("Requests from the command line")
struct RequestTests {
    private static func file(_ server: AnswerServer, _ network: String = "retries: 0") -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { baseUrl: "http://127.0.0.1:\(server.port)" } }
        network: { offlinePolicy: loadAndStoreLocalData, \(network) }
        api: { socket: auto }

        """
    }

    @Test("a body is printed unchanged, byte by byte, and nothing else")
    func bytes() async throws {
        let server = try AnswerServer()
        let runner = try await RunningRunner(Self.file(server))
        let file = runner.home.url.appendingPathComponent("out").path
        let run = try Program.run(
            "sh",
            ["-c", "\"$0\" request bytes --socket \"$1\" > \"$2\"", Program.corewire, runner.socket, file]
        )
        #expect(run.status == 0 && run.everything.isEmpty, "\(run.everything)")
        let all = Data((0..<4_096).flatMap { _ in (0...255).map(UInt8.init) })
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == all)
        #expect(try await runner.stop() == 0)
    }

    @Test("the server gets the request as typed")
    func asked() async throws {
        let server = try AnswerServer()
        let runner = try await RunningRunner(Self.file(server))
        try runner.home.write("{\"a\":1}", to: "body.json")
        func echo(_ arguments: String..., input: Data? = nil) throws -> [String: Any] {
            let run = try runner.corewire(["request"] + arguments, input: input)
            #expect(run.status == 0, "\(run.everything)")
            return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        }
        func field(_ told: [String: Any], _ name: String) -> String? {
            (told["fields"] as? [String: String])?[name]
        }
        let outside = try runner.corewire(["request", "../x", "--format", "json"])
        #expect(outside.status == 64 && outside.errors.contains("urn:corewire:problem:usage"), "\(outside.everything)")
        let plain = try echo("/a b/é?q={1}%20")
        #expect(plain["method"] as? String == "GET")
        #expect(plain["path"] as? String == "/a%20b/%C3%A9?q=%7B1%7D%20")
        let posted = try echo("echo", "--data", "{}")
        #expect(posted["method"] as? String == "POST" && posted["body"] as? String == "{}")
        #expect(field(posted, "content-type") == "application/json")
        let put = try echo(
            "PUT",
            "echo",
            "-d",
            "@" + runner.home.url.appendingPathComponent("body.json").path,
            "-H",
            "X-Mood: good",
            "--header=X-Mood: better",
            "--type",
            "text/plain",
            "--idempotency-key",
            "k1"
        )
        #expect(put["method"] as? String == "PUT" && put["body"] as? String == "{\"a\":1}")
        #expect(field(put, "content-type") == "text/plain" && field(put, "idempotency-key") == "k1")
        #expect(field(put, "x-mood") == "good, better")
        let piped = try echo("-XPATCH", "echo", "-d-", input: Data("piped".utf8))
        #expect(piped["method"] as? String == "PATCH" && piped["body"] as? String == "piped")
        let quiet = try echo("echo", "--token", "none", "--retries", "2", "--timeout", "5s")
        #expect((quiet["fields"] as? [String: String])?.keys.contains { $0.hasPrefix("corewire") } == false)
        #expect(try await runner.stop() == 0)
    }

    @Test("a failure of the embedded servers points at the line with their address")
    func origin() async throws {
        let runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded } }
            network: {}
            backends:
              listen: 127.0.0.1:0
            api: { socket: auto }

            """
        )
        let fault = try runner.corewire(["backends", "fault", "reset", "--on", "/echo"])
        #expect(fault.status == 0, "\(fault.everything)")
        let run = try runner.corewire(["request", "echo", "--token", "none"])
        #expect(run.status != 0)
        #expect(run.errors.contains(":7:11") && run.errors.contains("backends.listen"), "\(run.errors)")
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "a status other than 2xx and 3xx sets exit status 1, prints the body, and reports the status on standard error"
    )
    func statuses() async throws {
        let server = try AnswerServer()
        let runner = try await RunningRunner(Self.file(server))
        for (code, status) in [(200, 0), (204, 0), (304, 0), (404, 1), (503, 1)] as [(Int, Int32)] {
            let run = try runner.corewire(["request", "status/\(code)"])
            #expect(run.status == status, "\(code): \(run.everything)")
            #expect(run.errors.hasPrefix("\(code) ") == (status == 1))
            #expect(run.output == ([204, 304].contains(code) ? "" : "a body\n"), "\(code)")
        }
        let head = try runner.corewire(["request", "HEAD", "status/404", "--include"])
        #expect(head.status == 1 && head.output.hasPrefix("404 Not Found\n") && head.output.hasSuffix("\n\n"))
        #expect(head.output.contains("Content-Type: text/plain\n"))
        #expect(try await runner.stop() == 0)
    }

    @Test("for a cached response standard error shows its age, with and without the server")
    func stored() async throws {
        let server = try AnswerServer()
        let runner = try await RunningRunner(Self.file(server))
        func ask(_ path: String, _ more: String...) throws -> Run { try runner.corewire(["request", path] + more) }
        #expect(try ask("fresh").everything == "fresh\n")
        let hit = try ask("fresh")
        #expect(hit.output == "fresh\n" && hit.errors.hasPrefix("stored, ") && hit.errors.hasSuffix(" s old\n"))
        _ = try ask("stale")
        let begin = ContinuousClock.now
        let confirmed = try ask("stale").errors
        // No older than the question; the server's clock tells whole seconds, of which another may have begun.
        let most = (ContinuousClock.now - begin).components.seconds + 1
        #expect((0...most).contains { confirmed == "stored, \($0) s old\n" }, "\(confirmed)")
        _ = try ask("forbidden")
        #expect(try ask("fresh", "--offline-policy", "none").everything == "fresh\n")
        server.end()
        let stale = try ask("stale")
        #expect(stale.status == 0 && stale.output == "kept\n")
        #expect(stale.errors.hasPrefix("stale, ") && stale.errors.contains(" s old ("), "\(stale.errors)")
        let json = try ask("stale", "--format", "json")
        #expect(json.output.contains("\"cache\": \"stale\"") && json.output.contains("\"text\": \"kept\\n\""))
        let forbidden = try ask("forbidden")
        #expect(forbidden.status == 1 && forbidden.output.isEmpty && forbidden.errors.contains("must-revalidate"))
        let unknown = try ask("never", "--offline-policy", "returnLocalDataDontLoad")
        #expect(unknown.status == 1 && unknown.errors.hasPrefix("error: only stored responses are allowed"))
        let none = try ask("fresh", "--offline-policy", "none")
        #expect(none.status == 1 && none.errors.hasPrefix("error: "))
        let answer = try await runner.ask("GET", "/v1/network/fresh")
        #expect(answer.status == 200 && answer["Corewire-Cache"]?.hasPrefix("hit; age=") == true)
        #expect(try await runner.stop() == 0)
    }

    @Test("with stored responses only, the error names the place in the file")
    func onlyStored() async throws {
        let server = try AnswerServer()
        let runner = try await RunningRunner(
            Self.file(server).replacingOccurrences(of: "loadAndStoreLocalData", with: "returnLocalDataDontLoad")
        )
        let run = try runner.corewire(["request", "POST", "fresh"])
        #expect(run.status == 1)
        #expect(
            run.errors.contains("POST requires the server") && run.errors.contains("yaml:5:27 (network.offlinePolicy)")
        )
        #expect(try await runner.stop() == 0)
    }

    @Test("a body is printed while it arrives")
    func streams() async throws {
        let server = try AnswerServer()
        let runner = try await RunningRunner(Self.file(server))
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: Program.corewire)
        process.arguments = ["request", "drip", "--socket", runner.socket]
        process.standardOutput = output
        try process.run()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "first\n")
        // The other line is sent when this was asked for.
        #expect(try runner.corewire(["request", "go"]).status == 0)
        #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "second\n")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try await runner.stop() == 0)
    }

    struct Typed: Sendable, CustomTestStringConvertible {
        let words: [String]
        let message: String
        var testDescription: String { words.joined(separator: " ") }
    }

    static let mistakes = [
        Typed(words: [], message: "missing <path>"),
        Typed(words: ["FETCH", "x"], message: "unknown method 'FETCH', expected"),
        Typed(words: ["GET", "x", "-X", "PUT"], message: "expected one method, found 'GET' and 'PUT'"),
        Typed(words: ["https://elsewhere.example.com/x"], message: "expected a path below the base URL"),
        Typed(words: ["x#y"], message: "the path has a fragment"),
        Typed(words: ["x", "-H", "no colon"], message: "--header takes a field such as 'Accept: text/csv'"),
        Typed(words: ["x", "-H", "Authorization: Bearer y"], message: "--header cannot set 'Authorization'"),
        Typed(words: ["x", "-H", "A: b\nC: d"], message: "the value of 'A' contains a control character"),
        Typed(words: ["x", "-H", "Content-Type: a/b", "--type", "c/d"], message: "--type and --header both set"),
        Typed(words: ["x", "--token", "usr"], message: "--token takes 'app', 'appPlus', 'user' or 'none', not 'usr'"),
        Typed(words: ["x", "--offline-policy", "never"], message: "--offline-policy takes 'none', "),
        Typed(words: ["x", "--retries", "11"], message: "--retries: found 11, expected 0 to 10"),
        Typed(words: ["x", "--timeout", "soon"], message: "--timeout: found 'soon', expected a duration such as 10m"),
        Typed(words: ["x", "-z"], message: "unknown option '-z'"),
    ]

    @Test("an invalid command line is rejected before a request is sent", arguments: mistakes)
    func usage(typed: Typed) throws {
        let run = try Program.corewire(["request"] + typed.words + ["--socket", "/nowhere/api.sock"])
        #expect(run.status == 64 && run.errors.hasPrefix("error: \(typed.message)"), "\(run.errors)")
    }

    @Test("an unreadable body and a missing runner have their own exit statuses")
    func missing() throws {
        #expect(try Program.corewire(["request", "x", "-d", "@/nowhere/body"]).status == 66)
        #expect(try Program.corewire(["request", "x", "--socket", "/nowhere/api.sock"]).status == 69)
    }
}

/// A server of Python's that answers by the path; it ends with the last reference to it.
final class AnswerServer {
    let port: Int
    private let process = Process()
    private let input = Pipe()

    init() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("answers.py")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [script.path]
        let output = Pipe()
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            line += String(decoding: data, as: UTF8.self)
        }
        port = try #require(Int(line.dropFirst("ready ".count).dropLast()))
    }

    /// From then on nobody listens at its port.
    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit { kill(process.processIdentifier, SIGKILL) }
}
