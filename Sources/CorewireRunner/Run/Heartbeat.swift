import Corewire
import WireBase
import WireHost
import WireHTTP
import WireTelemetry
import WireTransfer

/// Pings the service manager as long as all critical parts of the runner make progress.
///
/// The scheduler makes progress when this task runs; the store when it completes an empty transaction after pending
/// writes; the listener when it answers a request over its socket. A part that hangs suppresses the ping, and the
/// service manager then restarts the process.
struct Heartbeat {
    let assembly: Assembly
    let manager: ServiceManager
    let interval: Duration
    let log: Log
    private let clock = TimeSource.host

    /// Nil where no watchdog is configured.
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
            case .ping: try? manager.notify(.watchdog)
            case .withhold(let stalled):
                log.error(
                    "watchdog ping skipped: a part does not respond",
                    ["parts": .text(stalled.map(\.name).joined(separator: ", "))]
                )
            }
            do { try await clock.sleep(max(.milliseconds(1), interval - (clock.monotonic() - begin))) } catch { return }
        }
    }

    /// Whether the listener responds; true for a file without a local API.
    private func listenerAnswers(_ client: TransferClient?) async -> Bool {
        guard let socket = assembly.apiSocket else { return true }
        var request = OutgoingRequest(.get, "http://corewire/livez")
        request.socket = socket
        request.deadline = interval
        guard let client, let response = try? await client.send(request) else { return false }
        return response.status == .ok
    }
}
