import CorewireFile
import WireBase
import WireHTTP
import WireTransfer

/// Whether the loopback address of the local API is free, or held by the runner it is for.
struct ListenCheckup {
    private let address: (host: String, port: Int)?
    private let isRunning: Bool

    private static let area = "address"

    init(_ file: FileCheckup, isRunning: Bool) {
        address = file.judged.flatMap { RunnerHints.listenAddress(of: $0) }
        self.isRunning = isRunning
    }

    func findings() async -> [Finding] {
        guard let address, address.port != 0 else { return [] }
        let shown = address.host.contains(":") ? "[\(address.host)]:\(address.port)" : "\(address.host):\(address.port)"
        guard let reason = Ports.reasonAgainst(host: address.host, port: address.port) else {
            return [.ok(Self.area, "\(shown) is free")]
        }
        if isRunning, await isRunners(shown) { return [.ok(Self.area, "the runner listens at \(shown)")] }
        let help = "find out who has it: ss -ltnp 'sport = :\(address.port)'; or change 'api.listen'"
        return [.problem(Self.area, "nothing can listen at \(shown): \(reason)", help: help)]
    }

    /// Whether what answers there says that it lives as a runner says it.
    private func isRunners(_ address: String) async -> Bool {
        guard let client = try? TransferClient() else { return false }
        var request = OutgoingRequest(.get, "http://\(address)/livez")
        request.allowsPlainText = true
        request.connectTimeout = .seconds(2)
        request.headTimeout = .seconds(2)
        let answer = try? await client.send(request)
        await client.stop()
        return answer?.status == .ok && answer?.fields["Corewire-Generation"] != nil
    }
}
