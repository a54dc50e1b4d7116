import WireBase
import WireConfig
import WireHost
import WireHTTP
import WireRunnerContract
import WireRuntime
import WireService
import WireTelemetry

/// Handles signals, and reports the status to the service manager.
struct SignalHandler {
    let runner: Runner
    let manager: ServiceManager?
    let log: Log
    /// Fires when the start is over, because changes are not possible before.
    let started = OneShot()

    /// Handles signals until cancelled, each one independently of the others.
    func handle(_ signals: Signals) async {
        await withDiscardingTaskGroup { group in
            for await signal in signals {
                switch signal {
                case .terminate, .interrupt:
                    log.notice("stopping")
                    runner.end()
                case .hangUp: group.addTask { await reload() }
                case .user1: await tellStatus()
                }
            }
        }
    }

    /// Logs the status of the runner and of each service.
    private func tellStatus() async {
        let status = await runner.statusWithFiles
        log.notice(
            "status",
            [
                "phase": .text(status.phase.rawValue), "ready": .boolean(status.isReady),
                "environment": status.environment.map(LogValue.text), "generation": .integer(status.generation),
                "hash": .text(status.hash), "refused": status.rejected?.reason.map(LogValue.text),
                "setAside": status.setAside.map(LogValue.text), "edited": status.edited.map(LogValue.text),
                "fault": status.faults.first.map { .text($0.reason) },
            ]
        )
        for service in status.services {
            log.of(service.name).notice(
                "status",
                [
                    "state": .text(service.state.name), "reason": service.state.reason.map(LogValue.text),
                    "inFlight": .integer(service.inFlight), "restarts": .integer(service.restarts),
                ]
            )
        }
    }

    private func reload() async {
        await started.wait()
        guard started.hasFired else { return }
        try? manager?.notify(.reloading(TimeSource.host.monotonic()))
        _ = await runner.apply(RequestedChange(.file, origin: .signal))
        guard !runner.isStopping else { return }
        try? manager?.notify(.ready, .status(words))
    }

    /// Reports each change to the service manager until cancelled.
    func report() async {
        guard let manager else { return }
        for await _ in runner.events.watch(named: "generation.") where !runner.isStopping {
            try? manager.notify(.status(words))
        }
    }

    /// The status line: what runs, and why a change was rejected.
    var words: String {
        let status = runner.status
        guard let refused = status.rejected else {
            return "\(status.environment ?? "running"), generation \(status.generation)"
        }
        let why = refused.problems.first ?? refused.reason ?? "see corewire status"
        return "rejected: \(why); still running generation \(status.generation)"
    }
}
