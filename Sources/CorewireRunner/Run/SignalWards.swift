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

    /// Reloads on SIGHUP; returns when it is time to stop, with why where nobody has asked for it.
    func heed(_ signals: Signals) async -> Fault? {
        await withTaskGroup(of: Fault?.self) { group in
            group.addTask { await runner.demise() }
            group.addTask {
                await obey(signals)
                return nil
            }
            let demise = await group.next() ?? nil
            group.cancelAll()
            return demise
        }
    }

    private func obey(_ signals: Signals) async {
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
}
