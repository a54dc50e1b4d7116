import Glibc
import Synchronization
import WireBase
import WireConfig
import WireHost
import WireHTTP
import WireListener
import WireRunnerContract
import WireRuntime
import WireService
import WireTelemetry

/// Opens listeners on this machine.
struct HostListenerFactory: ListenerFactory {
    let inherited: [InheritedSocket]

    init(_ sockets: [ActivatedSocket]) {
        inherited = sockets.map { socket in
            let place: InheritedSocket.Place =
                switch socket.address {
                case .unix(let path): .unix(path: path)
                case .tcp(let host, let port): .tcp(host: host, port: port)
                case .other: .other
                }
            return InheritedSocket(descriptor: socket.descriptor, place: place)
        }
    }

    /// The inherited Unix socket, if any.
    var inheritedSocket: InheritedSocket? {
        inherited.first { if case .unix = $0.place { true } else { false } }
    }

    func open(_ endpoint: Endpoint, limits: ListenerLimits, for responder: any Responder) throws -> any Listener {
        HTTPListener(at: endpoint, limits: limits, responder)
    }

    func open(
        _ endpoint: Endpoint,
        limits: ListenerLimits,
        handling handle: @escaping @Sendable (any ByteStream) async -> Void
    ) throws -> any Listener {
        StreamListener(at: endpoint, limits: limits, handle)
    }
}

/// The users of this machine; an unknown user has no groups.
struct HostAccounts: WireService.Accounts {
    var ownUser: UInt32 { geteuid() }

    func user(named name: String) -> UInt32? { try? WireHost.Accounts.user(name) }

    func group(named name: String) -> UInt32? { try? WireHost.Accounts.group(name) }

    func groups(of user: UInt32) -> Set<UInt32> { Set((try? WireHost.Accounts.groups(of: user)) ?? []) }
}

/// Reads and writes private files of the current user.
struct HostPrivateFiles: PrivateFiles {
    func read(_ path: String, upTo limit: ByteCount) throws -> [UInt8]? {
        guard Files.exists(path) else { return nil }
        guard !Files.isReadableByOthers(path) else { throw Fault("others can read \(path.quoted)", help: "chmod 600") }
        return try Fault.rethrowing(
            after: "\(path.quoted) cannot be read",
            try Files.read(path, upTo: limit, onlyRegular: true)
        )
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        try Fault.rethrowing(
            after: "\(path.quoted) cannot be written",
            try Files.replace(path, with: bytes, permissions: 0o600)
        )
    }
}

/// The runner's control for services that are created before the runner.
///
/// Owned by the runner's surroundings, so it holds no reference to the runner; after the end it reports that the runner
/// is stopping.
final class DeferredControl: RunnerControl {
    private struct State { weak var runner: Runner? }

    let events: EventHub
    private let state = Mutex(State())

    init(_ events: EventHub) { self.events = events }

    func resolve(_ runner: Runner) { state.withLock { $0.runner = runner } }

    private var present: Runner? { state.withLock { $0.runner } }

    var status: RunnerStatus { present?.status ?? Self.ended }
    var statusWithFiles: RunnerStatus {
        get async { await present?.statusWithFiles ?? Self.ended }
    }

    private static let ended = RunnerStatus(
        phase: .stopping,
        app: nil,
        file: "",
        environment: nil,
        environments: [],
        backend: "",
        generation: 0,
        hash: "",
        started: 0,
        services: []
    )

    private var refusal: ChangeReport {
        var report = ChangeReport(outcome: .conflict, generation: 0, environment: nil, hash: "")
        report.reason = "the runner is stopping"
        return report
    }

    func plan(_ change: RequestedChange) async -> ChangeReport { await present?.plan(change) ?? refusal }
    func apply(_ change: RequestedChange) async -> ChangeReport { await present?.apply(change) ?? refusal }
    func end(because fault: Fault) { present?.end(because: fault) }
    func confirm() async throws(Fault) -> Bool { try await present?.confirm() ?? false }
    func generations() async -> [GenerationRecord] { await present?.generations() ?? [] }
    func effectiveFile(of generation: Int) async -> String? { await present?.effectiveFile(of: generation) }
}
