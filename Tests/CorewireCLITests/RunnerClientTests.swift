import Foundation
import Support
import Testing

/// What the program makes of those who answer at the socket of a runner.
@Suite("The client for runners")
struct RunnerClientTests {
    private static let levels = #"{"usual":"info","modules":[{"name":"auth","level":"debug","own":true}]}"#
    private static let shown = "auth    debug  set"
    /// As a length, and as the size of a chunk.
    private static let length = "Content-Length: \(levels.utf8.count)"
    private static let size = String(levels.utf8.count, radix: 16)
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    /// An answer, and what comes after it.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        var ending = ForeignSocket.Ending.closes

        init(_ name: String, _ text: String, then ending: ForeignSocket.Ending = .closes) {
            (testDescription, self.text, self.ending) = (name, text, ending)
        }

        /// The head of one that is fine so far, and what follows it.
        init(_ name: String, after fields: String, _ body: String = "", then ending: ForeignSocket.Ending = .holds) {
            self.init(name, "\(ok)\(fields)\r\n\r\n\(body)", then: ending)
        }
    }

    private static func chunk(_ text: String, _ extension: String = "") -> String {
        "\(String(text.utf8.count, radix: 16))\(`extension`)\r\n\(text)\r\n"
    }

    private func ask(_ answer: Answer) throws -> (run: Run, path: String) {
        let folder = try TemporaryFolder(short: true)
        let path = folder.url.appendingPathComponent("f.sock").path
        let socket = try ForeignSocket(at: path, answering: Array(answer.text.utf8), then: answer.ending)
        defer { withExtendedLifetime(socket) {} }
        return (try Program.corewire(["log-level", "--socket", path]), path)
    }

    // MARK: Answers

    @Test(
        "a response is parsed however it is split",
        arguments: [
            Answer("by its length", after: "Content-Length: \(levels.utf8.count)", levels),
            Answer("with more behind it", after: "Content-Length: \(levels.utf8.count)", "\(levels)HTTP/1.1 500 No"),
            Answer(
                "with its length twice",
                after: "Content-Length: \(levels.utf8.count)\r\ncontent-length: \(levels.utf8.count)",
                levels
            ),
            Answer(
                "in chunks",
                after: "Transfer-Encoding: chunked",
                "\(chunk(String(levels.prefix(7))))\(chunk(String(levels.dropFirst(7)), ";a=\"b\""))0\r\nX-Sum: 7\r\n\r\n"
            ),
            Answer("until the end", after: "X-More: none", levels, then: .closes),
            Answer(
                "behind answers that only inform",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n\(ok)Content-Length: \(levels.utf8.count)\r\n\r\n\(levels)",
                then: .holds
            ),
            Answer("of HTTP/1.0", "HTTP/1.0 200 OK\nContent-Type: application/json\n\n\(levels)"),
        ]
    )
    func answers(answer: Answer) throws {
        let (run, _) = try ask(answer)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(Self.shown), "\(run.output)")
    }

    @Test(
        "a malformed HTTP response is not accepted as one of a runner",
        arguments: [
            Answer("garbage", "220 mail.example.com ESMTP\r\n", then: .holds),
            Answer("garbage without a line", "\u{0}\u{1}\u{2}", then: .holds),
            Answer("another version", "HTTP/2 200 OK\r\n", then: .holds),
            Answer("a status that is no number", "HTTP/1.1 2x0 OK\r\n", then: .holds),
            Answer("a status out of range", "HTTP/1.1 999 OK\r\n", then: .holds),
            Answer("a field without a name", after: "\(length)\r\n: x", levels),
            Answer("a folded field", after: "\(length)\r\nX-A: b\r\n c", levels),
            Answer("a control character in a field", after: "\(length)\r\nX-A: b\u{7}", levels),
            Answer("an endless head", ok, then: .repeats(Array("X-A: b\r\n".utf8))),
            Answer("an endless line", "\(ok)X-A: ", then: .repeats(Array(repeating: 0x61, count: 4_096))),
            Answer("no end of informing", "", then: .repeats(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))),
            Answer(
                "another protocol",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n\(ok)\(length)\r\n\r\n\(levels)"
            ),
            Answer("a negative length", after: "Content-Length: -1", levels, then: .closes),
            Answer("a length that is no number", after: "Content-Length: 0x10", levels, then: .closes),
            Answer("a length beyond all numbers", after: "Content-Length: 99999999999999999999", levels, then: .closes),
            Answer("two lengths", after: "Content-Length: 5\r\nContent-Length: 6", levels, then: .closes),
            Answer("a list of lengths", after: "Content-Length: 5, 5", levels, then: .closes),
            Answer(
                "a length and a coding",
                after: "Content-Length: 5\r\nTransfer-Encoding: chunked",
                "\(chunk(levels))0\r\n\r\n"
            ),
            Answer("an unknown coding", after: "Transfer-Encoding: gzip, chunked", "\(chunk(levels))0\r\n\r\n"),
            Answer("a size that is no number", after: "Transfer-Encoding: chunked", "\(chunk(levels))zz\r\n\r\n"),
            Answer("a negative size", after: "Transfer-Encoding: chunked", "\(chunk(levels))-1\r\n\r\n"),
            Answer(
                "a size beyond all numbers",
                after: "Transfer-Encoding: chunked",
                "\(chunk(levels))ffffffffffffffff\r\n\r\n"
            ),
            Answer(
                "a size too small for its chunk",
                after: "Transfer-Encoding: chunked",
                "\(size)\r\n\(levels) \r\n0\r\n\r\n"
            ),
            Answer(
                "a size without the end of its line",
                after: "Transfer-Encoding: chunked",
                "\(size)\n\(levels)\r\n0\r\n\r\n"
            ),
            Answer(
                "an endless size",
                after: "Transfer-Encoding: chunked",
                "2;",
                then: .repeats(Array(repeating: 0x61, count: 512))
            ),
            Answer(
                "endless trailers",
                after: "Transfer-Encoding: chunked",
                "0\r\n",
                then: .repeats(Array("X-A: b\r\n".utf8))
            ),
        ]
    )
    func notHTTP(answer: Answer) throws {
        let (run, path) = try ask(answer)
        #expect(run.status == 76, "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("error: the server at '\(path)' is not a corewire runner\n"), "\(run.errors)")
    }

    @Test(
        "a response over the limit is rejected, whatever its head declares",
        arguments: [
            Answer("until the end", after: "X-A: b", then: .repeats(Array(repeating: 0x20, count: 65_536))),
            Answer(
                "by its length",
                after: "Content-Length: 999999999999999999",
                then: .repeats(Array(repeating: 0x20, count: 65_536))
            ),
            Answer(
                "in chunks",
                after: "Transfer-Encoding: chunked",
                then: .repeats(Array(chunk(String(repeating: " ", count: 65_536)).utf8))
            ),
            Answer(
                "in one chunk",
                after: "Transfer-Encoding: chunked",
                "fffffffffffffff\r\n",
                then: .repeats(Array(repeating: 0x20, count: 65_536))
            ),
        ]
    )
    func tooLarge(answer: Answer) throws {
        let (run, _) = try ask(answer)
        #expect(run.status == 76, "\(run.errors)")
        #expect(run.errors == "error: the response of the runner exceeds 32MiB\n")
    }

    @Test(
        "a truncated response is an error",
        arguments: [
            Answer("nothing", ""), Answer("half a line", "HTTP/1.1 2"), Answer("half a head", "\(ok)X-A: b\r\n"),
            Answer("only information", "HTTP/1.1 100 Continue\r\n\r\n"),
            Answer("half a body", after: "Content-Length: \(levels.utf8.count + 1)", levels, then: .closes),
            Answer("half a chunk", after: "Transfer-Encoding: chunked", "ff\r\n\(levels)", then: .closes),
            Answer("no last chunk", after: "Transfer-Encoding: chunked", chunk(levels), then: .closes),
            Answer(
                "no end of the last chunk",
                after: "Transfer-Encoding: chunked",
                "\(chunk(levels))0\r\n",
                then: .closes
            ),
        ]
    )
    func broken(answer: Answer) throws {
        let (run, path) = try ask(answer)
        #expect(run.status == 69, "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(
            run.errors.hasPrefix("error: the runner at '\(path)' closed the connection before the response\n"),
            "\(run.errors)"
        )
    }

    @Test("a silent runner causes a timeout")
    func silent() throws {
        let (run, path) = try ask(Answer("silence", "", then: .holds))
        #expect(run.status == 69, "\(run.errors)")
        #expect(run.errors.hasPrefix("error: the runner at '\(path)' did not respond in time\n"), "\(run.errors)")
    }

    // MARK: One program

    @Test("the program connects to a runner")
    func alone() throws {
        let folder = try TemporaryFolder(short: true)
        let program = folder.url.appendingPathComponent("corewire").path
        try FileManager.default.copyItem(atPath: Program.corewire, toPath: program)
        let path = folder.url.appendingPathComponent("f.sock").path
        let socket = try ForeignSocket(at: path, answering: ForeignSocket.answer(Self.levels))
        for words in [["log-level"], ["log-level", "auth=debug"]] {
            let run = try Program.run(program, words + ["--socket", path])
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.contains(Self.shown), "\(run.output)")
        }
        let asked = try Program.run(program, ["status", "--socket", path])
        #expect(asked.errors.contains("cannot read the response of the runner at '\(path)'"), "\(asked.errors)")
        let other = try Program.run(program, ["run"])
        #expect(other.errors.hasPrefix("error: the program corewire-runner is not installed"), "it is alone")
        withExtendedLifetime(socket) {}
    }

    @Test("a rejection is printed with its reasons, and as JSON on request")
    func refusal() throws {
        let folder = try TemporaryFolder(short: true)
        let path = folder.url.appendingPathComponent("f.sock").path
        let problem = #"{"title":"forbidden","detail":"user 7 may not","help":"ask"}"#
        let socket = try ForeignSocket(
            at: path,
            answering: ForeignSocket.answer(problem, status: "403 Forbidden", type: "application/problem+json")
        )
        let run = try Program.corewire(["log-level", "debug", "--socket", path])
        #expect(run.status == 77)
        #expect(run.output.isEmpty)
        #expect(run.errors == "error: forbidden: user 7 may not\n  = help: ask\n")
        let json = try Program.corewire(["log-level", "debug", "--socket", path, "--format", "json"])
        #expect(json.status == 77)
        #expect(json.output.isEmpty)
        #expect(json.errors.contains(#""detail": "user 7 may not""#) && json.errors.contains(#""exit": 77"#))
        withExtendedLifetime(socket) {}
    }

    @Test(
        "a rejection sets the same exit status for every command: 77 not permitted, 75 temporary, otherwise 1",
        arguments: [
            ("forbidden", "403 Forbidden", 77), ("unauthorized", "401 Unauthorized", 77),
            ("store-unavailable", "503 Service Unavailable", 75), ("too-many-requests", "429 Too Many Requests", 75),
            ("full", "507 Insufficient Storage", 1), ("no-such-entry", "404 Not Found", 1),
            ("unreachable", "502 Bad Gateway", 1), ("offline", "503 Service Unavailable", 75),
        ] as [(String, String, Int32)]
    )
    func endings(kind: String, status: String, exit: Int32) throws {
        let folder = try TemporaryFolder(short: true)
        let path = folder.url.appendingPathComponent("f.sock").path
        let problem = #"{"type":"urn:corewire:problem:\#(kind)","title":"no"}"#
        let socket = try ForeignSocket(
            at: path,
            answering: ForeignSocket.answer(problem, status: status, type: "application/problem+json")
        )
        let ofRequests = ["unreachable", "offline"].contains(kind)
        let ofState =
            [["get", "n", "k"], ["set", "n", "k", "v"], ["remove", "n", "k"], ["list", "n"], ["watch", "n"]]
        let commands = ofRequests ? [] : ofState.map { ["state"] + $0 }
        let asked = ["full", "no-such-entry"].contains(kind) ? [] : [["request", "x"]]
        for words in commands + asked {
            let run = try Program.corewire(words + ["--socket", path])
            #expect(run.status == exit, "\(words): \(run.everything)")
        }
        withExtendedLifetime(socket) {}
    }

    @Test(
        "a rejected stream ends its command like any other rejection",
        arguments: [
            ("sync-failed", "502 Bad Gateway", 75, ["sync watch q", "sync subscribe q"]),
            ("unreachable", "504 Gateway Timeout", 75, ["sync watch q", "sync subscribe q"]),
            ("sync-refused", "502 Bad Gateway", 1, ["sync watch q", "sync subscribe q"]),
            ("store-unavailable", "503 Service Unavailable", 75, streamCommands),
            ("forbidden", "403 Forbidden", 77, streamCommands), ("no-such-path", "404 Not Found", 1, streamCommands),
        ] as [(String, String, Int32, [String])]
    )
    func streams(kind: String, status: String, exit: Int32, commands: [String]) throws {
        let folder = try TemporaryFolder(short: true)
        let path = folder.url.appendingPathComponent("f.sock").path
        let type = "urn:corewire:problem:\(kind)"
        let problem = #"{"type":"\#(type)","title":"no","help":"ask"}"#
        let socket = try ForeignSocket(
            at: path,
            answering: ForeignSocket.answer(problem, status: status, type: "application/problem+json")
        )
        for command in commands {
            let words = command.split(separator: " ").map(String.init) + ["--socket", path]
            let run = try Program.corewire(words)
            #expect(run.status == exit, "\(command): \(run.everything)")
            #expect(run.output.isEmpty && run.errors == "error: no\n  = help: ask\n", "\(command): \(run.errors)")
            let json = try Program.corewire(words + ["--format", "json"])
            #expect(json.status == exit, "\(command): \(json.everything)")
            let isWhole = [type, #""help": "ask""#, #""exit": \#(exit)"#].allSatisfy(json.errors.contains)
            #expect(json.output.isEmpty && isWhole, "\(command): \(json.everything)")
        }
        withExtendedLifetime(socket) {}
    }

    private static let streamCommands = [
        "state watch n", "sync watch q", "sync subscribe q", "downloads watch d", "addons logs a --watch", "events",
        "events --watch", "outbox watch", "notifications watch",
    ]
}
