import Foundation
import Support
import Testing
import WireConfig

/// One file whose requests leave by every way there is, to a server that is not the one of the base URL.
@Suite("Credentials are sent only to declared servers", .timeLimit(.minutes(3)))
struct StrangerTests {
    private static let json = ["Content-Type: application/json", "X-Corewire: 1"]

    /// `tokenHosts` are the servers that may have the token, `authorization` is what each request says of its token.
    private static func file(_ port: Int, tokenHosts: String = "", authorization: String = "") -> String {
        let stranger = "http://127.0.0.1:\(port)"
        return """
            version: 1
            app: { id: com.example.tasks, version: 1.0.0 }
            allow: { secret-in-clear: "these secrets exist in a test alone" }
            environment: dev
            environments:
              dev:
                backend: embedded
                notifications:
                  handlers: { hook: { post: "\(stranger)/hook"\(authorization) } }
                  streams:
                    events: { url: "\(stranger)/events"\(authorization) }
                    socket: { url: "ws://127.0.0.1:\(port)/socket", type: webSocket\(authorization) }
                background:
                  tasks: { nightly: { request: { url: "\(stranger)/task"\(authorization) } } }
                push:
                  registrars:
                    mine: { url: "\(stranger)/devices"\(authorization) }
                    ups: { url: "\(stranger)/ups" }
                content: { url: "\(stranger)/content" }
                device: { url: "\(stranger)/device" }
                metrics: { url: "\(stranger)/metrics" }
            auth: {}
            network: { retries: 0, tokenHosts: [\(tokenHosts)] }
            backends: { issuer: { users: { ada: { password: wonder } } } }
            notifications:
              permission: granted
              media: { hosts: ["127.0.0.1"] }
              handlers: { hook: { on: any }, show: { on: presentable, present: [list] } }
            background:
              retry: { min: 100ms, max: 1s }
              downloads: { directory: files }
              tasks: { nightly: { attempts: 1 } }
            push:
              providers: [firebase]
              tokens: { firebase: app }
              registrars:
                mine:
                  type: rest
                  url: devices
                  apiKey: of-the-registrar
                  register: { body: '{"token":"{{ token }}"}' }
                ups: { type: unifiedPush, url: ups, variantId: variant, variantSecret: of-the-variant }
            content: { modules: { news: { name: News } } }
            device: {}
            metrics: {}
            api: { socket: auto }

            """
    }

    /// The targets the stranger is asked for, whatever the file says of tokens, and those that never carry one.
    private static let carriers = [
        "/hook", "/outbox", "/download", "/task", "/events", "/socket", "/devices", "/device",
    ]
    private static let others = ["/picture.png", "/metrics", "/ups/rest/registry/device"]

    private static func leaveByAll(_ runner: RunningRunner, _ server: RecordingServer) async throws {
        try await runner.signIn(as: "ada", "wonder")
        let notification = #"{"id":"n1","title":"t","body":"b","image":"\#(server.url)/picture.png"}"#
        for (path, body) in [
            ("/v1/notifications", notification), ("/v1/outbox", #"{"path":"\#(server.url)/outbox","json":{}}"#),
            ("/v1/downloads", #"{"address":"\#(server.url)/download"}"#), ("/v1/tasks/nightly/run", "{}"),
        ] {
            let answer = try await runner.ask("POST", path, json, text: body)
            #expect(answer.status < 300, "\(path): \(answer.text)")
        }
        let token = #"{"token":"provider-token-of-this-device"}"#
        #expect(try await runner.ask("PUT", "/v1/push/tokens/firebase", json, text: token).status < 300)
        for target in carriers + others + ["/content"] {
            let isThere = await eventually { server.requests.contains { $0.contains(" \(target)") } }
            #expect(isThere, "nothing asked for \(target): \(server.asked)")
        }
    }

    private static func secrets(of runner: RunningRunner) async throws -> String {
        let answer = try await runner.ask("GET", "/v1/network/echo/now", ["X-Corewire: 1"])
        let field = try JSONValue(parsing: answer.body, named: "echo")["fields"]?["Authorization"]?.string
        return try #require(field, "the server of the base URL is given the token")
    }

    @Test("no service sends a token to an undeclared server, and each registrar has its own secret")
    func unnamed() async throws {
        let server = try RecordingServer()
        let runner = try await RunningRunner(Self.file(server.port))
        try await Self.leaveByAll(runner, server)
        let token = try await Self.secrets(of: runner)
        let bare = try #require(token.split(separator: " ").last)
        for request in server.requests {
            #expect(!request.contains(bare) && !request.contains("Bearer") && !request.contains("eyJ"), "\(request)")
            let target = request.split(separator: " ")[1]
            #expect(target.hasPrefix("/ups") || !request.contains("Authorization:"), "\(request)")
            #expect(target.hasPrefix("/devices") || !request.contains("of-the-registrar"), "\(request)")
            let basic = Data("variant:of-the-variant".utf8).base64EncodedString()
            #expect(target.hasPrefix("/ups") == request.contains(basic), "\(request)")
        }
        #expect(try await runner.stop() == 0)
    }

    @Test("a server in 'network.tokenHosts' gets the token from every service that sends one")
    func named() async throws {
        let server = try RecordingServer()
        let file = Self.file(
            server.port,
            tokenHosts: "\"127.0.0.1:\(server.port)\"",
            authorization: ", authorization: user"
        )
        let runner = try await RunningRunner(file)
        try await Self.leaveByAll(runner, server)
        for target in Self.carriers + ["/content"] {
            let carries = await eventually {
                server.requests.contains { $0.contains(" \(target)") && $0.contains("\r\nAuthorization: Bearer eyJ") }
            }
            #expect(carries, "\(target): \(server.requests.filter { $0.contains(" \(target)") })")
        }
        for request in server.requests where Self.others.contains(where: { request.contains(" \($0)") }) {
            #expect(!request.contains("Bearer"), "\(request)")
        }
        #expect(try await runner.stop() == 0)
    }

    @Test("a request with a token to an undeclared server is rejected when it is posted, and never sent")
    func refused() async throws {
        let server = try RecordingServer()
        let runner = try await RunningRunner(Self.file(server.port, authorization: ", authorization: user"))
        try await runner.signIn(as: "ada", "wonder")
        for whose in ["user", "app", "appPlus", "token"] {
            let post = #"{"path":"\#(server.url)/asked","authorization":"\#(whose)"}"#
            let refused = try await runner.ask("POST", "/v1/outbox", Self.json, text: post)
            #expect(refused.status == 400 && refused.text.contains("network.tokenHosts"), "\(refused.text)")
            let wish = #"{"address":"\#(server.url)/asked","authorization":"\#(whose)"}"#
            let download = try await runner.ask("POST", "/v1/downloads", Self.json, text: wish)
            #expect(download.status == 422 && download.text.contains("network.tokenHosts"), "\(download.text)")
        }
        let typed = try runner.corewire(["outbox", "post", "\(server.url)/asked", "--authorization", "user"])
        #expect(typed.status == 1 && typed.everything.contains("network.tokenHosts"), "\(typed.everything)")
        let run = try await runner.ask("POST", "/v1/tasks/nightly/run?wait", Self.json, text: "{}")
        #expect(
            run.text.contains("network.tokenHosts") || run.text.contains("not the server of the base URL"),
            "\(run.text)"
        )
        _ = try await runner.ask("POST", "/v1/notifications", Self.json, text: #"{"id":"n1","title":"t"}"#)
        #expect(
            try await eventually {
                try await runner.ask("GET", "/v1/notifications/n1").text.contains("not the server of the base URL")
            }
        )
        let strange = server.asked.filter { asked in
            ["/asked", "/task", "/hook", "/events", "/socket", "/devices"].contains { asked.hasSuffix($0) }
        }
        #expect(strange.isEmpty, "\(strange)")
        #expect(try await runner.stop() == 0)
    }
}
