import Foundation
import Support
import Testing

/// What a runner and its commands print.
extension SecrecyScene {
    /// The commands that read the file.
    private static let fileCommands: [[String]] =
        [
            ["validate-config"], ["validate-config", "--strict", "--format", "sarif"], ["validate-config", "--local"],
            ["env", "show", "dev"], ["env", "diff", "dev", "other"], ["env", "contract", "other"],
            ["export", "--env", "other"], ["graph"],
        ]
        + [
            "push", "push.tokens", "push.tokens.webPush", "push.tokens.webPush.token", "notifications",
            "notifications.streams", "notifications.streams.alerts", "notifications.streams.alerts.topics",
            "notifications.streams.alerts.token", "notifications.streams.more.password",
            "notifications.streams.phone.token", "notifications.streams.ward.password",
        ].map { ["explain", $0] }

    /// The commands that ask the runner, besides `corewire push subscription`.
    private static let runnerCommands: [[String]] = [
        ["status"], ["push", "status"], ["push", "status", "mine"], ["history"], ["diff", "1"], ["plan"],
        ["plan", "--env", "other"], ["events"], ["outbox", "list"], ["notifications", "list"],
        ["notifications", "permission"], ["log-level"], ["doctor"], ["push", "register", "none"],
        ["push", "token", "remove", "none"], ["push", "profile", "mine", "--field", "a=b"],
    ]

    /// What the commands print that read the file, by command.
    func fileOutputs() throws -> [String: String] {
        var outputs: [String: String] = [:]
        let file = runner.home.url.appendingPathComponent("com.example.tasks.yaml").path
        for command in Self.fileCommands {
            let run = try Program.corewire(command + ["--config", file], in: runner.home.url)
            outputs[command.joined(separator: " ")] = run.everything
        }
        return outputs
    }

    /// Everything that can be read of the runner, by its source.
    func outputs() async throws -> [String: String] {
        var outputs = ["log": runner.log]
        for command in Self.runnerCommands {
            for form in [[], ["--format", "json"]] {
                outputs[(command + form).joined(separator: " ")] = try runner.corewire(command + form).everything
            }
        }
        for path in try Self.paths() { outputs["GET \(path)"] = try await runner.ask("GET", path).text }
        return outputs.merging(try await failures()) { $1 }
    }

    /// The paths of the local API that answer at once, of its description.
    private static func paths() throws -> [String] {
        var (path, read) = ("", [String]())
        for line in try Repository.text(of: "schemas/local-api.openapi.yaml").split(separator: "\n") {
            if line.hasPrefix("  /") { path = String(line.dropFirst(2).prefix { $0 != ":" }) }
            if line == "    get:" { read.append(path) }
        }
        // This is the answer to 'corewire push subscription', and these stay open.
        let others = ["/subscription", "/stream", "/watch", "/subscribe", "/v1/events"]
        let paths = read.filter { path in !others.contains { path.hasSuffix($0) } }
            .map { $0.replacing("{name}", with: "mine").replacing(/\{[a-zA-Z]+\}/, with: "1") }
        try #require(paths.contains("/v1/push") && paths.contains("/v1/push/registrars/mine"), "\(paths)")
        return paths
    }

    /// Responses to requests that repeat a secret and cannot succeed.
    private func failures() async throws -> [String: String] {
        var outputs: [String: String] = [:]
        let json = ["Content-Type: application/json"]
        for (name, secret) in secrets {
            let text = try #require(String(data: JSONEncoder().encode(secret), encoding: .utf8))
            for (method, path, body) in [
                ("PUT", "/v1/push/tokens/webPush", #"{"token":\#(text)}"#),
                ("PUT", "/v1/push/tokens/none", #"{"token":\#(text)}"#),
                ("PUT", "/v1/push/registrars/mine/jwt", #"{"token":\#(text)}"#),
                ("POST", "/v1/push/events", #"{"event":"open","payload":{"mine":\#(text)},"token":\#(text)}"#),
            ] {
                let answer = try await runner.ask(method, path, json, text: body)
                outputs["\(method) \(path) with \(name)"] = answer.text
                #expect(answer.status >= 400, "\(method) \(path): \(answer.text)")
            }
        }
        return outputs
    }
}
