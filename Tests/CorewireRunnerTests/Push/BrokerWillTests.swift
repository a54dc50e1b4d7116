import Support
import Testing

@Suite("Wills at the embedded MQTT broker", .enabled(if: MQTTPeers.areThere), .timeLimit(.minutes(2)))
struct BrokerWillTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        backends: { listen: "127.0.0.1:0" }
        """

    @Test("after the runner was killed, the wills of the clients that were connected are published, once")
    func killed() async throws {
        let home = try TemporaryFolder()
        var runner = try await RunningRunner(Self.file, in: home)
        var peers = try await MQTTPeers(of: runner)
        let session = #"{"clean":false,"expiry":600}"#
        try await peers.open("ada", session)
        try await peers.subscribe("ada", #"{"filter":"wills/#"}"#)
        try await peers.open("bob", #"{"will":["wills/bob","lost",1,false]}"#)
        try await peers.open("carol", #"{"clean":false,"expiry":600,"will":["wills/carol","lost",1,true]}"#)
        try await peers.open("dave", #"{"version":4,"clean":false,"will":["wills/dave","lost",1,false]}"#)
        try await peers.close("dave")
        try await runner.kill()

        runner = try await RunningRunner(nil, in: home)
        peers = try await MQTTPeers(of: runner)
        try await peers.open("ada", session)
        let got = try await peers.got("ada", times: 2)
        #expect(got.count == 2 && got.contains { $0.contains("wills/bob") }, "\(got)")
        #expect(got.contains { $0.contains("wills/carol") }, "\(got)")
        try await peers.tell("ack ada")
        // The broker has read the acknowledgements once it has answered a later packet.
        try await peers.subscribe("ada", #"{"filter":"other"}"#)
        // The session of the client without an expiry has ended, and that of the other one goes on.
        #expect(try await peers.open("bob").hasPrefix("00 false"))
        #expect(try await peers.open("carol", session).hasPrefix("00 true"))
        try await runner.kill()

        runner = try await RunningRunner(nil, in: home)
        peers = try await MQTTPeers(of: runner)
        try await peers.open("ada", session)
        try await peers.open("eve")
        try await peers.subscribe("eve", #"{"filter":"wills/#"}"#)
        #expect(try await peers.got("eve", times: 1).first?.contains("wills/carol") == true)
        #expect(try await peers.publish("eve", #"{"topic":"wills/end","text":"end"}"#) == "00")
        #expect(try await peers.got("ada", times: 1).first?.contains("wills/end") == true)
        try await runner.stop()
    }
}
