import Foundation
import Support
import Testing
import WireConfig

/// What works for a user starts with the user (SA-3, SA-6).
@Suite("Work that needs a user starts at sign-in and stops at sign-out", .timeLimit(.minutes(2)))
struct WaitingForUserTests {
    private static let json = ["Content-Type: application/json"]

    private static func file(registrar: String = "", policy: String = "authentication") -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: { policy: \(policy) }
        backends: { issuer: { signIn: automatic, users: { ada: { password: wonder } } } }
        push:
          registrars:
            ups: { type: unifiedPush, url: https://push.example.com, variantId: v-1, variantSecret: secret-1\(registrar) }
        content: { modules: { news: {} } }
        background:
          tasks:
            personal: { every: 1d, atStart: true, needs: [user], exec: [/bin/sh, -c, 'echo ran >> personal'] }
            plain: { every: 1d, atStart: true, exec: [/bin/sh, -c, 'echo ran >> plain'] }
        api: { socket: auto }

        """
    }

    /// The state of a service, with its reason.
    private static func state(_ name: String, _ runner: RunningRunner) async throws -> String {
        let status = try JSONValue(parsing: try await runner.ask("GET", "/v1/status").body, named: "status")
        let service = status["services"]?.array?.first { $0["name"]?.string == name }
        return [service?["state"]?.string, service?["reason"]?.string].compactMap { $0 }.joined(separator: ": ")
    }

    /// How many devices the push server of this machine knows.
    private static func devices(_ runner: RunningRunner) async throws -> Int? {
        let push = #"{"via":"ups","title":"News","body":"Hello"}"#
        let answer = try await runner.ask("POST", "/v1/backends/push", json, text: push)
        return try JSONValue(parsing: answer.body, named: "push")["devices"]?.integer
    }

    private static func task(_ name: String, _ runner: RunningRunner) async throws -> JSONValue {
        try JSONValue(parsing: try await runner.ask("GET", "/v1/tasks/\(name)").body, named: "task")
    }

    /// Opens the page that a sign-in waits for, which signs in by itself.
    private static func signIn(_ runner: RunningRunner) async throws {
        let begun = try await runner.ask("POST", "/v1/auth/login", json, text: #"{"flow":"browser"}"#)
        let page = try #require(try JSONValue(parsing: begun.body, named: "login")["url"]?.string, "\(begun.text)")
        #expect(try Program.run("/usr/bin/curl", ["-s", "-L", "-o", "/dev/null", page]).status == 0)
        #expect(try await eventually { try await runner.ask("GET", "/v1/auth").text.contains("signedIn") })
    }

    @Test("registrars, content and tasks report that they wait, start with the user, and stop at sign-out")
    func life() async throws {
        let runner = try await RunningRunner(Self.file())
        let waiting = "waiting: no user is signed in"
        #expect(try await eventually { try await Self.state("push", runner) == waiting })
        #expect(try await eventually { try await Self.state("content", runner) == waiting })
        #expect(await eventually { (try? runner.home.text(of: "plain")) == "ran\n" })
        let task = try await Self.task("personal", runner)
        #expect(task["state"]?.string == "waiting" && task["waitingFor"]?.text() == #"["user"]"#, "\(task.text())")
        #expect(try await Self.devices(runner) == 0)
        #expect(try await runner.ask("GET", "/readyz").status == 200)

        try await Self.signIn(runner)
        #expect(try await eventually { try await Self.state("push", runner) == "ready" })
        #expect(try await eventually { try await Self.devices(runner) == 1 })
        #expect(try await eventually { try await Self.state("content", runner) != waiting })
        #expect(await eventually { (try? runner.home.text(of: "personal")) == "ran\n" })

        #expect(try await runner.ask("POST", "/v1/auth/logout", Self.json, text: "{}").status == 200)
        #expect(try await eventually { try await Self.state("push", runner) == waiting })
        #expect(try await eventually { try await Self.devices(runner) == 0 })
        #expect(try await eventually { try await Self.state("content", runner) == waiting })

        // And over a start: the session decides, not what ran before.
        try await Self.signIn(runner)
        #expect(try await eventually { try await Self.devices(runner) == 1 })
        #expect(try await runner.stop() == 0)
        #expect(!runner.log.contains("no user is signed in\",\"module"), "\(runner.log)")
        let again = try await RunningRunner(nil, in: runner.home)
        #expect(try await eventually { try await Self.state("push", again) == "ready" })
        #expect(try await again.stop() == 0)
    }

    @Test(
        "with 'needs: []' or 'policy: anonymous' a registrar starts without a user",
        arguments: [file(registrar: ", needs: []"), file(policy: "anonymous")]
    )
    func without(file: String) async throws {
        let runner = try await RunningRunner(file)
        #expect(try await eventually { try await Self.devices(runner) == 1 })
        #expect(try await Self.state("push", runner) == "ready")
        #expect(try await runner.stop() == 0)
    }

    @Test("with 'needs: [user]' a registrar waits even if 'policy' is anonymous")
    func needed() async throws {
        let runner = try await RunningRunner(Self.file(registrar: ", needs: [user]", policy: "anonymous"))
        #expect(try await eventually { try await Self.state("push", runner) == "waiting: no user is signed in" })
        #expect(try await Self.devices(runner) == 0)
        #expect(try await runner.stop() == 0)
    }

    @Test("while a security rule blocks the session, waiting services, responses and auth status name the rule")
    func withheld() async throws {
        let rule =
            #"security: { baseline: false, rules: { appVersion: { url: "https://s.example.com", action: block } } }"#
        let app = "app: { id: com.example.tasks, version: 1.4.0 }"
        let file = Self.file().replacing("app: { id: com.example.tasks }", with: app) + rule + "\n"
        let runner = try await RunningRunner(file)
        #expect(try await eventually { try await Self.state("push", runner) == "waiting: no user is signed in" })
        #expect(try runner.corewire(["backends", "disable-version", "1.4.0"]).status == 0)
        // Where no user is signed in there is nothing to withhold.
        #expect(try await eventually { try runner.corewire(["auth", "token"]).errors.contains("1.4.0") })
        #expect(try await Self.state("push", runner) == "waiting: no user is signed in")
        try await Self.signIn(runner)
        let found = "the server has disabled version 1.4.0, without a reason"
        let reason = "waiting: the session is blocked by the security rule 'appVersion': \(found)"
        for service in ["push", "content"] {
            let isTold = try await eventually { try await Self.state(service, runner) == reason }
            let seen = try await Self.state(service, runner)
            #expect(isTold, "\(service): \(seen)")
        }
        let registrars = try await runner.ask("GET", "/v1/push").text
        #expect(registrars.contains("blocked by the security rule 'appVersion'"), "\(registrars)")
        #expect(!registrars.contains("sign in with"), "\(registrars)")
        #expect(registrars.contains("run 'corewire security report'"), "\(registrars)")
        let status = try runner.corewire(["auth", "status"])
        #expect(
            status.output.hasPrefix("signed in\nblocked by the security rule 'appVersion': \(found)\n"),
            "\(status.everything)"
        )
        let lines = try runner.corewire(["status"]).output
        #expect(lines.contains(" is ready; see security\n"), "\(lines)")
        #expect(lines.contains("tokens and user data are blocked: appVersion: \(found)"), "\(lines)")
        #expect(try runner.corewire(["backends", "enable-version", "1.4.0"]).status == 0)
        #expect(try await eventually { try await Self.state("push", runner) == "ready" })
        #expect(try runner.corewire(["auth", "status"]).output == "signed in\n")
        // And from then on it is withheld as it runs.
        #expect(try runner.corewire(["backends", "disable-version", "1.4.0"]).status == 0)
        #expect(try await eventually { try await Self.state("push", runner) == reason })
        #expect(try await runner.stop() == 0)
    }

    @Test("with mode app, work that needs a user token reports that no user can sign in")
    func app() async throws {
        let file = """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded } }
            auth: { mode: app }
            push: { registrars: { crm: { type: altcraft, url: https://pxl.example.com } } }
            api: { socket: auto }

            """
        let runner = try await RunningRunner(file)
        let reason = "no user can sign in: the file declares 'mode: app'"
        #expect(try await eventually { try runner.corewire(["push", "status"]).output.contains(reason) })
        let refused = try runner.corewire(["push", "register", "crm"])
        #expect(refused.errors.contains(reason) && !refused.errors.contains("sign in with"), "\(refused.everything)")
        #expect(refused.errors.contains("com.example.tasks.yaml:5:"), "\(refused.everything)")
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "a need for a user that no section satisfies is rejected with its line",
        arguments: [
            (
                "background: { tasks: { a: { needs: [user], exec: [date] } } }", "4:36",
                "background.tasks.a needs a signed-in user"
            ),
            (
                """
                push:
                  tokens: { apns: app }
                  registrars:
                    ups: { type: unifiedPush, url: https://push.example.com, variantId: v, variantSecret: "${env:S}",
                           needs: [user] }
                """, "7:10", "push.registrars.ups needs a signed-in user"
            ),
            (
                "notifications: { streams: { s: { url: v1/stream, authenticated: false, needs: [user] } } }", "4:79",
                "notifications.streams.s needs a signed-in user"
            ),
            (
                """
                auth: { url: https://sso.example.com, mode: app, clientId: tasks, clientSecret: "${env:S}" }
                background: { tasks: { a: { needs: [user], exec: [date] } } }
                """, "5:36", "background.tasks.a needs a signed-in user"
            ),
        ]
    )
    func unmet(section: String, place: String, message: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            version: 1
            app: { id: com.example.tasks }
            environments: { prod: { baseUrl: https://api.example.com } }
            \(section)

            """,
            to: "f.yaml"
        )
        let run = try Program.corewire(["validate-config", folder.url.appendingPathComponent("f.yaml").path])
        #expect(run.status == 1 && run.everything.contains("CW0406"), "\(run.everything)")
        #expect(run.everything.contains("f.yaml:\(place)") && run.everything.contains(message), "\(run.everything)")
    }

    @Test(
        "a registrar that needs a user token is rejected if no user can sign in",
        arguments: [
            "{ type: healthCloud, path: notifications, apiKey: \"${env:K}\" }",
            "{ type: altcraft, url: https://pxl.example.com, jwt: auth }",
        ]
    )
    func registrar(_ registrar: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            version: 1
            app: { id: com.example.tasks }
            environments: { prod: { baseUrl: https://api.example.com } }
            environment: prod
            auth: { url: https://sso.example.com, mode: app, clientId: tasks, clientSecret: "${env:S}" }
            push:
              tokens: { apns: app }
              registrars:
                r: \(registrar)

            """,
            to: "f.yaml"
        )
        let run = try Program.corewire(["validate-config", folder.url.appendingPathComponent("f.yaml").path])
        #expect(run.status == 1 && run.everything.contains("f.yaml:9:"), "\(run.everything)")
        #expect(run.everything.contains("no section signs in users"), "\(run.everything)")
    }
}
