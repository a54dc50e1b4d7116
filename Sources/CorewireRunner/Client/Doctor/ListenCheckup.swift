import CorewireCatalogue
import WireBase
import WireConfig

/// Checks whether the loopback address of the local API is free, or used by this app's runner.
struct ListenCheckup {
    private let address: (host: String, port: Int)?
    private let runner: OwnRunner?

    private static let area = "address"

    init(_ validated: FileValidator.ValidatedEnvironment?, _ runner: OwnRunner?) {
        address = validated.flatMap { RunnerHints.listenAddress(of: $0) }
        self.runner = runner
    }

    func findings() async -> [Finding] {
        guard let address, address.port != 0 else { return [] }
        guard let reason = Ports.reasonAgainst(host: address.host, port: address.port) else {
            return [.ok(Self.area, "\(shown) is free")]
        }
        if await isOwnRunners { return [.ok(Self.area, "the runner listens on \(shown)")] }
        let help = "find the process with: ss -ltnp 'sport = :\(address.port)'; or change 'api.listen'"
        return [.problem(Self.area, "cannot listen on \(shown): \(reason)", help: help)]
    }

    /// Whether this app's runner uses the address.
    var isOwnRunners: Bool {
        get async { await runner?.answers(at: shown) ?? false }
    }

    private var shown: String {
        guard let address else { return "" }
        return address.host.contains(":") ? "[\(address.host)]:\(address.port)" : "\(address.host):\(address.port)"
    }
}
