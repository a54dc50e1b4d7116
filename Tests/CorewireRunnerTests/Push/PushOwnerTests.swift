import Foundation
import Support
import Testing

/// BY-15: a subscription ends with its user; BY-14: two environments have different ones.
@Suite(
    "Web Push when the user or the environment changes",
    .serialized,
    .enabled(if: ScriptedServer.hasModules("aiohttp, pywebpush, websockets, dbus_fast"))
)
struct PushOwnerTests {
    private static let environments = """
        environment: dev
        environments:
          dev: { baseUrl: "https://dev.example.com" }
          other: { baseUrl: "https://other.example.com" }
        """

    /// Sends a message to a former endpoint, as a server that still has it; returns the status.
    private static func post(to endpoint: String) throws -> String {
        let fields = ["-H", "TTL: 60", "-H", "Content-Encoding: aes128gcm"]
        let sent = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--data-binary", "x"] + fields + [endpoint]
        return try Program.run("curl", sent).output
    }

    @Test(
        "after a switch the service ends the former subscription, and the new one is another",
        .timeLimit(.minutes(2))
    )
    func switched() async throws {
        let service = try await PushCarrier.autopush.start()
        let scene = try await WebPushScene(
            at: service,
            PushCarrier.autopush.source(at: service),
            more: Self.environments
        )
        let former = try scene.subscription()
        let channel = try #require(service.all.first { $0.hasPrefix("register ") }).split(separator: " ")[1]
        #expect(try scene.runner.corewire(["env", "use", "other"]).status == 0)
        try await service.saw("unregister \(channel)")
        #expect(await scene.hasReplaced(former))
        let next = try scene.subscription()
        #expect(next.endpoint != former.endpoint && next.keys.p256dh != former.keys.p256dh)
        #expect(try Self.post(to: former.endpoint) == "410")
        try await scene.sender.tell("send Bed 4 is free")
        #expect(try await scene.bodies(1) == ["Bed 4 is free"])
        #expect(try scene.runner.corewire(["env", "use", "dev"]).status == 0)
        #expect(await scene.hasReplaced(next))
        #expect(try await eventually { try Self.post(to: next.endpoint) == "410" })
        #expect(try scene.listed().isEmpty)
        try await scene.sender.tell("send Bed 5 is free")
        #expect(try await scene.bodies(1) == ["Bed 5 is free"])
        // Each environment has registered one endpoint a time.
        #expect(scene.sender.count("registered") == 3, "\(scene.sender.all)")
        try await scene.runner.stop()
    }

    @Test("after a switch the former topic at an ntfy server is not read any more", .timeLimit(.minutes(2)))
    func switchedAtNtfy() async throws {
        let service = try await PushCarrier.ntfy.start()
        let scene = try await WebPushScene(
            at: service,
            PushCarrier.ntfy.source(at: service),
            more: Self.environments
        )
        let former = try scene.subscription()
        let topic = try #require(service.all.last { $0.hasPrefix("stream ") }).split(separator: " ")[1]
        try await scene.sender.tell("send Bed 4 is free")
        #expect(try await scene.bodies(1) == ["Bed 4 is free"])
        #expect(try scene.runner.corewire(["env", "use", "other"]).status == 0)
        #expect(await scene.hasReplaced(former))
        #expect(await eventually { service.all.last { $0.hasPrefix("stream ") }?.contains(topic) == false })
        try await service.saw("closed \(topic)")
        _ = try Self.post(to: former.endpoint)
        try await scene.sender.tell("send Bed 5 is free")
        #expect(try await scene.bodies(1) == ["Bed 5 is free"])
        try await scene.runner.stop()
    }

    @Test(
        "at sign-out the subscription ends, and the next user has another",
        .timeLimit(.minutes(2)),
        arguments: PushCarrier.allCases
    )
    func signedOut(_ carrier: PushCarrier) async throws {
        let (users, service) = (try await PushUsers(), try await carrier.start())
        let scene = try await WebPushScene(
            at: service,
            carrier.source(at: service),
            more: users.section,
            waits: false
        )
        #expect(scene.sender.count("registered") == 0)
        try await scene.runner.signIn(as: "ada", "wonder")
        try await scene.sender.saw("registered 1")
        let ofAda = try scene.subscription()
        try await scene.runner.signOut()
        try await scene.sender.saw("left 1")
        #expect(try await eventually { try scene.runner.corewire(["push", "subscription"]).status == 1 })
        switch carrier {
        case .autopush:
            try await service.saw("unregister ")
            #expect(try await eventually { try Self.post(to: ofAda.endpoint) == "410" })
        case .ntfy:
            // An ntfy server has no subscriptions to end: the topic is not read any more.
            try await service.saw("closed ")
            _ = try Self.post(to: ofAda.endpoint)
        }
        try await scene.runner.signIn(as: "bob", "builder")
        try await scene.sender.saw("registered 1", times: 2)
        let ofBob = try scene.subscription()
        #expect(ofBob.endpoint != ofAda.endpoint && ofBob.keys.p256dh != ofAda.keys.p256dh)
        if carrier == .autopush {
            // The service cannot tell that both are at one device.
            let names = service.all.filter { $0.hasPrefix("hello ") }.map { $0.split(separator: " ")[1] }
            #expect(Set(names).count == 2, "\(names)")
        } else {
            let topics = service.all.filter { $0.hasPrefix("stream ") }.map { $0.split(separator: " ")[1] }
            #expect(topics.allSatisfy { !$0.contains(",") }, "\(topics)")
        }
        try await scene.sender.tell("send Bed 4 is free")
        #expect(try await scene.bodies(1) == ["Bed 4 is free"])
        try await scene.runner.stop()
        try await users.runner.stop()
    }

    @Test("at sign-out the registration ends on the bus, and the next user has another", .timeLimit(.minutes(2)))
    func unregistered() async throws {
        let (users, daemon) = (try await PushUsers(), try BusDaemon())
        let distributor = try await ScriptedServer(push: "distributor", [daemon.address])
        let scene = try await WebPushScene(
            at: distributor,
            "type: distributor",
            environment: ["DBUS_SESSION_BUS_ADDRESS": daemon.address],
            more: users.section,
            waits: false
        )
        try await scene.runner.signIn(as: "ada", "wonder")
        try await scene.sender.saw("registered 1")
        try await distributor.tell("tokens")
        let ofAda = try await distributor.saw("token ")
        try await scene.runner.signOut()
        try await scene.sender.saw("left 1")
        try await distributor.saw("unregister 1")
        try await scene.runner.signIn(as: "bob", "builder")
        try await scene.sender.saw("registered 1", times: 2)
        try await distributor.tell("tokens")
        #expect(try await distributor.saw("token ", times: 2) != ofAda)
        try await scene.sender.tell("send Bed 4 is free")
        #expect(try await scene.bodies(1) == ["Bed 4 is free"])
        try await scene.runner.stop()
        try await users.runner.stop()
    }

    @Test("after a switch the former registration ends on the bus", .timeLimit(.minutes(2)))
    func switchedOnBus() async throws {
        let daemon = try BusDaemon()
        let distributor = try await ScriptedServer(push: "distributor", [daemon.address])
        let scene = try await WebPushScene(
            at: distributor,
            "type: distributor",
            environment: ["DBUS_SESSION_BUS_ADDRESS": daemon.address],
            more: Self.environments
        )
        let former = try scene.subscription()
        #expect(try scene.runner.corewire(["env", "use", "other"]).status == 0)
        try await distributor.saw("unregister 1")
        try await scene.sender.saw("registered", times: 2)
        #expect(try scene.subscription().endpoint != former.endpoint)
        #expect(try Self.post(to: former.endpoint) == "410")
        try await scene.sender.tell("send Bed 4 is free")
        #expect(try await scene.bodies(1) == ["Bed 4 is free"])
        try await scene.runner.stop()
    }
}
