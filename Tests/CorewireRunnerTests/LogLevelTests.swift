import Foundation
import Glibc
import Support
import Testing

@Suite("corewire log-level")
struct LogLevelTests {
    private static func running(_ arguments: String...) throws -> FoundRunner {
        let home = try RunnerHome()
        try home.write(Services.file(more: "persistence: {}"))
        return try FoundRunner(in: home, arguments)
    }

    /// How often the runner says that nothing has changed, which matters as little as `info`.
    private static func heard(_ runner: FoundRunner) throws -> Int {
        try logged(by: runner) { _ = try runner.corewire("reload") }
            .components(separatedBy: "nothing has changed").count - 1
    }

    /// What the runner writes because of something; records are written in their order, one after the other.
    private static func logged(by runner: FoundRunner, _ work: () throws -> Void) throws -> Substring {
        let before = try mark(runner)
        try work()
        return try mark(runner).dropFirst(before.count)
    }

    /// All that was logged up to a record that every level lets through.
    private static func mark(_ runner: FoundRunner) throws -> String {
        let name = "mark-\(UUID().uuidString.prefix(8).lowercased())"
        #expect(try runner.corewire("env", "use", name).status == 1)
        while true {
            let text = runner.logged
            if text.contains(name), text.hasSuffix("\n") { return text }
            sched_yield()
        }
    }

    @Test("a level change applies to the next record, for one module or all others, and can be reverted")
    func changes() throws {
        let runner = try Self.running()
        #expect(try Self.heard(runner) == 1)
        let one = try runner.corewire("log-level", "corewire=warning")
        #expect(one.status == 0, "\(one.errors)")
        #expect(one.output.contains("corewire     warning  set\n"), "\(one.output)")
        #expect(one.output.contains("persistence  info\n"))
        #expect(one.output.hasSuffix("lost at the next start, which uses '--log-level'\n"))
        #expect(try Self.heard(runner) == 0)
        #expect(try runner.corewire("log-level", "corewire=usual").status == 0)
        #expect(try Self.heard(runner) == 1)
        let all = try runner.corewire("log-level", "error").output
        #expect(all.contains("\nall others: error\n") && all.contains("corewire     error\n"), "\(all)")
        #expect(try Self.heard(runner) == 0)
        #expect(try runner.corewire("log-level", "corewire=debug").status == 0)
        #expect(try Self.heard(runner) == 1)
        // A service that is made anew, and one that was there, are heard alike.
        #expect(try runner.corewire("log-level", "persistence=info").status == 0)
        let more = try Self.logged(by: runner) { _ = try runner.corewire("env", "use", "prod") }
        #expect(more.contains("\"module\":\"persistence\""), "\(more)")
        #expect(!more.contains("\"module\":\"api\""), "\(more)")
    }

    @Test("log-level shows the levels of '--log-level' without changing them")
    func shows() throws {
        let runner = try Self.running("--log-level", "warning", "--log-level", "api=debug", "--log-level", "auth=error")
        let run = try runner.corewire("log-level")
        let expected = """
            module       level
            corewire     warning
            backends     warning
            network      warning
            persistence  warning
            api          debug    set
            auth         error    set

            all others: warning

            """
        #expect(run.output == expected, "\(run.everything)")
        let json = try runner.corewire("log-level", "--format", "json").json()
        #expect(json["usual"] as? String == "warning")
        #expect(
            (json["modules"] as? [[String: Any]])?.contains {
                $0["name"] as? String == "api" && $0["own"] as? Bool == true
            }
                == true
        )
    }

    @Test(
        "a module that was silent at start logs after a level change",
        arguments: ["info", "corewire=info"]
    )
    func lowered(change: String) throws {
        let runner = try Self.running("--log-level", "error")
        #expect(try Self.heard(runner) == 0)
        #expect(try runner.corewire("log-level", change).status == 0)
        #expect(try Self.heard(runner) == 1)
    }

    @Test("a level change is logged, and is not stored")
    func toldAndForgotten() throws {
        let runner = try Self.running()
        let told = try Self.logged(by: runner) {
            _ = try runner.corewire("log-level", "persistence=debug")
        }
        #expect(told.contains(#""of":"persistence","to":"debug","by":"user "#), "\(told)")
        let silenced = try Self.logged(by: runner) { _ = try runner.corewire("log-level", "error") }
        #expect(silenced.contains(#""of":"all others","to":"error""#), "\(silenced)")
        let heard = try Self.logged(by: runner) { _ = try runner.corewire("log-level", "info") }
        #expect(heard.contains(#""of":"all others","to":"info""#), "\(heard)")
        runner.stop()
        let next = try FoundRunner(in: runner.home)
        #expect(try !next.corewire("log-level").output.contains("  set\n"))
    }

    @Test("an unknown module or level is rejected, with the nearest name")
    func refused() throws {
        let runner = try Self.running()
        let before = try runner.corewire("log-level").output
        for (change, status, reason) in [
            ("persistance=debug", Int32(1), "unknown module 'persistance'; did you mean 'persistence'?"),
            ("../x=debug", 1, "unknown module '../x'; there are "), ("corewire=debg", 64, "did you mean 'debug'?"),
            ("=debug", 64, "unknown level"), ("usual", 64, "'usual' is for a module"), ("", 64, "unknown level"),
            ("auth=", 64, "unknown level"),
        ] {
            let run = try runner.corewire("log-level", change)
            #expect(run.status == status, "\(change)")
            #expect(run.errors.contains(reason), "\(change): \(run.everything)")
        }
        #expect(try runner.corewire("log-level").output == before)
    }

    @Test("a start with a level for an unknown module is rejected")
    func start() throws {
        let home = try RunnerHome()
        try home.write(Services.file())
        let module = try home.corewire("run", "--log-level", "persistance=debug")
        #expect(module.status == 64)
        #expect(module.errors.contains("unknown module 'persistance'; did you mean 'persistence'?"))
        let level = try home.corewire("run", "--log-level", "chatty")
        #expect(level.status == 64)
        #expect(level.errors.contains("expected 'debug', 'info', 'notice', 'warning' or 'error'"))
    }

    @Test("changing levels requires full rights; reading them does not")
    func rights() async throws {
        let address = try await LoopbackAddress.open(TokenTests.apps)
        let rights = LoopbackAddress.rights(TokenTests.token("a")) + ["Content-Type: application/json"]
        let body = #"{"level":"debug"}"#
        for path in ["/v1/log/levels", "/v1/log/levels/api"] {
            #expect(try await address.ask("PUT", path, rights, text: body).status == 403)
        }
        #expect(try await address.ask("DELETE", "/v1/log/levels/api", rights).status == 403)
        #expect(try await address.ask("GET", "/v1/log/levels", rights).status == 200)
        let json = ["Content-Type: application/json"]
        #expect(try await address.owner("PUT", "/v1/log/levels/api", json, text: body).status == 200)
        for wrong in ["", "{}", #"{"level":"loud"}"#, #"{"level":3}"#, #"{"level":"debug","more":1}"#] {
            let answer = try await address.owner("PUT", "/v1/log/levels/api", json, text: wrong)
            #expect(answer.status == 400, "\(wrong): \(answer.status)")
            #expect(answer.isProblem)
        }
    }
}
