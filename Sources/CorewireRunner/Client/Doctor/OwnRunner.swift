import CorewireCatalogue
import CorewireCLI
import WireBase
import WireHost
import WireHTTP
import WireTransfer

/// Identifies the runner of an app by the run id that it reports at each of its addresses.
struct OwnRunner {
    private let folders: [String]
    private let sockets: [String]

    init(_ hints: RunnerHints, _ environment: Environment) {
        folders = SocketFinder.folders(of: hints.app ?? "app", hints.group, environment)
        sockets = hints.paths + folders.map { "\($0)/api.sock" }
    }

    /// Whether the process at an address is this app's runner.
    func answers(at address: String) async -> Bool {
        guard let run = await Self.run(at: "http://\(address)") else { return false }
        if folders.contains(where: { RunnerLock.run(at: "\($0)/runner.lock") == run }) { return true }
        // The lock of another user's runner is not readable, but its socket may be accessible.
        for socket in sockets where SocketProbe.ask(socket) == .listening {
            if await Self.run(at: "http://localhost", over: socket) == run { return true }
        }
        return false
    }

    private static func run(at origin: String, over socket: String? = nil) async -> String? {
        guard let client = try? TransferClient() else { return nil }
        var request = OutgoingRequest(.get, "\(origin)/livez?verbose")
        request.socket = socket
        request.allowsPlainText = true
        (request.connectTimeout, request.headTimeout, request.deadline) = (.seconds(2), .seconds(2), .seconds(4))
        let answer = try? await client.send(request)
        let text = try? await answer?.body.collect(upTo: .kibibytes(4))
        await client.stop()
        guard answer?.status == .ok, let text else { return nil }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").firstFound {
            $0.hasPrefix("run ") ? String($0.dropFirst(4)) : nil
        }
    }
}
