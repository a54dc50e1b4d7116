import Foundation
import Support
import Testing

/// The loopback address of a runner, called as programs and browsers call it.
struct LoopbackAddress {
    static let token = "0123456789abcdef0123456789abcdef-owner"

    /// Everything that has something to do with the local API.
    static let everything = """
        persistence: {}
        auth: { lock: { method: pin } }
        network: {}
        background: { downloads: { directory: downloads } }
        content: {}
        sync: { url: graphql, authenticated: false }
        device: {}
        push:
          providers: [apns]
          tokens: { apns: app }
          registrars: { crm: { type: altcraft, url: "http://127.0.0.1:1", rToken: role, required: false } }
        notifications: { permission: granted, handlers: { show: { on: presentable, present: [list] } } }
        formatting: { locale: de-AT }
        security: {}
        metrics: { url: "https://metrics.example.com/metrics" }
        addons: { one: { exec: [/bin/sh, -c, "read x; echo '{\\\"type\\\":\\\"ready\\\",\\\"protocol\\\":1}'; exec cat >/dev/null"] } }

        """

    let runner: RunningRunner
    let port: Int

    /// Starts a runner whose token for everything is ``token``.
    static func open(
        _ api: String = "",
        sections: String = "persistence: {}\n",
        environment: [String: String] = [:]
    ) async throws -> LoopbackAddress {
        let home = try TemporaryFolder()
        try home.write("\(token)\n", to: "tokens")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: home.url.appendingPathComponent("tokens").path
        )
        let file = """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded }, test: { backend: embedded } }
            \(sections)api:
              listen: 127.0.0.1:0
              tokenFile: tokens
            \(api.split(separator: "\n").map { "  \($0)\n" }.joined())
            """
        return try await LoopbackAddress(RunningRunner(file, in: home, environment: environment))
    }

    init(_ runner: RunningRunner) async throws {
        self.runner = runner
        let link = try await runner.ask("POST", "/v1/console/link").text
        port = try #require(Int(link.components(separatedBy: "127.0.0.1:").last?.prefix { $0.isNumber } ?? ""))
    }

    var origin: String { "http://127.0.0.1:\(port)" }

    /// A link that opens the console, as `corewire console` prints it.
    func link() async throws -> String {
        let answer = try await runner.ask("POST", "/v1/console/link")
        let json = try JSONDecoder().decode([String: String].self, from: Data(answer.body))
        return try #require(json["url"])
    }

    /// One request with the fields that are given, and nothing of its own but `Host`, where none is given.
    func ask(_ method: String, _ path: String, _ fields: [String] = [], text: String? = nil) async throws
        -> RawClient.Answer
    {
        let client = try await RawClient.connect(to: .tcp("127.0.0.1", port))
        var head = "\(method) \(path) HTTP/1.1\r\nConnection: close\r\n"
        if !fields.contains(where: { $0.hasPrefix("Host:") }) { head += "Host: 127.0.0.1:\(port)\r\n" }
        for field in fields { head += "\(field)\r\n" }
        if let text { head += "Content-Length: \(text.utf8.count)\r\n" }
        try await client.send("\(head)\r\n\(text ?? "")")
        let answer = try await client.answer(toHead: method == "HEAD")
        try await client.close()
        return answer
    }

    /// The same by who may do everything.
    func owner(_ method: String, _ path: String, _ fields: [String] = [], text: String? = nil) async throws
        -> RawClient.Answer
    {
        try await ask(method, path, Self.rights() + fields, text: text)
    }

    static func rights(_ token: String = Self.token) -> [String] {
        ["Authorization: Bearer \(token)", "X-Corewire: 1"]
    }
}

extension RawClient.Answer {
    /// Whether it is a problem that says what is wrong, and to whom it matters.
    var isProblem: Bool {
        guard self["Content-Type"] == "application/problem+json",
            let json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        else { return false }
        return json["status"] as? Int == status && json["detail"] as? String != ""
            && (json["type"] as? String)?.hasPrefix("urn:corewire:problem:") == true
    }

    /// The last part of a problem's type.
    var kind: String? {
        let json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return (json?["type"] as? String)?.components(separatedBy: ":").last
    }
}
