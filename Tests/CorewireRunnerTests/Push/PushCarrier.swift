import Support
import Testing

/// The services that give endpoints of Web Push, for tests of each.
enum PushCarrier: String, CaseIterable, CustomTestStringConvertible {
    case autopush, ntfy

    var testDescription: String { rawValue }

    /// Starts the double of the service.
    func start() async throws -> ScriptedServer {
        switch self {
        case .autopush: try await ScriptedServer(push: "autopush")
        case .ntfy: try await ScriptedServer(push: "ntfy", ["--keepalive", "0.2", "--up-write"])
        }
    }

    /// The setting of `push.tokens.webPush` for the double.
    func source(at service: ScriptedServer) -> String {
        switch self {
        case .autopush: "type: autopush, url: \"ws://127.0.0.1:\(service.readyWords[0])\""
        case .ntfy: "type: ntfy, url: \"http://127.0.0.1:\(service.readyWords[0])\""
        }
    }
}
