import CorewireCatalogue
import WireBase
import WireConfig

/// Whether the loopback address of the local API is free, or held by the runner it is for.
struct ListenCheckup {
    private let address: (host: String, port: Int)?
    private let runner: OwnRunner?

    private static let area = "address"

    init(_ judged: Judge.Judged?, _ runner: OwnRunner?) {
        address = judged.flatMap { RunnerHints.listenAddress(of: $0) }
        self.runner = runner
    }

    func findings() async -> [Finding] {
        guard let address, address.port != 0 else { return [] }
        guard let reason = Ports.reasonAgainst(host: address.host, port: address.port) else {
            return [.ok(Self.area, "\(shown) is free")]
        }
        if await isOwnRunners { return [.ok(Self.area, "the runner listens at \(shown)")] }
        let help = "find out who has it: ss -ltnp 'sport = :\(address.port)'; or change 'api.listen'"
        return [.problem(Self.area, "nothing can listen at \(shown): \(reason)", help: help)]
    }

    /// Whether this app's runner has the address.
    var isOwnRunners: Bool {
        get async { await runner?.answers(at: shown) ?? false }
    }

    private var shown: String {
        guard let address else { return "" }
        return address.host.contains(":") ? "[\(address.host)]:\(address.port)" : "\(address.host):\(address.port)"
    }
}
