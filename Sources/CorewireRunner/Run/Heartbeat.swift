import Corewire
import WireBase
import WireHost
import WireHTTP
import WireTelemetry
import WireTransfer

/// Tells the service manager that the runner is well, for as long as it is: every part that matters has to get somewhere.
///
/// The scheduler gets somewhere when this task does; the store when it has taken a transaction, which waits for its turn behind
/// what is written and writes nothing; the listener when it answers a request that comes through its socket as everybody's do. A part that hangs earns no ping, and the
/// service manager does what it does to programs that hang.
struct Heartbeat {
    let assembly: Assembly
    let manager: ServiceManager
    let interval: Duration
    let log: Log
    private let clock = Clockwork.host

    /// Nil where nobody waits for pings.
    init?(_ assembly: Assembly, _ manager: ServiceManager?, log: Log) {
        guard let manager, let interval = manager.watchdogInterval else { return nil }
        self.assembly = assembly
        self.manager = manager
        self.interval = interval
        self.log = log
    }

    func run() async {
        let client = try? TransferClient(TransferOptions())
        var watchdog = Watchdog(
            ["scheduler": interval * 2, "store": interval * 2, "listener": interval * 2],
            at: clock.monotonic()
        )
        while !Task.isCancelled {
            let begin = clock.monotonic()
            watchdog.pulse(of: "scheduler", at: begin)
            async let isStoreWell = assembly.storeGetsSomewhere(within: interval)
            async let isListenerWell = listenerAnswers(client)
            if await isStoreWell { watchdog.pulse(of: "store", at: clock.monotonic()) }
            if await isListenerWell { watchdog.pulse(of: "listener", at: clock.monotonic()) }
            switch watchdog.verdict(at: clock.monotonic()) {
            case .ping: try? manager.tell(.watchdog)
            case .withhold(let stalled):
                log.error("no ping: something hangs", ["parts": .text(stalled.map(\.name).joined(separator: ", "))])
            }
            do { try await clock.sleep(max(.milliseconds(1), interval - (clock.monotonic() - begin))) } catch { return }
        }
    }

    /// A file without a local API has no listener that could hang.
    private func listenerAnswers(_ client: TransferClient?) async -> Bool {
        guard let socket = assembly.apiSocket else { return true }
        var request = OutgoingRequest(.get, "http://corewire/livez")
        request.socket = socket
        request.deadline = interval
        guard let client, let response = try? await client.send(request) else { return false }
        return response.status == .ok
    }
}
