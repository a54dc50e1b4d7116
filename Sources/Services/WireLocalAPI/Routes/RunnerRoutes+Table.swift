import WireBase
import WireHTTP
import WireRunnerContract

extension RunnerRoutes {
    static let table: [RouteEntry<Self>] = [
        .call(RunnerCalls.status, by: RunnerRoutes.status).inline.uncounted,
        .call(RunnerCalls.environment, atOnce: RunnerRoutes.environment),
        .call(RunnerCalls.generations, by: RunnerRoutes.generations),
        .init(
            .init(
                .get,
                "/v1/generations/{generation}",
                "Get the configuration of a generation, secrets redacted.",
                access: .read,
                inputs: RollbackRequest.form.inputs.filter { $0.kind == .path },
                answers: [.body("application/yaml", "A services file."), ChangeFailureKind.noSuchGeneration.described]
            )
        ) { .work($0.effectiveFile) },
        .init(
            .init(
                .get,
                "/v1/events",
                "Stream events, as server-sent events.",
                access: .read,
                inputs: [
                    .init(.query, "name", "Only events whose names have this prefix."),
                    .init(.query, "follow", "false for the stored events alone.", .boolean),
                    .init(.header, "Last-Event-ID", "Continue after this event.", .text(pattern: "^[0-9]{1,19}$")),
                ],
                answers: [.body("text/event-stream", "The events.")]
            )
        ) { .work($0.events) },
        .call(RunnerCalls.use, by: RunnerRoutes.use),
        .call(RunnerCalls.reload, by: RunnerRoutes.reload),
        .call(RunnerCalls.plan, by: RunnerRoutes.plan),
        .call(RunnerCalls.confirm, by: RunnerRoutes.confirm),
        .call(RunnerCalls.rollback, by: RunnerRoutes.rollback),
    ]
}
