import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireNotificationContract
import WireNotifications
import WireService
import Workbench

@Suite("Streams from an MQTT broker", .serialized, .enabled(if: Mosquitto.isInstalled))
struct MQTTTests {
    @Test("a JSON object becomes a notification with its topic, another text its body", arguments: MQTTBench.versions)
    func message(version: String) async throws {
        let broker = try await Mosquitto()
        let bench = try await MQTTBench.connected(
            to: broker,
            MQTTBench.streams(broker.port, version: version, "id: meta.id")
        )
        try broker.publish(#"{"title":"Pump 3","body":"is off","meta":{"id":"a1"}}"#, to: "wards/3B/pumps")
        let shown = try await bench.notifications.passed("ward:a1")
        #expect(shown["title"]?.string == "Pump 3" && shown["body"]?.string == "is off")
        #expect(shown.text().contains(#""topic":"wards/3B/pumps""#))
        try broker.publish("Door is open", to: "wards/3B/doors")
        #expect(await eventually { MQTTBench.noted(bench).count == 2 })
        let text = try await bench.notifications.passed(MQTTBench.noted(bench)[1])
        #expect(text["body"]?.string == "Door is open" && text.text().contains(#""topic":"wards/3B/doors""#))
        #expect(!bench.log.joined().contains("3B"))
        await bench.end()
    }

    @Test("messages that were sent meanwhile arrive in order, and once", arguments: MQTTBench.versions)
    func away(version: String) async throws {
        let (broker, folder) = (try await Mosquitto(), try TemporaryFolder())
        let section = MQTTBench.streams(broker.port, version: version)
        let first = try await MQTTBench.connected(to: broker, section, in: folder)
        try broker.publish(#"{"id":"now","title":"A"}"#, to: "wards/3B/a")
        _ = try await first.notifications.done("ward:now")
        await first.end()
        #expect(await MQTTBench.hasLeft(broker))
        let lines = (1...30).map { #"{"id":"\#($0)","title":"A"}"# }.joined(separator: "\n")
        try broker.publish(lines: lines + "\n", to: "wards/3B/b")
        let second = try await StreamBench(section, in: folder)
        _ = try await second.notifications.done("ward:30")
        #expect(await eventually { MQTTBench.noted(second).count == 30 })
        let times = try await (1...30).asyncMap { number in
            try await second.notifications.service.detail("ward:\(number)")?.received ?? 0
        }
        #expect(times == times.sorted() && times[0] > 0, "\(times)")
        await second.end()
    }

    @Test(
        "a message is acknowledged when it is stored, and sent again where it cannot be",
        arguments: MQTTBench.versions
    )
    func full(version: String) async throws {
        let broker = try await Mosquitto()
        let section = "maxWaiting: 1\n" + MQTTBench.streams(broker.port, version: version)
        let bench = try await MQTTBench.connected(to: broker, section)
        let barrier = bench.notifications.programs.barrier("note")
        try broker.publish(#"{"id":"a","title":"A"}"#, to: "wards/3B/a")
        #expect(await broker.saw("Received PUBACK from cart"))
        try broker.publish(#"{"id":"b","title":"A"}"#, to: "wards/3B/a")
        #expect(await eventually { bench.log.contains { $0.contains("the queue of notifications is full") } })
        #expect(broker.count("Received PUBACK from cart") == 1)
        barrier.fire()
        _ = try await bench.notifications.done("ward:a")
        #expect(await bench.passing(.seconds(2)) { MQTTBench.noted(bench).contains("ward:b") }, "\(bench.log)")
        #expect(await broker.saw("Received PUBACK from cart", times: 2))
        #expect(MQTTBench.noted(bench) == ["ward:a", "ward:b"])
        await bench.end()
    }

    @Test("with 'qos: 0' nothing is acknowledged, and nothing waits at the broker", arguments: MQTTBench.versions)
    func unacknowledged(version: String) async throws {
        let (broker, folder) = (try await Mosquitto(), try TemporaryFolder())
        let section = MQTTBench.streams(broker.port, version: version, "id: id, qos: 0")
        let first = try await MQTTBench.connected(to: broker, section, in: folder)
        try broker.publish(#"{"id":"now","title":"A"}"#, to: "wards/3B/a")
        _ = try await first.notifications.done("ward:now")
        await first.end()
        #expect(await MQTTBench.hasLeft(broker))
        try broker.publish(#"{"id":"missed","title":"A"}"#, to: "wards/3B/a")
        let second = try await MQTTBench.connected(to: broker, section, in: folder)
        try broker.publish(#"{"id":"later","title":"A"}"#, to: "wards/3B/a")
        _ = try await second.notifications.done("ward:later")
        #expect(MQTTBench.noted(second) == ["ward:later"])
        #expect(broker.count("Received PUBACK from cart") == 0)
        await second.end()
    }

    @Test("rejected credentials are not tried again at once", arguments: MQTTBench.versions)
    func refused(version: String) async throws {
        let folder = try TemporaryFolder()
        let passwords = folder.url.appendingPathComponent("passwords").path
        _ = try Program.run("mosquitto_passwd", ["-b", "-c", passwords, "kiosk", "right"])
        let broker = try await Mosquitto("allow_anonymous false\npassword_file \(passwords)", in: folder)
        let wrong = MQTTBench.streams(broker.port, version: version, "id: id, username: kiosk, password: wr0ng-secret")
        let bench = try await StreamBench(wrong)
        #expect(await eventually { bench.notifications.bench.told.all.last?.hasPrefix("degraded: ") == true })
        #expect(bench.notifications.bench.told.all.last?.contains(version == "5" ? "0x87" : "0x8") == true)
        bench.clock.pass(.seconds(100))
        for _ in 0..<50 { await breath() }
        #expect(broker.count("New client connected") + broker.count("not authorised") <= 1, "\(broker.log)")
        #expect(!bench.log.joined().contains("wr0ng-secret"))
        await bench.end()
        let right = MQTTBench.streams(broker.port, version: version, "id: id, username: kiosk, password: right")
        let other = try await MQTTBench.connected(to: broker, right)
        await other.end()
    }

    @Test("a retained message becomes a notification once, or never", arguments: MQTTBench.versions)
    func retained(version: String) async throws {
        let broker = try await Mosquitto()
        try broker.publish("kept", to: "wards/3B/a", ["-q", "1", "-r"])
        for rule in ["new", "ignore"] {
            let folder = try TemporaryFolder()
            let section = MQTTBench.streams(broker.port, version: version, "id: id, retained: \(rule)")
            let first = try await MQTTBench.connected(to: broker, section, in: folder)
            try broker.publish(#"{"id":"\#(rule)","title":"A"}"#, to: "wards/3B/b")
            _ = try await first.notifications.done("ward:\(rule)")
            #expect(MQTTBench.noted(first).count == (rule == "new" ? 2 : 1), "\(rule)")
            await first.end()
            // Without its session, so that the client subscribes again.
            #expect(await MQTTBench.hasLeft(broker))
            try Program.expectSuccess(
                "mosquitto_sub",
                ["-p", "\(broker.port)", "-i", "cart", "-V", version == "5" ? "5" : "311", "-t", "x", "-E"]
            )
            let second = try await MQTTBench.connected(to: broker, section, in: folder)
            try broker.publish(#"{"id":"\#(rule)2","title":"A"}"#, to: "wards/3B/b")
            _ = try await second.notifications.done("ward:\(rule)2")
            #expect(MQTTBench.noted(second).count == 1, "\(rule)")
            await second.end()
            try Program.expectSuccess(
                "mosquitto_sub",
                ["-p", "\(broker.port)", "-i", "cart", "-V", version == "5" ? "5" : "311", "-t", "x", "-E"]
            )
        }
    }

    @Test("the status topic says online while connected, and offline after a loss", arguments: MQTTBench.versions)
    func status(version: String) async throws {
        let broker = try await Mosquitto()
        let relay = try await ScriptedServer(push: "mqtt", ["\(broker.port)"])
        let port = try #require(Int(relay.readyWords[1]))
        let settings = "id: id, status: { topic: \"carts/{{ app }}\", online: here, offline: gone }"
        let bench = try await StreamBench(MQTTBench.streams(port, version: version, settings))
        #expect(await broker.saw("Received PUBLISH from cart"))
        #expect(try broker.first(of: "carts/com.example.tasks") == "here")
        try await relay.tell("cut")
        #expect(await broker.saw("Sending PUBLISH to", times: 1))
        #expect(try await eventually { try broker.first(of: "carts/com.example.tasks") == "gone" })
        #expect(await bench.passing(.seconds(2)) { broker.count("Sending CONNACK to cart") > 1 })
        #expect(try await eventually { try broker.first(of: "carts/com.example.tasks") == "here" })
        await bench.end()
        #expect(try broker.first(of: "carts/com.example.tasks") == "gone")
    }

    @Test("a message has the time that is left of its expiry, and a user property can be its id")
    func properties() async throws {
        let broker = try await Mosquitto()
        let note = #"note: { on: any, exec: [note, "{{ id }}"] }"#
        let bench = try await MQTTBench.connected(
            to: broker,
            MQTTBench.streams(broker.port, "id: message-id"),
            handlers: "permission: granted\nhandlers: { \(note), show: { on: presentable, present: [list] } }"
        )
        let more = ["-q", "1", "-V", "5", "-D", "publish", "message-expiry-interval", "60"]
        try broker.publish("a", to: "wards/3B/a", more + ["-D", "publish", "user-property", "message-id", "u1"])
        try broker.publish("a", to: "wards/3B/a", more + ["-D", "publish", "user-property", "message-id", "u1"])
        try broker.publish("c", to: "wards/3B/a", more + ["-D", "publish", "user-property", "message-id", "u2"])
        _ = try await bench.notifications.done("ward:u2")
        #expect(MQTTBench.noted(bench) == ["ward:u1", "ward:u2"])
        let detail = try await #require(try bench.notifications.service.detail("ward:u1"))
        let expiry = try #require(detail.notification?.expires)
        let left = expiry - bench.clock.clockwork.wall()
        #expect((1...60_000).contains(left), "\(left)")
        await bench.end()
    }

    @Test("after a restart of the broker the session continues", arguments: MQTTBench.versions)
    func restart(version: String) async throws {
        let folder = try TemporaryFolder()
        let broker = try await Mosquitto(in: folder)
        let bench = try await MQTTBench.connected(to: broker, MQTTBench.streams(broker.port, version: version))
        try await broker.stop()
        let next = try await Mosquitto(in: folder, port: broker.port)
        try next.publish(#"{"id":"after","title":"A"}"#, to: "wards/3B/a")
        #expect(await bench.passing(.seconds(2)) { MQTTBench.noted(bench) == ["ward:after"] }, "\(bench.log)")
        await bench.end()
    }

    @Test("a topic that the file does not have any more is unsubscribed, a new one subscribed")
    func changed() async throws {
        let (broker, folder) = (try await Mosquitto(), try TemporaryFolder())
        let section = MQTTBench.streams(broker.port)
        let bench = try await MQTTBench.connected(to: broker, section, in: folder)
        let other = section.replacing("wards/3B/#", with: "wards/4A/#")
        try await bench.notifications.reload("\(other)\n\(IntakeTests.note)")
        #expect(await broker.saw("Received UNSUBSCRIBE from cart"))
        #expect(await broker.saw("Sending SUBACK to cart", times: 2))
        try broker.publish(#"{"id":"old","title":"A"}"#, to: "wards/3B/a")
        try broker.publish(#"{"id":"new","title":"A"}"#, to: "wards/4A/a")
        _ = try await bench.notifications.done("ward:new")
        #expect(MQTTBench.noted(bench) == ["ward:new"])
        await bench.end()
    }

    @Test("the session ends with the user, and with the stream", arguments: MQTTBench.versions)
    func endings(version: String) async throws {
        let (broker, users) = (try await Mosquitto(), HandUsers())
        users.become("ada")
        let section = MQTTBench.streams(broker.port, version: version, "id: id, needs: [user]")
        let bench = try await MQTTBench.connected(to: broker, section, users: users)
        users.become(nil)
        #expect(await broker.saw("Received DISCONNECT from cart", times: version == "5" ? 1 : 2))
        try broker.publish(#"{"id":"lost","title":"A"}"#, to: "wards/3B/a")
        users.become("bob")
        #expect(await broker.saw("Sending SUBACK to cart", times: 2))
        try broker.publish(#"{"id":"bobs","title":"A"}"#, to: "wards/3B/a")
        _ = try await bench.notifications.done("ward:bobs")
        #expect(MQTTBench.noted(bench) == ["ward:bobs"])
        let before = broker.count("Received DISCONNECT from cart")
        try await bench.notifications.reload("\(IntakeTests.note)")
        #expect(await broker.saw("Received DISCONNECT from cart", times: before + (version == "5" ? 1 : 2)))
        await bench.end()
        // Another client with the id finds no session.
        let sub = ["-p", "\(broker.port)", "-i", "cart", "-V", "311", "-t", "x", "-c", "-E", "-d"]
        let run = try Program.run("mosquitto_sub", sub)
        #expect(run.everything.contains("CONNACK (0)"), "\(run.everything)")
        #expect(broker.count("Sending CONNACK to cart (1, 0)") == 0, "\(broker.log)")
    }

    @Test("messages that are no notifications are acknowledged, and logged without their content")
    func poison() async throws {
        let broker = try await Mosquitto()
        let bench = try await MQTTBench.connected(
            to: broker,
            "maxPayload: 1KiB\n" + MQTTBench.streams(broker.port, version: "3.1.1", "id: id, payload: data")
        )
        let large = String(repeating: "x", count: 300_000)
        let file = try broker.folder.write(#"{"id":"large","data":{"title":"\#(large)"}}"#, to: "large")
        for text in [
            "sec-ret", "[1]", "{}", #"{"id":"n"}"#, #"{"id":"n","data":7}"#, #"{"id":"e","data":{}}"#,
            #"{"id":"w","notification":{"title":"Welcome"}}"#,
        ] {
            try broker.publish(text, to: "wards/3B/a")
        }
        try Program.expectSuccess(
            "mosquitto_pub",
            ["-p", "\(broker.port)", "-t", "wards/3B/a", "-q", "1", "-f", broker.folder.url.path + "/" + file]
        )
        try broker.publish(#"{"id":"big","data":{"title":"\#(large.prefix(2_000))"}}"#, to: "wards/3B/a")
        try broker.publish(#"{"id":"good","data":{"title":"A"}}"#, to: "wards/3B/a")
        _ = try await bench.notifications.done("ward:good")
        #expect(MQTTBench.noted(bench) == ["ward:good"])
        #expect(await broker.saw("Received PUBACK from cart", times: 10))
        #expect(broker.count("Sending CONNACK to cart") == 1)
        #expect(bench.log.contains { $0.contains("the message is too large") }, "\(bench.log)")
        #expect(!bench.log.joined().contains("sec-ret"))
        await bench.end()
    }
}

extension Program {
    fileprivate static func expectSuccess(_ program: String, _ arguments: [String]) throws {
        let run = try run(program, arguments)
        #expect(run.status == 0, "\(run.everything)")
    }
}
