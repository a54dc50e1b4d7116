import Foundation
import PushConformance
import Support
import Testing

@Suite("Token sources of the built program", .timeLimit(.minutes(2)))
struct TokenSourceTests {
    private static let apns = String(repeating: "a1", count: 32)
    private static let fcm = String(repeating: "f0", count: 40)

    /// A runner whose preferred provider is a program, and whose other one is a file.
    private struct Bench {
        let server: PushServer
        let runner: RunningRunner

        /// `both` may take either provider; `one` knows a single one.
        init(_ program: String, timeout: String = "1s", one: String = "apns") async throws {
            server = try await PushServer()
            try server.folder.write(fcm, to: "fcm")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: server.folder.url.appendingPathComponent("fcm").path
            )
            try server.folder.write("cd '\(server.folder.url.path)'\n\(program)\n", to: "source.sh")
            runner = try await RunningRunner(
                """
                version: 1
                app: { id: com.example.tasks }
                environment: dev
                environments: { dev: { baseUrl: "\(server.base)" } }
                allow: { secret-in-clear: "a test" }
                background: { retry: { min: 100ms, max: 1s, attempts: 1000 } }
                push:
                  providers: [apns, firebase]
                  tokens:
                    apns: { exec: { get: [/bin/sh, "\(server.folder.url.path)/source.sh"], timeout: \(timeout) } }
                    firebase: { file: "\(server.folder.url.path)/fcm" }
                  registrars:
                    both: { type: altcraft, url: "\(server.base)/both", rToken: role-1 }
                    one: { type: altcraft, url: "\(server.base)/one", rToken: role-1, providers: [\(one)] }
                api: {}

                """
            )
        }

        func state(_ name: String) async throws -> [String: Any] {
            let answer = try await runner.ask("GET", "/v1/push/registrars/\(name)")
            return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
        }

        func stands(_ name: String, _ key: String, _ wanted: String) async throws {
            while try await state(name)[key] as? String != wanted {
                try Task.checkCancellation()
                await breath()
            }
        }

        func seen(_ name: String) -> [PushServer.Seen] { server.seen.filter { $0.path.hasPrefix("/\(name)/") } }
    }

    @Test(
        "a program that hangs, floods, fails or prints invalid output is tried three times, then the next provider",
        arguments: [
            "sleep 1000", "while :; do :; done", "yes canary-token", "echo canary-token; exit 3",
            "echo sorry >&2; exit 1", "printf 'canary token'", "printf 'canary\\001token'", ":",
            "kill -9 $$",
        ]
    )
    func poorProgram(program: String) async throws {
        let bench = try await Bench("echo x >> asked\n\(program)")
        try await bench.stands("both", "provider", "firebase")
        // Whoever knows that one alone is told why, and where in the file that stands.
        try await bench.stands("one", "waitsFor", "token")
        let state = try await bench.state("one")
        #expect((state["config"] as? [String: Any])?["path"] as? String == "push.tokens.apns")
        #expect(bench.seen("one").isEmpty)
        // It is asked once again after a pause, which may be over by now.
        #expect(try bench.server.folder.text(of: "asked").hasPrefix("x\nx\nx\n"))
        let texts = [
            bench.runner.log, try bench.runner.corewire(["push", "status"]).output,
            try bench.runner.corewire(["events", "--format", "json"]).output,
            try bench.runner.corewire(["status", "--format", "json"]).output,
        ]
        for text in texts { #expect(!text.contains("canary")) }
        try await bench.runner.stop()
    }

    @Test("while one program hangs, servers with other providers are registered")
    func apart() async throws {
        let bench = try await Bench(
            "touch asked; while [ ! -e go ]; do sleep 0.02; done; echo \(Self.apns)",
            timeout: "100s",
            one: "firebase"
        )
        try await bench.stands("one", "state", "registered")
        #expect(bench.seen("both").isEmpty)
        try bench.server.folder.write("", to: "go")
        try await bench.stands("both", "state", "registered")
        #expect(bench.seen("both")[0].json["subscription_id"] as? String == Self.apns)
        try await bench.runner.stop()
    }

    @Test("tokens are set, removed, refreshed and preferred from the terminal, and never shown")
    func terminal() async throws {
        let bench = try await Bench("cat now 2>/dev/null || echo \(Self.apns)", timeout: "10s")
        try await bench.stands("both", "token", "…a1a1")
        func push(_ words: String..., input: String? = nil) throws -> String {
            let run = try bench.runner.corewire(["push"] + words, input: input.map { Data($0.utf8) })
            #expect(run.status == 0, "\(run)")
            return run.output + run.errors
        }
        let manual = String(repeating: "c3", count: 32)
        var shown = try push("token", "set", "apns", input: "\(manual)\n")
        try await bench.stands("both", "token", "…c3c3")
        shown += try push("status")
        #expect(shown.contains("apns …c3c3 (set by 'push token set')"))
        // Who holds it wins over the source, however often that is asked.
        try bench.server.folder.write(String(repeating: "d4", count: 32), to: "now")
        shown += try push("token", "refresh")
        shown += try push("token", "remove", "apns")
        try await bench.stands("both", "token", "…d4d4")
        shown += try push("providers", "firebase,apns")
        try await bench.stands("both", "token", "…f0f0")
        shown += try push("providers", "file")
        try await bench.stands("both", "token", "…d4d4")
        try bench.server.folder.write(String(repeating: "e5", count: 32), to: "now")
        shown += try push("token", "refresh")
        try await bench.stands("both", "token", "…e5e5")
        for digits in ["a1a1", "c3c3", "d4d4", "e5e5", "f0f0"] { #expect(!shown.contains(digits + digits)) }
        // Each change was told with what the server knew.
        let told = bench.seen("both").dropFirst().map { $0.json["old_token"] as? String ?? "" }
        #expect(told.map { $0.suffix(2) } == ["a1", "c3", "d4", "f0", "d4"])
        let refused = try bench.runner.corewire(["push", "token", "set", "apns"], input: Data("\u{1}".utf8))
        #expect(refused.status == 1)
        try await bench.runner.stop()
    }
}
