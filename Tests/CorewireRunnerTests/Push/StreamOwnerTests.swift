import Foundation
import Support
import Testing
import WireConfig

/// BY-14: a user or an environment gets none of the messages of another one.
@Suite("Streams when the user or the environment changes", .serialized)
struct StreamOwnerTests {
    /// Waits for a list that ends with a text.
    private static func listed(_ runner: RunningRunner, upTo text: String) async throws -> [String] {
        let isThere = try await eventually { try runner.listedTexts().last == text }
        let bodies = try runner.listedTexts()
        #expect(isThere, "\(bodies) \(runner.log.suffix(2_000))")
        return bodies
    }

    private static func file(_ stream: String, _ more: String) -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        \(more)
        notifications:
          permission: granted
          handlers: { show: { on: presentable, present: [list] } }
          streams: { ward: { \(stream) } }
        """
    }

    private static let environments = """
        environment: dev
        environments:
          dev: { baseUrl: "https://dev.example.com" }
          other: { baseUrl: "https://other.example.com" }
        """

    // MARK: MQTT

    @Test(
        "the broker drops the session of a user at sign-out, and the next one has another",
        .timeLimit(.minutes(2)),
        .enabled(if: Mosquitto.isInstalled),
        arguments: ["5", "3.1.1"]
    )
    func session(version: String) async throws {
        let (users, broker) = (try await PushUsers(), try await Mosquitto())
        let stream =
            "type: mqtt, url: \"mqtt://127.0.0.1:\(broker.port)\", version: \"\(version)\", topics: [\"wards/#\"], id: id, "
            + "needs: [user]"
        let runner = try await RunningRunner(Self.file(stream, users.section))
        try await runner.signIn(as: "ada", "wonder")
        #expect(await broker.saw("Sending SUBACK to"))
        try broker.publish(#"{"id":"1","body":"For ada"}"#, to: "wards/3B")
        #expect(try await Self.listed(runner, upTo: "For ada") == ["For ada"])
        try await runner.signOut()
        #expect(await broker.saw("Received DISCONNECT from", times: version == "5" ? 1 : 2))
        try broker.publish(#"{"id":"2","body":"Sent meanwhile"}"#, to: "wards/3B")
        try await runner.signIn(as: "bob", "builder")
        #expect(await broker.saw("Sending SUBACK to", times: 2))
        try broker.publish(#"{"id":"3","body":"For bob"}"#, to: "wards/3B")
        #expect(try await Self.listed(runner, upTo: "For bob").suffix(2) != ["Sent meanwhile", "For bob"])
        try await runner.signOut()
        try await runner.signIn(as: "ada", "wonder")
        #expect(await broker.saw("Sending SUBACK to", times: 3))
        try broker.publish(#"{"id":"4","body":"For ada again"}"#, to: "wards/3B")
        #expect(try await !Self.listed(runner, upTo: "For ada again").contains("Sent meanwhile"))
        let clients = broker.log.matches(of: /Sending SUBACK to (\S+)/).map { String($0.1) }
        #expect(clients.first == clients.last && Set(clients).count == 2, "\(clients)")
        try await runner.stop()
        try await users.runner.stop()
    }

    @Test(
        "the session of an environment stays at the broker, and goes on when that environment runs again",
        .timeLimit(.minutes(2)),
        .enabled(if: Mosquitto.isInstalled)
    )
    func switchedSession() async throws {
        let broker = try await Mosquitto()
        let stream = "type: mqtt, url: \"mqtt://127.0.0.1:\(broker.port)\", topics: [\"wards/#\"], id: id"
        let runner = try await RunningRunner(Self.file(stream, Self.environments))
        #expect(await broker.saw("Sending SUBACK to"))
        try broker.publish(#"{"id":"1","body":"Bed 4"}"#, to: "wards/3B")
        #expect(try await Self.listed(runner, upTo: "Bed 4") == ["Bed 4"])
        #expect(try runner.corewire(["env", "use", "other"]).status == 0)
        #expect(await broker.saw("Sending SUBACK to", times: 2))
        try broker.publish(#"{"id":"2","body":"Bed 5"}"#, to: "wards/3B")
        #expect(try await Self.listed(runner, upTo: "Bed 5") == ["Bed 5"])
        #expect(try runner.corewire(["env", "use", "dev"]).status == 0)
        #expect(try await Self.listed(runner, upTo: "Bed 5") == ["Bed 4", "Bed 5"])
        let clients = broker.log.matches(of: /Sending SUBACK to (\S+)/).map { String($0.1) }
        #expect(clients.count == 3 && Set(clients).count == 2, "\(clients)")
        try await runner.stop()
    }

    // MARK: ntfy

    @Test(
        "a topic that needs a user: the next one gets new messages only, and the former one what came meanwhile",
        .timeLimit(.minutes(2)),
        .enabled(if: ScriptedServer.hasModules("aiohttp"))
    )
    func topic() async throws {
        let (users, server) = (try await PushUsers(), try await ScriptedServer(push: "ntfy"))
        let stream =
            "type: ntfy, url: \"http://127.0.0.1:\(server.readyWords[0])\", topics: [cart-17-k3Jq8Zr2], needs: [user]"
        let runner = try await RunningRunner(Self.file(stream, users.section))
        try await runner.signIn(as: "ada", "wonder")
        try await server.saw("stream cart-17-k3Jq8Zr2")
        func publish(_ text: String) async throws {
            _ = try Program.run(
                "curl",
                ["-sS", "-d", text, "http://127.0.0.1:\(server.readyWords[0])/cart-17-k3Jq8Zr2"]
            )
        }
        try await publish("One")
        #expect(try await Self.listed(runner, upTo: "One") == ["One"])
        try await runner.signOut()
        try await server.saw("closed ")
        try await publish("Two")
        try await runner.signIn(as: "bob", "builder")
        try await server.saw("stream cart-17-k3Jq8Zr2 ", times: 2)
        try await publish("Three")
        #expect(try await !Self.listed(runner, upTo: "Three").contains("Two"))
        #expect(!server.all.contains { $0.hasPrefix("poll ") })
        try await runner.signOut()
        try await server.saw("closed ", times: 2)
        try await runner.signIn(as: "ada", "wonder")
        // The first two of these have come before, for another user or at another time.
        #expect(
            try await eventually { try Set(runner.listedTexts()).isSuperset(of: ["Two", "Three"]) },
            "\(runner.log)"
        )
        try await runner.stop()
        try await users.runner.stop()
    }

    // MARK: Event streams

    /// A server whose stream sends one event, and then nothing.
    private static func eventServer() throws -> RecordingServer {
        try RecordingServer(holding: true) { number, _ in
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: \(number)\ndata: {\"title\":\"\(number)\"}\n\n"
        }
    }

    /// The position in each request so far, once there are so many.
    private static func positions(_ server: RecordingServer, _ count: Int) async throws -> [String?] {
        let isThere = await eventually { server.requests.count >= count }
        #expect(isThere, "\(server.requests)")
        return server.requests.map { $0.firstMatch(of: /Last-Event-ID: (\S+)/).map { String($0.1) } }
    }

    @Test("each user continues at that user's position", .timeLimit(.minutes(2)))
    func positions() async throws {
        let (users, server) = (try await PushUsers(), try Self.eventServer())
        let stream = "url: \"\(server.url)/stream\", authorization: none, needs: [user]"
        let runner = try await RunningRunner(Self.file(stream, users.section))
        for (user, password, title) in [("ada", "wonder", "1"), ("bob", "builder", "2"), ("ada", "wonder", "3")] {
            try await runner.signIn(as: user, password)
            _ = try await Self.listed(runner, upTo: title)
            try await runner.signOut()
        }
        #expect(try await Self.positions(server, 3) == [nil, nil, "1"])
        try await runner.stop()
        try await users.runner.stop()
    }

    @Test(
        "'clear environment' removes the positions of streams, and 'clear user' keeps them",
        .timeLimit(.minutes(2)),
        arguments: [("user", "1"), ("environment", nil), ("all", nil)] as [(String, String?)]
    )
    func cleared(scope: String, position: String?) async throws {
        let server = try Self.eventServer()
        var runner = try await RunningRunner(Self.file("url: \"\(server.url)/stream\", authorization: none", ""))
        _ = try await Self.listed(runner, upTo: "1")
        let cleared = try runner.corewire(["clear", scope])
        #expect(cleared.status == 0, "\(cleared.everything)")
        #expect(try runner.listed().isEmpty)
        let home = runner.home
        try await runner.kill()
        runner = try await RunningRunner(nil, in: home)
        #expect(try await Self.positions(server, 2).last == position)
        try await runner.stop()
    }

    @Test("an environment does not continue at the position of another", .timeLimit(.minutes(2)))
    func switchedPosition() async throws {
        let server = try Self.eventServer()
        let runner = try await RunningRunner(
            Self.file("url: \"\(server.url)/stream\", authorization: none", Self.environments)
        )
        for (environment, title) in [("other", "1"), ("dev", "2")] {
            _ = try await Self.listed(runner, upTo: title)
            #expect(try runner.corewire(["env", "use", environment]).status == 0)
        }
        #expect(try await Self.positions(server, 3) == [nil, nil, "1"])
        try await runner.stop()
    }
}
