import Foundation
import Support
import Testing

@Suite("Commands that change the configuration")
struct ChangeTests {
    @Test("reload reports the effect on each service, and the changed settings with old and new values")
    func reload() throws {
        let runner = try Services.running()
        #expect(try runner.corewire("reload").output.hasPrefix("nothing has changed: generation 1 in dev continues"))
        try runner.home.write(Services.file(retries: 3))
        let run = try runner.corewire("reload")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("generation 2 runs in dev ("), "\(run.output)")
        #expect(run.output.contains("network.retries: 2 → 3  (mobile-services.yaml:7:21)\n"), "\(run.output)")
        #expect(run.output.contains("service   action"))
        let forced = try runner.corewire("reload", "--force", "--format", "json").json()
        #expect(forced["outcome"] as? String == "applied")
        #expect(forced["generation"] as? Int == 3)
    }

    @Test(
        "an invalid file is reported as by validate-config, the current generation continues, and the exit status is 1"
    )
    func refused() throws {
        let runner = try Services.running()
        try runner.home.write(Services.file(key: "retires"))
        let expected = try runner.corewire("validate-config").output
        let run = try runner.corewire("reload")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        let diagnostics = try #require(expected.components(separatedBy: "mobile-services.yaml: not valid").first)
        #expect(run.errors.hasPrefix(diagnostics), "\(run.errors)\n\(expected)")
        #expect(
            run.errors.hasSuffix(
                "error: the change was rejected: mobile-services.yaml is not valid\ngeneration 1 continues\n"
            )
        )
        let coloured = try runner.corewire("reload", environment: ["FORCE_COLOR": "1"]).errors
        let validated = try runner.corewire("validate-config", environment: ["FORCE_COLOR": "1"]).output
        #expect(coloured.hasPrefix(try #require(validated.components(separatedBy: "mobile-services.yaml: ").first)))
        let json = try runner.corewire("reload", "--format", "json")
        #expect(json.status == 1)
        #expect(try json.json()["outcome"] as? String == "rejected")
    }

    @Test("a service that does not become ready is reported with its place, and the current generation continues")
    func rolledBack() throws {
        let runner = try Services.running()
        try runner.home.write("x", to: "taken/file")
        try runner.home.write(Services.file(api: "{ socket: ./taken/file/api.sock }"))
        let run = try runner.corewire("reload", "--socket", runner.home.socket())
        #expect(run.status == 1, "\(run.output)")
        #expect(run.errors.contains("error: the next generation did not start: api: "), "\(run.errors)")
        #expect(run.errors.contains("mobile-services.yaml:8:"), "\(run.errors)")
        #expect(run.errors.hasSuffix("generation 1 continues\n"), "\(run.errors)")
        #expect(try runner.corewire("status", "--socket", runner.home.socket()).status == 0)
    }

    @Test("plan and reload name the keys that cause each action; the order of keys has no effect")
    func causes() throws {
        let home = try RunnerHome()
        func file(_ network: String, every: String = "1d", required: Bool = true, environment: String = "dev") -> String
        {
            """
            version: 1
            app: { id: com.example.tasks }
            environment: \(environment)
            environments: { dev: { backend: embedded }, prod: { backend: embedded } }
            network: { \(network) }
            push:
              required: \(required)
              registrars:
                ups: { type: unifiedPush, url: https://push.example.com, variantId: v-1, variantSecret: "${credential:ups}" }
            metrics: { url: https://metrics.example.com, types: [init], every: \(every) }
            api: { socket: auto }

            """
        }
        func moves(_ run: Run) throws -> [String: String] {
            let services = try run.json()["services"] as? [[String: Any]] ?? []
            return Dictionary(
                uniqueKeysWithValues: services.compactMap { service in
                    guard let name = service["name"] as? String, let action = service["action"] as? String,
                        action != "keep"
                    else { return nil }
                    return (name, "\(action): \(service["cause"] as? String ?? "")")
                }
            )
        }
        let credentials = home.folder.url.appendingPathComponent("credentials")
        try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
        try home.folder.write("first", to: "credentials/ups")
        try home.write(file("retries: 2, timeout: 30s"))
        let variables = ["CREDENTIALS_DIRECTORY": credentials.path]
        let runner = try FoundRunner(in: home, environment: variables)
        try home.write(file("timeout: 30s, retries: 2"))
        #expect(try runner.corewire("reload").output.contains("nothing has changed"))
        try home.write(file("timeout: 30s, retries: 2", required: false))
        #expect(try moves(runner.corewire("reload", "--format", "json")).isEmpty)
        try home.write(file("timeout: 20s, retries: 3", every: "2d", required: false))
        let changed = try moves(runner.corewire("reload", "--format", "json"))
        #expect(changed == ["network": "rebind: network.retries, network.timeout", "metrics": "rebind: metrics.every"])
        // A secret is named and not told.
        try home.folder.write("second", to: "credentials/ups")
        let plan = try runner.corewire("plan")
        #expect(plan.output.contains("push.registrars.ups.variantSecret"), "\(plan.output)")
        #expect(!plan.output.contains("first") && !plan.output.contains("second"))
        #expect(
            try moves(runner.corewire("plan", "--format", "json")) == [
                "push": "restart: push.registrars.ups.variantSecret"
            ]
        )
        let other = try moves(runner.corewire("plan", "--env", "prod", "--format", "json"))
        #expect(other["push"] == "restart: another environment" && other["api"] == nil, "\(other)")
        let forced = try moves(runner.corewire("reload", "--force", "--format", "json"))
        #expect(forced["push"] == "restart: forced")
    }

    @Test("plan reports the effects of a change without applying it")
    func plan() throws {
        let runner = try Services.running()
        let run = try runner.corewire("plan", "--env", "prod")
        #expect(run.status == 0)
        #expect(run.output.contains("generation 1 continues; planned change in prod"), "\(run.output)")
        #expect(run.output.contains("network.retries: 2 → 5"))
        #expect(try runner.corewire("status", "--format", "json").json()["environment"] as? String == "dev")
        #expect(try runner.corewire("plan", "--generation", "1").output.hasPrefix("nothing has changed"))
        let unknown = try runner.corewire("plan", "--env", "prd")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("did you mean 'prod'?"), "\(unknown.errors)")
    }

    @Test("'env use' switches, also to a URL, and rollback returns")
    func switching() throws {
        let runner = try Services.running()
        #expect(try runner.corewire("env", "use", "prod").output.hasPrefix("generation 2 runs in prod"))
        let custom = try runner.corewire("env", "use", "https://10.0.0.7", "--format", "json").json()
        #expect(custom["outcome"] as? String == "applied")
        #expect(custom["environment"] as? String == "dev")
        #expect(custom["url"] as? String == "https://10.0.0.7")
        let back = try runner.corewire("rollback", "2")
        #expect(back.output.hasPrefix("generation 4 runs in prod"), "\(back.everything)")
        let unknown = try runner.corewire("rollback", "99")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("generation 99 is not stored"), "\(unknown.errors)")
    }

    @Test("a generation of a URL shows the URL with its environment")
    func customURL() throws {
        let runner = try Services.running()
        let run = try runner.corewire("env", "use", "https://10.0.0.7:8443/a")
        #expect(run.output.hasPrefix("generation 2 runs in dev at https://10.0.0.7:8443/a ("), "\(run.everything)")
        let status = try runner.corewire("status")
        #expect(status.output.contains("  environment  dev at https://10.0.0.7:8443/a (remote); declared: dev, prod\n"))
        #expect(try runner.corewire("status", "--format", "json").json()["url"] as? String == "https://10.0.0.7:8443/a")
        let lines = try runner.corewire("history").output.split(separator: "\n")
        #expect(lines[1].hasPrefix("2           dev at https://10.0.0.7:8443/a  "), "\(lines)")
        #expect(lines[2].contains("dev    "), "\(lines)")
        // What the default environment is by itself is another one, and can be returned to.
        let back = try runner.corewire("env", "use", "dev")
        #expect(back.output.hasPrefix("generation 3 runs in dev ("), "\(back.everything)")
        #expect(try runner.corewire("status", "--format", "json").json()["url"] == nil)
    }

    @Test(
        "an unknown environment is rejected, with the nearest name or all names",
        arguments: [
            ("prd", "; did you mean 'prod'?"), ("Dev", "; did you mean 'dev'?"),
            ("canary", "; there are 'dev' and 'prod'"), ("", "; there are 'dev' and 'prod'"),
        ]
    )
    func unknownEnvironment(name: String, help: String) throws {
        let runner = try Services.running()
        let reason = "unknown environment '\(name)' in mobile-services.yaml\(help)"
        let run = try runner.corewire("env", "use", name)
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors == "error: the change was rejected: \(reason)\ngeneration 1 continues\n")
        #expect(try runner.corewire("plan", "--env", name).errors == run.errors)
        // A mistyped name is no state of the runner.
        #expect(try !runner.corewire("status").output.contains("the last change was"))
    }

    @Test(
        "an invalid URL is rejected as the URL, not as the file",
        arguments: ["https://", "https://a:b@example.com"]
    )
    func badURL(url: String) throws {
        let runner = try Services.running()
        let run = try runner.corewire("env", "use", url)
        #expect(run.status == 1)
        #expect(
            run.errors.hasSuffix(
                "error: the change was rejected: the URL of the environment is not valid\ngeneration 1 continues\n"
            ),
            "\(run.errors)"
        )
        #expect(!run.errors.contains("a:b@"))
        try runner.home.write(Services.file(key: "retires"))
        let file = try runner.corewire("env", "use", "https://10.0.0.7")
        #expect(file.errors.contains("the change was rejected: mobile-services.yaml is not valid"), "\(file.errors)")
    }

    @Test("a change with an outdated hash is rejected")
    func conditional() throws {
        let runner = try Services.running()
        let hash = try #require(try runner.corewire("status", "--format", "json").json()["hash"] as? String)
        try runner.home.write(Services.file(retries: 4))
        let wrong = try runner.corewire("reload", "--if-hash", "000000000000")
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("its hash is \(hash)"), "\(wrong.errors)")
        #expect(try runner.corewire("reload", "--if-hash", hash).status == 0)
    }

    @Test("a generation waits for confirmation, and confirm keeps it")
    func confirmation() throws {
        let runner = try Services.running()
        try runner.home.write(Services.file(retries: 3))
        let run = try runner.corewire("reload", "--confirm-within", "10m")
        #expect(run.output.contains("rollback in 600s unless the generation is confirmed: corewire confirm"))
        #expect(try runner.corewire("status").output.contains("for confirmation"))
        #expect(try runner.corewire("history").output.contains("current, waits for confirmation"))
        #expect(try runner.corewire("confirm").output == "confirmed the current generation\n")
        let again = try runner.corewire("confirm")
        #expect(again.status == 1)
        #expect(again.errors.hasPrefix("error: no generation waits for confirmation\n"))
        #expect(try runner.corewire("confirm", "--format", "json").json()["confirmed"] as? Bool == false)
    }

    @Test("without confirmation the runner rolls back, and subscribers get the event")
    func withoutConfirmation() throws {
        let runner = try Services.running()
        let watcher = try LiveCommand(
            ["events", "--watch", "--name", "generation", "--format", "json"],
            in: runner.home
        )
        #expect(watcher.line()?.contains("\"generation\":1") == true)
        try runner.home.write(Services.file(retries: 3))
        #expect(try runner.corewire("reload", "--confirm-within", "1s").status == 0)
        #expect(watcher.line()?.contains("\"generation\":2") == true)
        let third = try #require(watcher.line())
        #expect(third.contains("generation.applied") && third.contains("\"generation\":3"), "\(third)")
        #expect(try runner.corewire("diff", "1", "3").output.hasPrefix("no difference"))
        #expect(try runner.corewire("history").output.contains("missing confirmation"))
    }
}
