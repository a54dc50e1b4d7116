import Foundation
import Support
import Testing

/// A push service, an app server, and a runner that registers with both.
struct WebPushScene {
    let service: ScriptedServer
    let sender: ScriptedServer
    let home: TemporaryFolder
    let environment: [String: String]
    var runner: RunningRunner

    init(signed: Bool = false, with keys: String = "") async throws {
        let service = try await ScriptedServer(push: "autopush")
        let url = "ws://127.0.0.1:\(service.readyWords[0])"
        try await self.init(at: service, "type: autopush, url: \"\(url)\"\(keys)", signed: signed)
    }

    /// A runner with endpoints at the double of a service.
    init(at carrier: PushCarrier) async throws {
        let service = try await carrier.start()
        try await self.init(at: service, carrier.source(at: service))
    }

    /// Returns once the app server has the device, or at once.
    init(
        at service: ScriptedServer,
        _ source: String,
        signed: Bool = false,
        environment: [String: String] = [:],
        more: String = "",
        arguments: [String] = [],
        waits: Bool = true
    ) async throws {
        (self.service, self.environment) = (service, environment)
        sender = try await ScriptedServer(push: "app_server", signed ? ["--sign"] : [])
        home = try TemporaryFolder()
        let vapid = signed ? "vapid: \(sender.readyWords[1])" : ""
        runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            \(more)
            push:
              providers: [webPush]
              tokens: { webPush: { \(source) } }
              registrars:
                mine:
                  type: rest
                  url: "http://127.0.0.1:\(sender.readyWords[0])"
                  register: { method: PUT, path: devices, body: '\(Self.body)' }
                  unregister: { method: DELETE, path: devices, body: '{"endpoint":{{ endpoint | json }}}' }
                  \(vapid)
            notifications:
              permission: granted
              handlers: { show: { on: presentable, present: [list] } }
            """,
            in: home,
            arguments: arguments,
            environment: environment
        )
        if waits { try await sender.saw("registered") }
    }

    private static let body = """
        {"endpoint":{{ endpoint | json }},"p256dh":{{ p256dh | json }},"auth":{{ auth | json }},"old":{{ oldEndpoint | json }}}
        """

    /// What a server gets to send to the device.
    struct Subscription: Decodable {
        struct Keys: Decodable { let p256dh, auth: String }

        let endpoint: String
        let keys: Keys
    }

    /// The subscription that the command prints.
    func subscription() throws -> Subscription {
        let printed = try runner.corewire(["push", "subscription"]).output
        return try JSONDecoder().decode(Subscription.self, from: Data(printed.utf8))
    }

    /// Whether the app server gets the subscription that follows another one.
    func hasReplaced(_ former: Subscription) async -> Bool {
        await eventually {
            // In between there may be none.
            guard let next = try? subscription().endpoint, next != former.endpoint else { return false }
            return sender.all.last { $0.hasPrefix("registered") }?.hasSuffix(next) ?? false
        }
    }

    func listed() throws -> [ListedNotification] { try runner.listed() }

    /// The bodies in the order of their arrival, once there are so many.
    func bodies(_ count: Int) async throws -> [String] {
        _ = try await eventually { try listed().count >= count }
        return try listed().reversed().compactMap(\.body)
    }

    /// Whether these bodies are listed, in the order of their arrival; one that replaces another may be shown last.
    func lists(_ bodies: [String]) async throws -> Bool {
        try await eventually { try listed().reversed().compactMap(\.body) == bodies }
    }

    /// Kills the runner ten times while eight messages each are sent; each is then listed once.
    mutating func killWhileSending() async throws {
        for round in 1...10 {
            let sender = sender
            async let sending: Void = sender.tell("each 8 Round \(round), message")
            // A different moment of the handling each time.
            for _ in 0..<(round * 5) { await breath() }
            try await restart()
            try await sending
        }
        let bodies = try await bodies(80)
        #expect(bodies.count == 80 && Set(bodies).count == 80, "\(bodies.count)")
    }

    mutating func restart() async throws {
        try await runner.kill()
        try await start()
    }

    mutating func start() async throws {
        runner = try await RunningRunner(nil, in: home, environment: environment)
    }
}
