import WireBase
import WireConfig
import WireHost
import WireRuntime
import WireHTTP
import WireService
import WireTelemetry

/// What the service manager and whoever sends signals are told and heeded.
struct SignalWards {
    let runner: Runner
    let manager: ServiceManager?
    let log: Log

    /// Reloads on SIGHUP; returns when it is time to stop.
    func heed(_ signals: Signals) async {
        for await signal in signals {
            switch signal {
            case .terminate, .interrupt:
                log.notice("stopping")
                return
            case .hangUp: await reload()
            case .user1: log.notice("status", ["status": .text(runner.status.json.text())])
            }
        }
    }

    private func reload() async {
        try? manager?.tell(.reloading(Clockwork.host.monotonic()))
        let report = await runner.apply(RequestedChange(.file, origin: .signal))
        let words =
            switch report.outcome {
            case .applied, .unchanged: "\(report.environment ?? "running"), generation \(report.generation)"
            default: "refused: \(report.reason ?? "see corewire status"); generation \(report.generation) goes on"
            }
        try? manager?.tell(.ready, .status(words))
    }

    /// Pings while everything that matters gets somewhere; returns at once where nobody waits for pings.
    func keepWatchdogFed() async {
        guard let manager, let interval = manager.watchdogInterval else { return }
        let clock = Clockwork.host
        var watchdog = Watchdog(["runner": interval * 2], at: clock.monotonic())
        while !Task.isCancelled {
            // A status read goes through every lock a request goes through.
            _ = runner.status
            watchdog.pulse(of: "runner", at: clock.monotonic())
            switch watchdog.verdict(at: clock.monotonic()) {
            case .ping: try? manager.tell(.watchdog)
            case .withhold(let stalled):
                log.error("no ping: something hangs", ["parts": .text(stalled.map(\.name).joined(separator: ", "))])
            }
            do { try await clock.sleep(interval) } catch { return }
        }
    }
}
