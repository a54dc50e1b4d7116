import Foundation
import Support
import Testing

@Suite("'corewire push send' through the built programs", .enabled(if: WebPushPeers.areThere))
struct PushSendTests {
    /// The double of Mozilla's service with a subscription of an independent receiver.
    private struct Scene {
        let service: ScriptedServer
        let peers: WebPushPeers
        let home: TemporaryFolder
        private static let channel = "5f0c7ee1-0b5d-4f8e-9a3a-3f4a2b1c0d9e"

        /// `key` is the public key of the only sender.
        init(key: String = "") async throws {
            service = try await ScriptedServer(push: "autopush")
            peers = try await WebPushPeers(of: "ws://127.0.0.1:\(service.readyWords[0])")
            home = try TemporaryFolder()
            _ = try await peers.greet("ada")
            let sender = key.isEmpty ? "" : #","key":"\#(key)""#
            try await peers.tell(#"say ada {"messageType":"register","channelID":"\#(Self.channel)"\#(sender)}"#)
            let registered = try await peers.process.saw("registered ada \(Self.channel) 200 ")
            let endpoint = try #require(registered.split(separator: " ").last)
            try await peers.tell("subscription ada \(endpoint)")
            let line = try await peers.process.saw("subscription ada ")
            let json = try #require(line.split(separator: " ").last.flatMap { Data(base64Encoded: String($0)) })
            try home.write(json, to: "subscription")
        }

        func send(_ arguments: String..., input: Data? = nil) throws -> Run {
            try Program.corewire(["push", "send"] + arguments, in: home.url, input: input)
        }
    }

    private static func publicKey(_ file: String, in folder: TemporaryFolder) throws -> String {
        let run = try Program.corewire(["push", "vapid-key", file], in: folder.url)
        #expect(run.status == 0, "\(run.everything)")
        return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("an independent receiver decrypts a message", .timeLimit(.minutes(2)))
    func sent() async throws {
        let scene = try await Scene()
        let run = try scene.send(
            "--subscription",
            "subscription",
            "Ward",
            "Bed 4 is free",
            "--data",
            "bed=4",
            "--urgency",
            "critical",
            "--ttl",
            "10m",
            "--topic",
            "beds"
        )
        #expect(run.status == 0 && run.output == "sent\n" && run.errors.isEmpty, "\(run.everything)")
        let notified = try await scene.peers.notified("ada", times: 1)
        #expect(
            notified.map(\.content.withoutMessageID) == [
                #"{"title":"Ward","body":"Bed 4 is free","urgency":"critical","data":{"bed":"4"}}"#
            ]
        )
    }

    @Test("the subscription may come from standard input; one text is the body", .timeLimit(.minutes(2)))
    func typed() async throws {
        let scene = try await Scene()
        let json = Data(try scene.home.text(of: "subscription").utf8)
        let run = try scene.send("--subscription", "-", "Bed 4 is free", "--format", "json", input: json)
        #expect(run.status == 0 && run.output.contains("\"status\": 201"), "\(run.everything)")
        #expect(
            try await scene.peers.notified("ada", times: 1).map(\.content.withoutMessageID) == [
                #"{"body":"Bed 4 is free"}"#
            ]
        )
    }

    @Test("only the sender with the key of the subscription may send", .timeLimit(.minutes(2)))
    func signed() async throws {
        let keys = try TemporaryFolder()
        let key = try Self.publicKey("vapid.pem", in: keys)
        #expect(try Self.publicKey("vapid.pem", in: keys) == key && key.count == 87)
        #expect(try Self.publicKey("other.pem", in: keys) != key)
        let mode = try FileManager.default.attributesOfItem(atPath: keys.url.appendingPathComponent("vapid.pem").path)
        #expect(mode[.posixPermissions] as? Int == 0o600)
        let scene = try await Scene(key: key)
        func send(_ file: String?) throws -> Run {
            let signing = file.map { ["--vapid-key", keys.url.appendingPathComponent($0).path] } ?? []
            return try Program.corewire(
                ["push", "send", "--subscription", "subscription", "Hello"] + signing,
                in: scene.home.url
            )
        }
        let sent = try send("vapid.pem")
        #expect(sent.status == 0, "\(sent.everything)")
        #expect(
            try await scene.peers.notified("ada", times: 1).map(\.content.withoutMessageID) == [#"{"body":"Hello"}"#]
        )
        let other = try send("other.pem")
        #expect(other.status == 77 && other.errors.contains("does not accept the VAPID token"), "\(other.everything)")
        let unsigned = try send(nil)
        #expect(unsigned.status == 77 && unsigned.errors.contains("requires a VAPID key"), "\(unsigned.everything)")
    }

    @Test("a key made by openssl can be used; the VAPID subject is sent", .timeLimit(.minutes(2)))
    func ofOpenSSL() async throws {
        let keys = try TemporaryFolder()
        let file = keys.url.appendingPathComponent("key.pem").path
        let made = try Program.run(
            "openssl",
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file]
        )
        #expect(made.status == 0)
        let scene = try await Scene(key: try Self.publicKey(file, in: keys))
        let run = try scene.send(
            "--subscription",
            "subscription",
            "--vapid-key",
            file,
            "--subject",
            "mailto:ops@example.com",
            "Hello"
        )
        #expect(run.status == 0, "\(run.everything)")
    }

    @Test(
        "what the service answers is told, with a status for scripts",
        .timeLimit(.minutes(2)),
        arguments: [
            ("410", 1, "the subscription has ended"), ("404", 1, "the subscription has ended"),
            ("401", 77, "the push service requires a VAPID key"), ("403", 77, "the push service requires a VAPID key"),
            ("413", 1, "the message is too long for the push service"), ("429 1 30", 75, "try again in 30 s"),
            ("503 1 7", 75, "try again in 7 s"), ("400", 1, "responded with status 400 Bad Request"),
            ("302", 1, "a redirect; not followed"),
        ] as [(String, Int32, String)]
    )
    func refused(order: String, status: Int32, message: String) async throws {
        let scene = try await Scene()
        try await scene.service.tell("refuse-push \(order)")
        let run = try scene.send("--subscription", "subscription", "Hello")
        #expect(run.status == status && run.errors.contains(message), "\(run.everything)")
        let endpoint = try scene.home.text(of: "subscription").firstMatch(of: /gAAAAA[-_A-Za-z0-9]+/)
        #expect(!run.everything.contains(try #require(endpoint).output))
    }

    @Test("a message that is too long is not sent, or rejected by the service", .timeLimit(.minutes(2)))
    func long() async throws {
        let scene = try await Scene()
        let rejected = try scene.send("--subscription", "subscription", String(repeating: "a", count: 8_000))
        #expect(rejected.status == 1 && rejected.errors.contains("too long"), "\(rejected.everything)")
        let unsent = try scene.send("--subscription", "subscription", String(repeating: "a", count: 70_000))
        #expect(unsent.status == 1 && unsent.errors.contains("cannot be encrypted"), "\(unsent.everything)")
    }

    @Test("no service: try again later", .timeLimit(.minutes(2)))
    func away() async throws {
        let scene = try await Scene()
        try scene.home.write(
            try scene.home.text(of: "subscription").replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:1"),
            to: "away"
        )
        let run = try scene.send("--subscription", "away", "Hello")
        #expect(run.status == 75 && run.errors.hasPrefix("error: not sent: "), "\(run.everything)")
    }

    @Test("what a runner prints as its subscription is enough to send to it", .timeLimit(.minutes(2)))
    func toRunner() async throws {
        let runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded } }
            push:
              providers: [webPush]
              registrars:
                ups: { type: unifiedPush, url: https://push.example.com, variantId: v, variantSecret: known }
            notifications:
              permission: granted
              handlers: { show: { on: presentable, when: { bed: "4" }, present: [list] } }
            """
        )
        let isRegistered = await eventually { (try? runner.corewire(["push", "subscription"]).status) == 0 }
        #expect(isRegistered, "\(runner.log)")
        let subscription = try runner.corewire(["push", "subscription"]).output
        let run = try Program.corewire(
            [
                "push", "send", "--subscription", "-", "Ward", "Bed 4 is free", "--data", "bed=4", "--link", "app://4",
                "--id", "n-1",
            ],
            input: Data(subscription.utf8)
        )
        #expect(run.status == 0, "\(run.everything)")
        var listed = ""
        _ = await eventually {
            listed = (try? runner.corewire(["notifications", "list", "--format", "json"]).output) ?? ""
            return listed.contains("Bed 4 is free")
        }
        for part in [
            #""title": "Ward""#, #""body": "Bed 4 is free""#, #""link": "app://4""#, #""ups:n-1""#,
        ] {
            #expect(listed.contains(part), "\(listed)")
        }
        try await runner.stop()
    }
}

extension String {
    /// A message without the id that each has.
    var withoutMessageID: String { replacing(/,"messageId":"[-0-9a-f]{36}"/, with: "") }
}
