import Foundation
import Support
import Testing

/// BY-15: a registered device receives what a standard sender encrypts; AC-5: its subscription is made and deleted.
@Suite(
    "Web Push to endpoints at a service, with the built runner",
    .serialized,
    .enabled(if: ScriptedServer.hasModules("aiohttp, pywebpush, websockets"))
)
struct WebPushProgramTests {
    private static let mapping = """
        id: meta.id, expires: until, \
        payload: { title: alert.head, body: alert.text, urgency: level, buttons: choices, data: meta }
        """

    @Test("a message of pywebpush is shown, and acknowledged", .timeLimit(.minutes(2)))
    func shown() async throws {
        let scene = try await WebPushScene()
        try await scene.sender.tell(#"send {"title":"Ward","body":"Bed 4 is free"}"#)
        try await scene.service.saw("ack ")
        let item = try #require(try await eventually { try !scene.listed().isEmpty } ? try scene.listed().first : nil)
        #expect(item.title == "Ward" && item.body == "Bed 4 is free")
        try await scene.sender.tell("send Pump 3 is off")
        #expect(try await scene.bodies(2) == ["Bed 4 is free", "Pump 3 is off"])
        try await scene.runner.stop()
    }

    @Test(
        "messages sent while the runner is away arrive, in order and once",
        .timeLimit(.minutes(2)),
        arguments: PushCarrier.allCases
    )
    func away(_ carrier: PushCarrier) async throws {
        var scene = try await WebPushScene(at: carrier)
        try await scene.runner.kill()
        try await scene.sender.tell("each 25 Alarm")
        try await scene.start()
        #expect(try await scene.bodies(25) == (1...25).map { "Alarm \($0)" })
        // Behind unacknowledged messages the service sends no others.
        if carrier == .autopush { try await scene.service.saw("ack", times: 25) }
        try await scene.runner.stop()
    }

    @Test(
        "killed again and again while messages arrive, the runner loses none and lists each once",
        .timeLimit(.minutes(5)),
        arguments: PushCarrier.allCases
    )
    func killed(_ carrier: PushCarrier) async throws {
        var scene = try await WebPushScene(at: carrier)
        try await scene.killWhileSending()
        try await scene.runner.stop()
    }

    @Test(
        "a line cut in the middle of a backlog repeats what was not acknowledged",
        .timeLimit(.minutes(2)),
        arguments: PushCarrier.allCases
    )
    func cut(_ carrier: PushCarrier) async throws {
        var scene = try await WebPushScene(at: carrier)
        try await scene.runner.kill()
        try await scene.sender.tell("each 25 Alarm")
        if carrier == .ntfy { try await scene.service.tell("cut after 10 half") }
        try await scene.start()
        switch carrier {
        case .autopush:
            try await scene.service.saw("ack", times: 3)
            try await scene.service.tell("cut")
        case .ntfy:
            try await scene.service.saw("cut ")
            try await scene.service.tell("cut never")
        }
        let bodies = try await scene.bodies(25)
        #expect(bodies.count == 25 && Set(bodies).count == 25)
        try await scene.runner.stop()
    }

    @Test("what cannot be decrypted blocks nothing", .timeLimit(.minutes(2)))
    func poison() async throws {
        var scene = try await WebPushScene()
        try await scene.runner.kill()
        for command in ["poison", "obsolete", "empty", "send Bed 4 is free"] { try await scene.sender.tell(command) }
        try await scene.start()
        #expect(try await scene.bodies(1) == ["Bed 4 is free"])
        try await scene.service.saw("ack", times: 4)
        let codes = scene.service.all.filter { $0.hasPrefix("ack ") }.compactMap { $0.split(separator: " ").last }
        #expect(codes == ["101", "101", "100", "100"])
        #expect(scene.runner.log.contains("its encoding 'aesgcm' is not supported"))
        try await scene.runner.stop()
    }

    @Test("forgotten by the service, the device subscribes again and tells its servers", .timeLimit(.minutes(2)))
    func forgotten() async throws {
        let scene = try await WebPushScene()
        try await scene.service.tell("drop uaid")
        try await scene.service.tell("cut")
        try await scene.sender.saw("registered 1 instead")
        try await scene.sender.tell("send Here again")
        #expect(try await scene.bodies(1) == ["Here again"])
        try await scene.runner.stop()
    }

    @Test("forgotten by an ntfy server, the topics are read again, and their endpoints stay", .timeLimit(.minutes(2)))
    func restarted() async throws {
        let scene = try await WebPushScene(at: .ntfy)
        let subscription = try scene.subscription()
        let before = scene.service.count("stream ")
        try await scene.service.tell("forget")
        try await scene.service.tell("restart")
        try await scene.service.saw("stream ", times: before + 1)
        try await scene.sender.tell("send Here again")
        #expect(try await scene.bodies(1) == ["Here again"])
        #expect(try scene.subscription().endpoint == subscription.endpoint)
        #expect(scene.sender.count("registered") == 1, "\(scene.sender.all)")
        try await scene.runner.stop()
    }

    @Test("with 'vapid', only the server with that key can send", .timeLimit(.minutes(2)))
    func signed() async throws {
        let scene = try await WebPushScene(signed: true)
        #expect(scene.service.all.contains { $0.hasPrefix("register ") && $0.hasSuffix("v2 200") })
        try await scene.sender.tell("send Signed")
        try await scene.sender.tell("forge")
        try await scene.sender.tell("send Forged")
        #expect(scene.sender.all.contains("sent 201") && scene.sender.all.contains("sent 401"), "\(scene.sender.all)")
        #expect(try await scene.bodies(1) == ["Signed"])
        try await scene.runner.stop()
    }

    @Test("new keys replace the former ones once the server has them", .timeLimit(.minutes(2)))
    func renewed() async throws {
        let scene = try await WebPushScene()
        let former = try scene.runner.corewire(["push", "subscription"]).output
        // Until the server has the new keys, messages for the former ones still arrive.
        try await scene.sender.tell("refuse 503 2 0")
        #expect(try scene.runner.corewire(["push", "token", "remove", "webPush"]).status == 0)
        try await scene.service.saw("register ", times: 2)
        try await scene.sender.tell("send To the former keys")
        #expect(try await scene.bodies(1) == ["To the former keys"])
        try await scene.sender.saw("registered 1 instead")
        try await scene.service.saw("unregister ")
        try await scene.sender.tell("send To the new keys")
        #expect(try await scene.bodies(2) == ["To the former keys", "To the new keys"])
        #expect(try scene.runner.corewire(["push", "subscription"]).output != former)
        try await scene.runner.stop()
    }

    @Test("after 'push unsubscribe' neither server nor service has the device", .timeLimit(.minutes(2)))
    func unsubscribed() async throws {
        let scene = try await WebPushScene()
        #expect(try scene.runner.corewire(["push", "unsubscribe", "--wait"]).status == 0)
        try await scene.sender.saw("left 1")
        try await scene.service.saw("unregister ")
        try await scene.service.saw("closed ")
        let refused = try scene.runner.corewire(["push", "subscription"])
        #expect(refused.status == 1, "\(refused.everything)")
        try await scene.runner.stop()
    }

    @Test("two runners with copies of one store do not throw each other off again and again", .timeLimit(.minutes(2)))
    func copied() async throws {
        let scene = try await WebPushScene()
        let copy = try TemporaryFolder()
        try await scene.runner.stop()
        let copied = try Program.run("cp", ["-a", "\(scene.home.url.path)/.", copy.url.path])
        #expect(copied.status == 0, "\(copied.everything)")
        let first = try await RunningRunner(nil, in: scene.home)
        try await scene.service.saw("hello ", times: 2)
        let second = try await RunningRunner(nil, in: copy)
        try await scene.service.saw("ghost ")
        let isTold = await eventually { first.log.contains("probably for another runner with the same account") }
        #expect(isTold, "\(first.log)")
        let status = try await first.ask("GET", "/metrics").text
        #expect(status.contains("stream_connected{stream=\"push.webPush\"} 0"))
        try await first.stop()
        try await second.stop()
        #expect(scene.service.count("hello ") == 3)
    }

    @Test("the subscription is in no output but that of its command", .timeLimit(.minutes(2)))
    func secret() async throws {
        let scene = try await WebPushScene()
        let subscription = try scene.subscription()
        #expect(subscription.endpoint.contains("/wpush/v1/"))
        try await scene.sender.tell("refuse 400")
        _ = try scene.runner.corewire(["push", "register", "--wait"])
        var outputs = [scene.runner.log]
        for command in [
            ["push", "status"], ["push", "status", "--format", "json"], ["status"], ["validate-config"], ["doctor"],
            ["outbox", "list", "--format", "json"],
        ] { outputs.append(try scene.runner.corewire(command).everything) }
        outputs.append(try await scene.runner.ask("GET", "/metrics").text)
        let secrets = [String(subscription.endpoint.suffix(20)), subscription.keys.p256dh, subscription.keys.auth]
        for output in outputs { for secret in secrets { #expect(!output.contains(secret), "\(output)") } }
        try await scene.runner.stop()
    }

    /// What a sender with fields of its own sends, and what is shown of it.
    private static func sendMapped(_ sender: ScriptedServer) async throws {
        for message in [
            #"{"meta":{"id":"m-1"},"alert":{"head":"Ward","text":"Bed 4 is free"},"level":"low"}"#,
            #"{"meta":{"id":"m-2"},"welcome":true}"#,
            #"{"meta":{"id":"m-3"},"alert":{"text":"Too late"},"until":"2001-01-01T00:00:00Z"}"#,
            #"{"meta":{"id":"m-1"},"alert":{"head":"Ward","text":"Bed 4 is free"},"level":"low"}"#,
            #"{"meta":{"id":"m-1"},"alert":{"head":"Ward","text":"Bed 4 is taken"}}"#,
            #"{"meta":{"id":"m-4"},"alert":{"text":"Bed 5 is free"},"choices":[{"label":"Take"}]}"#,
        ] { try await sender.tell("send \(message)") }
    }

    @Test("fields of messages become parts; newer content of an id replaces", .timeLimit(.minutes(2)))
    func mapped() async throws {
        let scene = try await WebPushScene(with: ", \(Self.mapping)")
        try await Self.sendMapped(scene.sender)
        try await scene.service.saw("ack ", times: 6)
        #expect(try await scene.lists(["Bed 4 is taken", "Bed 5 is free"]))
        let ids = try scene.listed().map(\.id)
        #expect(Set(ids) == ["push.webPush:mine:m-1", "push.webPush:mine:m-4"], "\(ids)")
        #expect(try scene.listed().compactMap(\.buttons?.first?.label) == ["Take"])
        try await scene.runner.stop()
    }

    @Test("fields of messages to endpoints at an ntfy server become parts", .timeLimit(.minutes(2)))
    func mappedAtNtfy() async throws {
        let service = try await ScriptedServer(push: "ntfy", ["--keepalive", "0.2", "--up-write"])
        let url = "http://127.0.0.1:\(service.readyWords[0])"
        let scene = try await WebPushScene(at: service, "type: ntfy, url: \"\(url)\", \(Self.mapping)")
        try await Self.sendMapped(scene.sender)
        #expect(try await scene.lists(["Bed 4 is taken", "Bed 5 is free"]))
        try await scene.runner.stop()
    }

    @Test("equal messages are notifications of their own, unless they have an id", .timeLimit(.minutes(2)))
    func unmapped() async throws {
        let scene = try await WebPushScene()
        for message in [
            #"{"id":"door","body":"Ring"}"#, #"{"id":"door","body":"Ring"}"#,
            #"{"messageId":"m-1","title":"Ward","body":"Bed 4 is free"}"#,
            #"{"messageId":"m-1","title":"Ward","body":"Bed 4 is free"}"#,
            #"{"messageId":"m-1","title":"Ward","body":"Bed 4 is taken"}"#,
            #"{"web_push":8030,"notification":{"title":"Ward","body":"Bed 5 is free","navigate":"https://e.com"}}"#,
        ] { try await scene.sender.tell("send \(message)") }
        #expect(try await scene.lists(["Ring", "Ring", "Bed 4 is taken", "Bed 5 is free"]))
        #expect(try scene.listed().map(\.id).contains("mine:m-1"))
        try await scene.runner.stop()
    }

    @Test("endpoints at an ntfy server work the same", .timeLimit(.minutes(2)))
    func ntfy() async throws {
        let scene = try await WebPushScene(at: .ntfy)
        try await scene.sender.tell("send Bed 4 is free")
        try await scene.sender.tell("poison")
        try await scene.sender.tell(#"send {"title":"Ward","body":"Bed 5 is free"}"#)
        #expect(try await scene.bodies(2) == ["Bed 4 is free", "Bed 5 is free"])
        try await scene.runner.stop()
    }
}
