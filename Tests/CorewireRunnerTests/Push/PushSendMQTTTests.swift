import Foundation
import Support
import Testing

@Suite("'corewire push send' to an MQTT topic", .enabled(if: Mosquitto.isInstalled))
struct PushSendMQTTTests {
    private static func send(_ broker: String, _ arguments: String..., in folder: URL = Repository.root) throws -> Run {
        try Program.corewire(["push", "send", "--mqtt", broker] + arguments, in: folder)
    }

    @Test("the broker has the message when the command ends", .timeLimit(.minutes(1)))
    func sent() async throws {
        let broker = try await Mosquitto()
        let run = try Self.send(
            "mqtt://127.0.0.1:\(broker.port)/",
            "--topic",
            "wards/3B",
            "Ward",
            "Bed 4 is free",
            "--data",
            "bed=4",
            "--urgency",
            "critical",
            "--retain",
            "--ttl",
            "10m"
        )
        #expect(run.status == 0 && run.output == "sent\n" && run.errors.isEmpty, "\(run.everything)")
        #expect(broker.count("Received PUBLISH from") == 1 && broker.count("(d0, q1, r1, m1, 'wards/3B'") == 1)
        #expect(
            try broker.first(of: "wards/3B").withoutMessageID
                == #"{"title":"Ward","body":"Bed 4 is free","urgency":"critical","data":{"bed":"4"}}"#
        )
    }

    @Test("a user name and a password are for the broker, from a file", .timeLimit(.minutes(1)))
    func credentials() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "users")
        let made = try Program.run("mosquitto_passwd", ["-b", folder.url.path + "/users", "ops", "wonder"])
        #expect(made.status == 0, "\(made.everything)")
        let broker = try await Mosquitto("password_file \(folder.url.path)/users", in: folder)
        try folder.write("wonder\n", to: "right")
        try folder.write("hopper", to: "wrong")
        let url = "mqtt://127.0.0.1:\(broker.port)"
        func send(_ file: String) throws -> Run {
            try Self.send(url, "--topic", "a", "--username", "ops", "--password", file, "Hello", in: folder.url)
        }
        let right = try send("right")
        #expect(right.status == 0, "\(right.everything)")
        let wrong = try send("wrong")
        #expect(wrong.errors.contains("the broker does not accept the user name and password"))
        #expect(wrong.status == 77 && !wrong.everything.contains("hopper"), "\(wrong.everything)")
        let none = try Self.send(url, "--topic", "a", "Hello")
        #expect(none.status == 77 && none.errors.contains("use --username and --password"), "\(none.everything)")
        #expect(try send("absent").status == 66)
    }

    @Test("no broker: try again later; no broker at all, and wrong orders, are told", .timeLimit(.minutes(1)))
    func away() async throws {
        let run = try Self.send("mqtt://127.0.0.1:1", "--topic", "a", "Hello")
        #expect(run.status == 75 && run.errors.hasPrefix("error: not sent: "), "\(run.everything)")
        let orders: [([String], String)] = [
            (["mqtt://127.0.0.1"], "--mqtt requires --topic"),
            (["mqtt://broker.example.com", "--topic", "a"], "without TLS"),
            (["https://broker.example.com", "--topic", "a"], "--mqtt takes the URL of a broker"),
            (["mqtts://broker.example.com", "--topic", "a/+"], "without '+' and '#'"),
            (["mqtts://broker.example.com", "--topic", "a", "--token", "t"], "--token cannot be used with --mqtt"),
            (["mqtts://broker.example.com", "--topic", "a", "--password", "p"], "--password requires --username"),
            (["mqtts://broker.example.com", "--topic", "a", "--ntfy", "https://a/b"], "expected one of"),
        ]
        for (order, message) in orders {
            let run = try Program.corewire(["push", "send", "Hello", "--mqtt"] + order)
            #expect(run.status == 64 && run.errors.contains(message), "\(run.everything)")
        }
        let other = try Program.corewire(["push", "send", "Hello", "--ntfy", "https://a/b", "--retain"])
        #expect(other.status == 64 && other.errors.contains("--retain cannot be used with --ntfy"))
    }

    @Test("the broker of a runner takes the message, and its stream shows it", .timeLimit(.minutes(2)))
    func toRunner() async throws {
        let runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded } }
            notifications:
              permission: granted
              handlers: { show: { on: presentable, when: { bed: "4" }, present: [list] } }
              streams:
                ward: { type: mqtt, url: mqtts://broker.example.com, topics: ["wards/#"], id: id }
            """
        )
        let connected = #"stream_connected{stream="ward"} 1"#
        #expect(try await eventually { try await runner.ask("GET", "/metrics").text.contains(connected) })
        let status = try runner.corewire(["backends", "status", "--format", "json"]).output
        let tcp = try String(#require(status.firstMatch(of: /mqtt:\/\/127\.0\.0\.1:[0-9]+/)).output)
        let http = try String(#require(status.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        for (number, url) in [tcp, "ws\(http.dropFirst(4))/mqtt"].enumerated() {
            let run = try Self.send(
                url,
                "--topic",
                "wards/3B",
                "Bed \(number)",
                "is free",
                "--data",
                "bed=4",
                "--format",
                "json"
            )
            #expect(run.status == 0 && run.output.contains("\"code\": "), "\(run.everything)")
        }
        var listed = ""
        _ = await eventually {
            listed = (try? runner.corewire(["notifications", "list", "--format", "json"]).output) ?? ""
            return listed.contains("Bed 0") && listed.contains("Bed 1")
        }
        #expect(listed.contains("Bed 0") && listed.contains("Bed 1"), "\(listed)\(runner.log)")
        // With QoS 2 the broker ends the connection of the publisher.
        let port = try #require(tcp.split(separator: ":").last)
        let refused = try Program.run(
            "mosquitto_pub",
            ["-h", "127.0.0.1", "-p", "\(port)", "-t", "a", "-m", "a", "-q", "2", "-V", "5"]
        )
        #expect(refused.everything.contains("QoS") || refused.status != 0, "\(refused.everything)")
        try await runner.stop()
    }
}
