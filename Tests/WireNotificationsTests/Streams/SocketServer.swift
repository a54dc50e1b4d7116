import Foundation
import Support
import Testing

/// The servers of `sockets.py`, as long as the test has them.
final class SocketServer: Sendable {
    static let isThere = ScriptedServer.hasModules("websockets.asyncio.server")

    private let server: ScriptedServer

    init(certificate: String? = nil) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("sockets.py")
        server = try await ScriptedServer(script, certificate.map { [$0] } ?? [])
    }

    var all: [String] { server.all }

    func count(_ beginning: String) -> Int { server.count(beginning) }

    @discardableResult
    func saw(_ beginning: String, times: Int = 1, _ location: SourceLocation = #_sourceLocation) async throws -> String
    {
        try await server.saw(beginning, times: times, location)
    }

    var real: String { "ws://127.0.0.1:\(server.readyWords[0])" }
    var hostile: String { "ws://127.0.0.1:\(server.readyWords[1])" }
    var secure: String { "wss://localhost:\(server.readyWords[2])" }
}
