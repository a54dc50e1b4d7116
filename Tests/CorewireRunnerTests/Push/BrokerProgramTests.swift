import Support
import Testing

@Suite("The embedded MQTT broker, with the built runner", .enabled(if: MQTTPeers.areThere))
struct BrokerProgramTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        backends: { listen: "127.0.0.1:0" }
        """

    @Test(
        "a stream of the file reads what mosquitto_pub sends to the broker of the runner",
        .timeLimit(.minutes(2)),
        arguments: ["5", "3.1.1"]
    )
    func stream(version: String) async throws {
        let runner = try await RunningRunner(
            Self.file + """

                notifications:
                  permission: granted
                  handlers: { show: { on: presentable, present: [list] } }
                  streams:
                    ward:
                      type: mqtt
                      url: mqtts://broker.example.com
                      version: "\(version)"
                      topics: ["wards/#"]
                      id: id
                      status: { topic: "status/{{ stream }}" }

                """
        )
        let peers = try await MQTTPeers(of: runner)
        try await peers.open("ada", #"{"clean":false,"expiry":600}"#)
        try await peers.subscribe("ada", #"{"filter":"status/ward"}"#)
        let online = try await peers.got("ada", times: 1)
        #expect(online.last?.contains(#""text":"online""#) == true, "\(online)")
        #expect(try peers.mosquitto(#"{"id":"n1","title":"Bed 4","body":"is free"}"#, to: "wards/3B").status == 0)
        #expect(try peers.mosquitto("Bed 5 is free", to: "wards/3B").status == 0)
        var listed = ""
        let isListed = await eventually {
            listed = (try? runner.corewire(["notifications", "list", "--format", "json"]).output) ?? ""
            return listed.contains("Bed 5 is free")
        }
        #expect(isListed && listed.contains(#""title": "Bed 4""#), "\(listed)\(runner.log)")
        // The stream leaves the file, so its client says goodbye.
        let answer = try await runner.reload(Self.file)
        #expect(answer.status == 200)
        let offline = try await peers.got("ada", times: 2)
        #expect(offline.last?.contains(#""text":"offline""#) == true, "\(offline)")
        try await runner.stop()
    }

    @Test("killed again and again, the broker loses no message that it has acknowledged", .timeLimit(.minutes(5)))
    func killed() async throws {
        let home = try TemporaryFolder()
        var runner = try await RunningRunner(Self.file, in: home)
        var peers = try await MQTTPeers(of: runner)
        let port = peers.port
        let session = #"{"clean":false,"expiry":600}"#
        try await peers.open("ada", session)
        try await peers.subscribe("ada", #"{"filter":"a"}"#)
        var acknowledged: Set<String> = []
        for round in 0..<8 {
            try await peers.open("bob")
            for number in 0..<5 {
                let text = "\(round)-\(number)"
                #expect(try await peers.publish("bob", #"{"topic":"a","text":"\#(text)"}"#) == "00")
                acknowledged.insert(text)
            }
            try await peers.tell("ack ada 2")
            try await runner.kill()
            runner = try await RunningRunner(nil, in: home)
            peers = try await MQTTPeers(of: runner)
            // Clients find it at the same port.
            #expect(peers.port == port)
            if round < 7 { try await peers.open("ada", session) }
        }
        #expect(try await peers.open("ada", session).hasPrefix("00 true"))
        let texts = { Set(peers.got("ada").compactMap { $0.firstMatch(of: /"text":"([^"]+)"/).map { String($0.1) } }) }
        // What the client had acknowledged does not have to come again.
        let isWhole = await eventually {
            try? await peers.tell("ack ada")
            return texts().contains("7-4")
        }
        #expect(isWhole)
        #expect(texts().isSubset(of: acknowledged))
        // The client has acknowledged 16 at most, the first ones.
        let left = acknowledged.filter { $0.first?.wholeNumberValue ?? 0 > 3 }
        #expect(left.count == 20 && texts().isSuperset(of: left), "\(texts())")
        try await runner.stop()
    }
}
