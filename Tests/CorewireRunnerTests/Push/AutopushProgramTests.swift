import Support
import Testing

@Suite("The embedded autopush server, with the built runner", .enabled(if: WebPushPeers.areThere))
struct AutopushProgramTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        backends: { listen: "127.0.0.1:0" }
        """

    private static func peers(of runner: RunningRunner) async throws -> (WebPushPeers, address: String) {
        let status = try runner.corewire(["backends", "status", "--format", "json"]).output
        let address = try String(#require(status.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        return (try await WebPushPeers(of: "ws\(address.dropFirst(4))/autopush"), address)
    }

    @Test("killed between delivery and acknowledgement, the runner delivers the message again", .timeLimit(.minutes(2)))
    func killed() async throws {
        let channel = "5f0c7ee1-0b5d-4f8e-9a3a-3f4a2b1c0d9e"
        let home = try TemporaryFolder()
        var runner = try await RunningRunner(Self.file, in: home)
        let (peers, address) = try await Self.peers(of: runner)
        let uaid = try await peers.greet("ada")
        let endpoint = try await peers.register("ada", channel, key: "sender")
        let options = #""data": "{number}", "ttl": 600, "key": "sender", "times": 3"#
        #expect(try await peers.push("ada", endpoint, options).hasPrefix("201 \(address)/m/"))
        let first = try await peers.notified("ada", times: 3)
        try await peers.acknowledge("ada", first.prefix(1))
        try await peers.settle("ada")
        try await runner.kill()
        runner = try await RunningRunner(nil, in: home)
        #expect(try await peers.greet("ada", uaid) == uaid)
        #expect(try await peers.register("ada", channel, key: "sender") == endpoint)
        #expect(first.map(\.content) == ["1", "2", "3"])
        #expect(peers.notified("ada") == first + first.suffix(2))
        #expect(!runner.log.contains(uaid) && !runner.log.contains(endpoint))
        try await runner.stop()
    }
}
