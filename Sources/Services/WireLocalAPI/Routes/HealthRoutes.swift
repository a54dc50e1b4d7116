import WireBase
import WireHTTP
import WireRunnerContract
import WireService
import WireTelemetry

/// Liveness, readiness and metrics of the runner.
struct HealthRoutes: RouteGroup {
    let control: any RunnerControl
    let metrics: Metrics
    /// The id of this run of the program.
    let run: String?

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/livez",
                "Check that the runner is alive.",
                access: .anyone,
                inputs: [verbose],
                answers: [.body("text/plain", "It lives.")]
            )
        ) { .snapshot($0.live) },
        .init(
            .init(
                .get,
                "/readyz",
                "Check that all required services run.",
                access: .anyone,
                inputs: [verbose],
                answers: [
                    .body("text/plain", "All required services run."),
                    .body("text/plain", "A required service does not; see the lines.", status: .unavailable),
                ]
            )
        ) { .snapshotOrWork($0.ready) }.uncounted,
        .init(
            .init(
                .get,
                "/metrics",
                "Get the metrics, for Prometheus.",
                access: .read,
                inputs: [.init(.header, "Accept", "application/openmetrics-text, or Prometheus's text format.")],
                answers: [
                    .body("text/plain", "The metrics,"),
                    .body("application/openmetrics-text", "in either format."),
                ]
            )
        ) { .work($0.count) }.uncounted,
    ]

    private static let verbose = Route.Input(.query, "verbose", "List every check, one a line.")

    /// Any response proves that the runner is alive.
    private func live(_ request: Request) -> Response {
        guard request.query("verbose") != nil else { return Self.ok }
        return Self.text("[+]listener ok\n\(run.map { "run \($0)\n" } ?? "")livez check passed\n", .ok)
    }

    /// Supervisors send this request every few seconds, so the response is made once.
    private static let ok = text("ok", .ok)

    private func ready(_ request: Request) -> Route.Handler.Quick {
        guard request.query("verbose") != nil else { return .now(answer(control.status, isVerbose: false)) }
        return .later { answer(await control.statusWithFiles, isVerbose: true) }
    }

    private func answer(_ status: RunnerStatus, isVerbose: Bool) -> Response {
        var lines = status.faults.map { "[-]runner failed: \($0.reason)\($0.help.map { "; \($0)" } ?? "")" }
        if status.phase != .running { lines.append("[-]runner \(status.phase.rawValue)") }
        for service in status.services {
            let mark = service.state.isWorking || !service.isRequired ? "[+]" : "[-]"
            lines.append("\(mark)\(service.name) \(service.state.name)\(service.state.reason.map { ": \($0)" } ?? "")")
        }
        if let reason = status.setAside {
            lines.append("[+]configuration of generation \(status.generation), not the file's: \(reason)")
        }
        if let difference = status.edited { lines.append("[+]configuration on disk: \(difference)") }
        if status.rejected != nil {
            lines.append("[+]configuration of generation \(status.generation), a newer one was rejected")
        }
        let isReady = status.isReady
        lines.append("readyz check \(isReady ? "passed" : "failed")")
        if isReady, !isVerbose { return Self.ok }
        return Self.text(lines.joined(separator: "\n") + "\n", isReady ? .ok : .unavailable)
    }

    private func count(_ request: Request) async -> Response {
        let format = MetricsFormat(accepting: request.fields["Accept"])
        return Response(
            .ok,
            fields: ["Content-Type": format.contentType],
            body: .bytes(Array(await metrics.text(format).utf8))
        )
    }

    private static func text(_ text: String, _ status: Status) -> Response {
        Response(
            status,
            fields: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: .bytes(Array(text.utf8))
        )
    }
}
