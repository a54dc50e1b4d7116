import WireHTTP
import WireService
import WireTelemetry

/// Whether the runner lives, whether it does all it should, and what it counts.
struct HealthRoutes {
    let control: any RunnerControl
    let metrics: Metrics

    var routes: [Route] {
        let verbose = Route.Input(.query, "verbose", "Tell every check, one a line.")
        return [
            Route(.get, "/livez", "Whether the runner lives.", access: .anyone, inputs: [verbose], .snapshot(live)),
            Route(
                .get,
                "/readyz",
                "Whether every service that must run does, and why not.",
                access: .anyone,
                inputs: [verbose],
                .snapshot(ready)
            ),
            Route(
                .get,
                "/metrics",
                "What is counted, for Prometheus.",
                access: .read,
                inputs: [.init(.header, "Accept", "application/openmetrics-text, or Prometheus's own text.")],
                .snapshot(count)
            ),
        ]
    }

    /// Answering is living.
    private func live(_ request: Request) -> Response {
        text(request.query("verbose") == nil ? "ok" : "[+]listener ok\nlivez check passed\n", .ok)
    }

    private func ready(_ request: Request) -> Response {
        let status = control.status
        var lines = status.faults.map { "[-]runner failed: \($0.reason)" }
        if status.phase != .running { lines.append("[-]runner \(status.phase.rawValue)") }
        for service in status.services {
            let mark = service.state.isWorking || !service.isRequired ? "[+]" : "[-]"
            lines.append("\(mark)\(service.name) \(service.state.name)\(service.state.reason.map { ": \($0)" } ?? "")")
        }
        if status.rejected != nil {
            lines.append("[+]configuration of generation \(status.generation), a newer one was refused")
        }
        let isReady = status.isReady
        lines.append("readyz check \(isReady ? "passed" : "failed")")
        let isShort = isReady && request.query("verbose") == nil
        return text(isShort ? "ok" : lines.joined(separator: "\n") + "\n", isReady ? .ok : .unavailable)
    }

    private func count(_ request: Request) -> Response {
        let wantsOpenMetrics = request.fields["Accept"]?.contains("application/openmetrics-text") ?? false
        let format: MetricsFormat = wantsOpenMetrics ? .openMetrics : .prometheus
        return Response(
            .ok,
            fields: ["Content-Type": format.contentType],
            body: .bytes(Array(metrics.text(format).utf8))
        )
    }

    private func text(_ text: String, _ status: Status) -> Response {
        Response(
            status,
            fields: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: .bytes(Array(text.utf8))
        )
    }
}
