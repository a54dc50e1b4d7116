import Foundation
import Support
import Testing

/// The ways by which pushes reach a runner.
enum PushTransport: String, CaseIterable, CustomTestStringConvertible {
    case autopush, ntfyEndpoints, distributor, ntfy, gotify, mqtt

    var testDescription: String { rawValue }

    static let areThere =
        ScriptedServer.hasModules("aiohttp, pywebpush, websockets, dbus_fast") && Mosquitto.isInstalled
}

/// A runner that reads pushes of one transport, and the secrets of that transport.
struct SecrecyScene: Sendable {
    let runner: RunningRunner
    let secrets: [String: String]
    /// Sends a message to the runner.
    let send: @Sendable (String) async throws -> Void
    /// Makes servers reject the runner.
    let refuse: @Sendable () async throws -> Void
    /// Makes the server unreachable.
    let cut: @Sendable () async throws -> Void

    init(_ transport: PushTransport) async throws {
        switch transport {
        case .autopush:
            let service = try await ScriptedServer(push: "autopush")
            try await self.init(
                endpointsAt: service,
                "type: autopush, url: \"ws://127.0.0.1:\(service.readyWords[0])\""
            ) {
                try await service.tell("refuse 403")
                try await service.tell("cut")
            } secrets: {
                let uaid = try await service.saw("hello ").split(separator: " ")[1]
                let channel = try await service.saw("register ").split(separator: " ")[1]
                return ["uaid": String(uaid), "channel": String(channel)]
            }
        case .ntfyEndpoints:
            let token = "tk_9f2kq7w1mz4x8c3v5b6n0a"
            let service = try await ScriptedServer(push: "ntfy", ["--up-write", "--token", token])
            try await self.init(
                endpointsAt: service,
                "type: ntfy, url: \"http://127.0.0.1:\(service.readyWords[0])\", token: \(token)"
            ) {
                try await service.tell("refuse 403")
                try await service.tell("cut")
            } secrets: {
                ["token": token, "topic": String(try await service.saw("stream ").split(separator: " ")[1])]
            }
        case .distributor:
            let daemon = try BusDaemon()
            let service = try await ScriptedServer(push: "distributor", [daemon.address])
            try await self.init(
                endpointsAt: service,
                "type: distributor",
                variables: ["DBUS_SESSION_BUS_ADDRESS": daemon.address],
                cut: { daemon.end() }
            ) {
                try await service.tell("fail INTERNAL_ERROR")
                try await service.tell("leave")
                try await service.tell("come")
            } secrets: {
                try await service.tell("tokens")
                return ["token": String(try await service.saw("token ").split(separator: " ")[1])]
            }
        case .ntfy: try await self.init(ntfy: "kq7w1mz4x8c3v5b6", token: "tk_2b6n0a9f2kq7w1mz4x8c3")
        case .gotify: try await self.init(gotify: "CkT4_wq.81bLpZr")
        case .mqtt: try await self.init(mqtt: "pa55-9f2kq7w1mz4x8c3v")
        }
    }

    // MARK: Web Push

    private init(
        endpointsAt service: ScriptedServer,
        _ source: String,
        variables: [String: String] = [:],
        cut: (@Sendable () async throws -> Void)? = nil,
        refuse: @escaping @Sendable () async throws -> Void,
        secrets: () async throws -> [String: String]
    ) async throws {
        let scene = try await WebPushScene(
            at: service,
            source,
            environment: variables,
            more: Self.environments,
            arguments: Self.arguments
        )
        (runner, self.cut) = (scene.runner, cut ?? { try await service.tell("cut") })
        var found = try await secrets()
        let subscription = try scene.subscription()
        found["endpoint"] = subscription.endpoint
        found["end of the endpoint"] = try #require(URL(string: subscription.endpoint)).lastPathComponent
        (found["p256dh"], found["auth"]) = (subscription.keys.p256dh, subscription.keys.auth)
        self.secrets = found
        send = { try await scene.sender.tell("send \($0)") }
        self.refuse = {
            try await scene.sender.tell("refuse 400")
            _ = try scene.runner.corewire(["push", "register", "--wait"])
            try await refuse()
        }
    }

    // MARK: Streams

    private init(ntfy topic: String, token: String) async throws {
        let password = "w0rd-9f2kq7w1mz4x8c3v"
        let service = try await ScriptedServer(push: "ntfy", ["--token", token, "--user", "cart:\(password)"])
        let url = "http://127.0.0.1:\(service.readyWords[0])"
        runner = try await Self.runner(
            """
            alerts: { type: ntfy, url: "\(url)", topics: [\(topic)], token: \(token) }
                more: { type: ntfy, url: "\(url)", topics: [\(topic)-2], username: cart, password: "\(password)" }
            """
        )
        try await service.saw("stream ", times: 2)
        secrets = ["topic": topic, "token": token, "password": password]
        send = { text in
            let run = try Program.run(
                "curl",
                ["-sS", "-d", text, "-H", "Authorization: Bearer \(token)", "\(url)/\(topic)"]
            )
            #expect(run.output.contains("\"message\""), "\(run.everything)")
        }
        refuse = {
            try await service.tell("refuse 403")
            try await service.tell("cut")
        }
        cut = { try await service.tell("cut") }
    }

    private init(gotify token: String) async throws {
        let service = try await ScriptedServer(push: "gotify", ["--client", token])
        let url = "http://127.0.0.1:\(service.readyWords[0])"
        runner = try await Self.runner("phone: { type: gotify, url: \"\(url)\", token: \(token) }")
        try await service.saw("page ")
        secrets = ["token": token]
        send = { try await service.tell("publish {\"message\":\"\($0)\"}") }
        refuse = {
            try await service.tell("refuse 401")
            try await service.tell("cut")
        }
        cut = { try await service.tell("cut") }
    }

    private init(mqtt password: String) async throws {
        let wrong = "wr0ng-1mz4x8c3v5b6n0a"
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("passwords").path
        let made = try Program.run("mosquitto_passwd", ["-b", "-c", file, "cart", password])
        try #require(made.status == 0, "\(made.everything)")
        let broker = try await Mosquitto("allow_anonymous false\npassword_file \(file)")
        let stream = "type: mqtt, url: \"mqtt://127.0.0.1:\(broker.port)\", topics: [\"wards/#\"], username: cart"
        // The broker rejects one of them from the beginning on.
        runner = try await Self.runner(
            """
            ward: { \(stream), password: \(password) }
                wrong: { \(stream), clientId: other, password: \(wrong) }
            """
        )
        #expect(await broker.saw("Sending SUBACK to"))
        secrets = ["password": password, "wrong password": wrong]
        send = { try broker.publish($0, to: "wards/3B", ["-q", "1", "-u", "cart", "-P", password]) }
        refuse = {}
        cut = {
            try await broker.stop()
            _ = folder
        }
    }

    // MARK: The file

    static let environments = """
        environment: dev
        environments:
          dev: { baseUrl: "https://dev.example.com" }
          other: { baseUrl: "https://other.example.com" }
        api: { listen: "127.0.0.1:0" }
        """

    private static let arguments = ["--log-level", "debug"]

    private static func runner(_ streams: String) async throws -> RunningRunner {
        try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            \(environments)
            notifications:
              permission: granted
              handlers: { show: { on: presentable, present: [list] } }
              streams:
                \(streams)
            """,
            arguments: arguments
        )
    }
}
