import WireBase
import WireConfig
import WireHTTP
import WireHost
import WireRuntime
import WireService
import WireTelemetry

/// What the service manager and whoever sends signals are told and heeded.
struct SignalWards {
    let runner: Runner
    let manager: ServiceManager?
    let log: Log
    /// Fired when the start is over: until then there is nothing to be changed.
    let started = OneShot()

    /// Does what signals ask for, until cancelled: none of them waits until another was obeyed.
    func heed(_ signals: Signals) async {
        await withDiscardingTaskGroup { group in
            for await signal in signals {
                switch signal {
                case .terminate, .interrupt:
                    log.notice("stopping")
                    runner.end()
                case .hangUp: group.addTask { await reload() }
                case .user1: log.notice("status", ["status": .text(runner.status.json.text())])
                }
            }
        }
    }

    private func reload() async {
        await started.wait()
        guard started.hasFired else { return }
        try? manager?.tell(.reloading(Clockwork.host.monotonic()))
        let report = await runner.apply(RequestedChange(.file, origin: .signal))
        guard !runner.isStopping else { return }
        let words =
            switch report.outcome {
            case .applied, .unchanged: "\(report.environment ?? "running"), generation \(report.generation)"
            default:
                "refused: \(report.problems.first ?? report.reason ?? "see corewire status"); "
                    + "generation \(report.generation) goes on"
            }
        try? manager?.tell(.ready, .status(words))
    }
}
