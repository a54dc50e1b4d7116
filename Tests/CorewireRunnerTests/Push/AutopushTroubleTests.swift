import Support
import Testing
import WireConfig

/// BY-15: what Mozilla's service does beside delivering.
@Suite("Trouble with an autopush service, with the built runner", .timeLimit(.minutes(2)))
struct AutopushTroubleTests {
    /// The only stream, by `corewire notifications streams`.
    private static func stream(_ scene: WebPushScene) throws -> JSONValue {
        let run = try scene.runner.corewire(["notifications", "streams", "--format", "json"])
        return try JSONValue(parsing: Array(run.output.utf8), named: "streams")["streams"]?.array?.first ?? .null
    }

    @Test(
        "a connection that the service does not want is not made again at once",
        arguments: [
            ("1011 GHOST", "is the store a copy"), ("1011 SM", "is the store a copy"),
            ("4774", "asks not to connect again for now"),
        ]
    )
    func closed(close: String, reason: String) async throws {
        let scene = try await WebPushScene()
        #expect(try await eventually { try Self.stream(scene)["connected"]?.boolean == true })
        try await scene.service.tell("close \(close)")
        let isTold = try await eventually {
            try Self.stream(scene)["reason"]?.string?.contains(reason) == true
        }
        #expect(isTold)
        #expect(try Self.stream(scene)["connected"]?.boolean == false)
        // A rejection waits for minutes; an ended connection for a second.
        let line = try #require(scene.runner.log.split(separator: "\n").last { $0.contains("was rejected") })
        #expect(line.contains("retryIn"), "\(line)")
        #expect(scene.service.count("hello") == 1, "\(scene.service.all)")
        try await scene.runner.stop()
    }
}
