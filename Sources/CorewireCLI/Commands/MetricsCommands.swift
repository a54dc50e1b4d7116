/// What the metrics service is told, from the command line: declared here, done by the runner's program.
enum MetricsCommands {
    static let metrics = Command(
        name: "metrics",
        summary: "Show what the metrics service is told, and have it told.",
        subcommands: [status, preview, send]
    )

    private static let status = Command(
        name: "status",
        summary: "Show where metrics go, and what became of the last ones.",
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let preview = Command(
        name: "preview",
        summary: "Show what would be sent now, word for word; nothing is.",
        discussion: "Each line is the body of one request.",
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let send = Command(
        name: "send",
        summary: "Have messages sent now.",
        discussion: "Exit status: 0 they are on their way, 1 the file does not name the type, or no rules have run.",
        arguments: [
            .init(name: "type", help: "init or security; otherwise all that 'metrics.types' names.", isOptional: true)
        ],
        options: RunnerCommands.speaking,
        isRunners: true
    )
}
