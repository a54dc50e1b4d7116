import Foundation
import Glibc
import Support
import Testing

@Suite("corewire status")
struct StatusTests {
    @Test("status prints the state of the runner and its services, and exits with 0 if all are ready")
    func ready() throws {
        let runner = try Services.running()
        let run = try runner.corewire("status")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
        #expect(run.output.hasPrefix("com.example.tasks is ready\n"))
        for word in [
            "dev (embedded); declared: dev, prod", "generation   1, since 20", "api ", "ready", "mobile-services.yaml",
        ] {
            #expect(run.output.contains(word), "\(word) is missing in:\n\(run.output)")
        }
        let json = try runner.corewire("status", "--format", "json").json()
        #expect(json["ready"] as? Bool == true)
        #expect(json["environment"] as? String == "dev")
        let told = try runner.corewire("version", "--format", "json").json()["runner"] as? [String: Any]
        let version = try #require(json["version"] as? String)
        let commit = try #require(json["commit"] as? String)
        #expect(told?["version"] as? String == version && told?["commit"] as? String == commit)
        #expect(run.output.contains("  version      \(version), commit \(commit)\n"))
        let api = (json["services"] as? [[String: Any]])?.first { $0["name"] as? String == "api" }
        // The question itself does not count.
        #expect(api != nil && api?["inFlight"] as? Int ?? 0 == 0, "\(run.output)")
    }

    @Test("status shows the rejected change with its diagnostics and place")
    func refused() throws {
        let runner = try Services.running()
        try runner.home.write(Services.file(key: "retires"))
        #expect(try runner.corewire("reload").status == 1)
        let run = try runner.corewire("status")
        #expect(run.status == 0, "what runs is still ready")
        #expect(run.output.contains("the last change was rejected: mobile-services.yaml is not valid"))
        #expect(run.output.contains("error[CW0203]: unknown key 'retires' in network\n  --> mobile-services.yaml:7:12"))
        let coloured = try runner.corewire("status", environment: ["FORCE_COLOR": "1"])
        #expect(coloured.output.contains("\u{1b}[1;31merror[CW0203]\u{1b}[0m"))
    }

    @Test("status finds the runner with a broken file, and without a file")
    func withoutFile() throws {
        let runner = try Services.running()
        try runner.home.write("app: { id: com.example.tasks\n")
        #expect(try runner.corewire("status").status == 0)
        #expect(try runner.corewire("reload").status == 1, "what is wrong with the file is told")
        try runner.home.write("app: { id: com.example.other\n")
        let other = try runner.corewire("rollback", "1")
        #expect(other.status == 69, "the runner of another product is left alone")
        #expect(other.errors.contains("cannot be parsed"), "\(other.errors)")
        try FileManager.default.removeItem(at: runner.home.work.appendingPathComponent("mobile-services.yaml"))
        #expect(try runner.corewire("status").status == 0)
    }

    @Test("status finds the socket of the file, and of --socket")
    func named() throws {
        let home = try RunnerHome()
        try home.write(Services.file(api: "{ socket: ./own.sock }"))
        let runner = try FoundRunner(in: home)
        #expect(try runner.corewire("status").status == 0)
        let other = try RunnerHome()
        let path = home.work.appendingPathComponent("own.sock").path
        #expect(try other.corewire("status", "--socket", path).status == 0)
        #expect(try other.corewire("status", environment: ["COREWIRE_SOCKET": path]).status == 0)
        #expect(try other.corewire("status", "--socket", "own.sock").status == 69)
    }

    @Test("status finds the listening socket among those of the environments")
    func listening() throws {
        let home = try RunnerHome()
        try home.write(
            """
            version: 1
            app: { id: com.example.tasks }
            environment: two
            environments:
              one: { backend: embedded, api: { socket: ./one.sock } }
              two: { backend: embedded, api: { socket: ./two.sock } }
            """
        )
        let runner = try FoundRunner(in: home)
        try Data().write(to: home.work.appendingPathComponent("one.sock"))
        #expect(try runner.corewire("status", "--format", "json").json()["environment"] as? String == "two")
    }

    @Test("status prints where it searched and what to do if no runner is running")
    func notRunning() throws {
        let home = try RunnerHome()
        try home.write(Services.file())
        for command in [
            ["status"], ["reload"], ["events"], ["events", "--watch"], ["history"], ["diff", "1"], ["console"],
            ["confirm"], ["plan"], ["rollback", "1"], ["env", "use", "prod"],
        ] {
            let run = try Program.corewire(command, in: home.work, environment: home.environment)
            #expect(run.status == 69, "\(command)")
            #expect(run.output.isEmpty)
            #expect(
                run.errors.hasPrefix("error: no runner of 'com.example.tasks' runs: '"),
                "\(run.errors)"
            )
            #expect(run.errors.contains("= help: start a runner with 'corewire run'"))
        }
    }

    @Test("status distinguishes a stale socket from a missing one")
    func abandoned() throws {
        let runner = try Services.running()
        runner.kill()
        let run = try runner.corewire("status")
        #expect(run.status == 69)
        #expect(run.errors.contains("no process listens at"), "\(run.errors)")
    }

    @Test("a file without 'api' uses the default socket")
    func withoutSection() throws {
        let runner = try Services.running(Services.file().replacing("api: { socket: auto }\n", with: ""))
        let run = try runner.corewire("status")
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.output.contains("api"), "\(run.output)")
    }

    @Test(
        "status reports that the file disables the socket, and where",
        arguments: ["{ socket: off, listen: 127.0.0.1:0 }", "false"]
    )
    func off(api: String) throws {
        let home = try RunnerHome()
        try home.write(Services.file(api: api))
        let run = try home.corewire("status")
        #expect(run.status == 69)
        #expect(run.errors.contains("is off\n  = help: see mobile-services.yaml:8:"), "\(run.errors)")
    }

    @Test(
        "a socket of another user is not used",
        arguments: [
            ("garbage", Array("220 mail.example.com ESMTP\r\n".utf8), 76),
            ("a page", ForeignSocket.answer("<html>", type: "text/html"), 76),
            ("other JSON", ForeignSocket.answer("{\"hello\": 1}"), 76),
            ("a list", ForeignSocket.answer("[]"), 76),
            ("broken JSON", ForeignSocket.answer("{\"ready\": tr"), 76),
            ("an error page", ForeignSocket.answer("no", status: "500 Oops", type: "text/plain"), 76),
            ("nothing", [], 69),
            (
                "half an answer",
                Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{".utf8), 69
            ),
        ] as [(String, [UInt8], Int32)]
    )
    func foreign(name: String, answer: [UInt8], status: Int32) throws {
        let home = try RunnerHome()
        let path = home.folder.url.appendingPathComponent("f.sock").path
        let socket = try ForeignSocket(at: path, answering: answer)
        for command in ["status", "reload", "events", "history", "console"] {
            let run = try home.corewire(command, "--socket", path)
            // Events are told from other answers by their type, before their end is missed.
            let expected = command == "events" && !answer.isEmpty ? 76 : status
            #expect(run.status == expected, "\(command): \(run.errors)")
            #expect(run.output.isEmpty)
            #expect(run.errors.contains(path))
        }
        withExtendedLifetime(socket) {}
    }

    @Test("endless responses are limited, and control characters are not printed")
    func hostile() throws {
        let home = try RunnerHome()
        let path = home.folder.url.appendingPathComponent("f.sock").path
        // One byte more than is taken, nine of them around the text.
        let long = ForeignSocket.answer("{\"a\": \"\(String(repeating: "x", count: (32 << 20) - 8))\"}")
        do {
            let socket = try ForeignSocket(at: path, answering: long)
            let run = try home.corewire("status", "--socket", path)
            #expect(run.status == 76)
            #expect(run.errors.contains("exceeds 32MiB"), "\(run.errors)")
            withExtendedLifetime(socket) {}
        }
        try FileManager.default.removeItem(atPath: path)
        let nasty = #"""
            {"phase":"running","ready":true,"app":"x\ny","file":"f","environments":[],"backend":"b","generation":1,
            "hash":"h","started":1,"services":[{"name":"a\u001b[2J","state":"ready","required":true,"generation":1,
            "since":1,"inFlight":0,"restarts":0}],"faults":[],"awaitsConfirmation":false}
            """#
        let socket = try ForeignSocket(at: path, answering: ForeignSocket.answer(nasty))
        let run = try home.corewire("status", "--socket", path)
        #expect(run.status == 0)
        #expect(!run.output.contains("\u{1b}"))
        #expect(run.output.hasPrefix("x\\u{a}y is ready\n"), "\(run.output)")
        withExtendedLifetime(socket) {}
    }

    @Test("a rejection is printed with its reason, place and help")
    func refusal() throws {
        let home = try RunnerHome()
        let path = home.folder.url.appendingPathComponent("f.sock").path
        let problem =
            "{\"title\":\"forbidden\",\"detail\":\"user 7 may not\",\"help\":\"ask\",\"config\":{\"path\":\"api.access\",\"place\":\"a.yaml:3:4\"}}"
        let socket = try ForeignSocket(
            at: path,
            answering: ForeignSocket.answer(problem, status: "403 Forbidden", type: "application/problem+json")
        )
        let run = try home.corewire("status", "--socket", path)
        #expect(run.status == 77)
        #expect(run.errors == "error: forbidden: user 7 may not\n  --> a.yaml:3:4 (api.access)\n  = help: ask\n")
        let json = try home.corewire("status", "--socket", path, "--format", "json")
        #expect(json.errors.contains(#""detail": "user 7 may not""#), "\(json.errors)")
        withExtendedLifetime(socket) {}
    }

    @Test(
        "invalid arguments are rejected",
        arguments: [
            ["status", "--format", "jsn"], ["status", "more"], ["status", "--socket", "x/"], ["rollback", "first"],
            ["rollback", "-1"], ["rollback", "0"], ["diff", "x"], ["diff", "1", "2", "--unified", "--format", "json"],
            ["reload", "--confirm-within", "soon"], ["reload", "--confirm-within", "2d"],
            ["reload", "--if-hash", "a b"],
            ["plan", "--env", "prod", "--generation", "1"], ["plan", "--generation", "x"],
            ["events", "--after", "now"],
        ]
    )
    func senseless(words: [String]) throws {
        let run = try Program.corewire(words)
        #expect(run.status == 64, "\(words): \(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("with several runners, status lists them")
    func several() throws {
        let runner = try Services.running()
        let other = try RunnerHome()
        try other.write(Services.file().replacing("com.example.tasks", with: "com.example.other"))
        let second = try FoundRunner(in: other, environment: ["XDG_RUNTIME_DIR": runner.home.folder.url.path + "/r"])
        let run = try Program.corewire(["status"], in: URL(fileURLWithPath: "/"), environment: runner.home.environment)
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.contains("2 runners were found"), "\(run.errors)")
        #expect(run.errors.contains("com.example.other/api.sock"), "\(run.errors)")
        withExtendedLifetime(second) {}
    }

    @Test("a caller without rights gets the reason", .enabled(if: geteuid() != 0 || Program.isInstalled("setpriv")))
    func noPermission() throws {
        let runner = try Services.running()
        let path = runner.home.socket()
        let run: Run
        if geteuid() == 0 {
            run = try Program.run(
                "setpriv",
                ["--reuid=65534", "--clear-groups", Program.corewire, "status", "--socket", path],
                in: URL(fileURLWithPath: "/")
            )
        } else {
            let folder = runner.home.folder.url.appendingPathComponent("r").path
            _ = unsafe chmod(folder, 0)
            defer { _ = unsafe chmod(folder, 0o700) }
            run = try runner.corewire("status", "--socket", path)
        }
        #expect(run.status == 77, "\(run.errors)")
        #expect(run.errors.contains("no access to the socket"), "\(run.errors)")
    }

    @Test(
        "a foreign socket at the default path is not used",
        .enabled(if: geteuid() == 0 && Program.isInstalled("setpriv"))
    )
    func stranger() throws {
        let home = try RunnerHome()
        try home.write(Services.file())
        let path = home.socket()
        try FileManager.default.createDirectory(
            atPath: String(path.dropLast("/api.sock".count)),
            withIntermediateDirectories: true
        )
        let socket = try ForeignSocket(at: path, answering: ForeignSocket.answer("{}"))
        #expect(try Program.run("chmod", ["-R", "a+rwX", home.folder.url.path]).status == 0)
        #expect(try Program.run("chown", ["1234", path]).status == 0)
        let run = try asNobody(["status"], home)
        #expect(run.status == 77, "\(run.errors)")
        #expect(run.errors.contains("is owned by user 1234, not by this user, 65534"), "\(run.errors)")
        #expect(try asNobody(["status", "--socket", path], home).status == 76, "it is spoken to when it is named")
        withExtendedLifetime(socket) {}
    }

    @Test(
        "a caller with read rights cannot change anything, and is told so",
        .enabled(if: geteuid() == 0 && Program.isInstalled("setpriv"))
    )
    func onlyLooking() throws {
        let home = try RunnerHome()
        try home.write(Services.file(api: "{ socket: ./own.sock, access: { read: { anyone: true } } }"))
        let runner = try FoundRunner(in: home)
        for folder in ["", "/w"] { _ = unsafe chmod(home.folder.url.path + folder, 0o755) }
        let path = home.work.appendingPathComponent("own.sock").path
        #expect(try asNobody(["status", "--socket", path], home).status == 0)
        let run = try asNobody(["reload", "--socket", path], home)
        #expect(run.status == 77, "\(run.errors)")
        #expect(
            run.errors.contains("= help: set the rights of callers with 'api.access'"),
            "\(run.errors)"
        )
        withExtendedLifetime(runner) {}
    }

    private func asNobody(_ words: [String], _ home: RunnerHome) throws -> Run {
        try Program.run(
            "setpriv",
            ["--reuid=65534", "--clear-groups", Program.corewire] + words,
            in: home.work,
            environment: home.environment
        )
    }
}
