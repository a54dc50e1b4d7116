/// The commands about the servers built in: where they are, and faults on demand.
enum BackendCommands {
    static let backends = Command(
        name: "backends",
        summary: "Show the servers built in, and let them fail to see what comes of it.",
        subcommands: [status, push, metrics, versions, disableVersion, enableVersion, fault, faults, clear]
    )

    private static let status = Command(
        name: "status",
        summary: "Show where the servers built in listen, and which faults are on.",
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let push = Command(
        name: "push",
        summary: "Show who has registered at the push servers built in, what was sent and what waits.",
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let metrics = Command(
        name: "metrics",
        summary: "Show the messages the metrics service built in has taken.",
        options: RunnerCommands.speaking + [
            .init(name: "last", value: "count", help: "How many of the last ones. (default: 20)")
        ],
        isRunners: true
    )

    private static let versions = Command(
        name: "versions",
        summary: "Show which versions of the app may run, to the mobile security service built in.",
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let disableVersion = Command(
        name: "disable-version",
        summary: "Switch a version of the app off.",
        discussion: """
            Where the file has the rule 'appVersion', whoever runs this version sees what follows at once:

              corewire backends disable-version 1.4.0 --message "Please update."
              corewire security report
              corewire backends enable-version 1.4.0
            """,
        arguments: [version],
        options: RunnerCommands.speaking + [
            .init(name: "message", value: "text", help: "What people are told then.")
        ],
        isRunners: true
    )

    private static let enableVersion = Command(
        name: "enable-version",
        summary: "Switch a version of the app on again.",
        arguments: [version],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let version = Command.Argument(name: "version", help: "The version, as 'app.version' has it.")

    private static let fault = Command(
        name: "fault",
        summary: "Let requests to the servers built in fail, come late or never end.",
        discussion: """
            A fault is one of: --status, --latency, --drip, or a kind that needs no number. It ends by
            itself after --for or --count, or with 'corewire backends clear'; without either it is on
            again when the runner starts again. Of several that a request meets the latest counts.

              corewire backends fault --status 503 --retry-after 5s --for 30s --on /api
              corewire backends fault reset --percent 20 --seed 7
            """,
        arguments: [
            .init(
                name: "kind",
                help: "reset, blackHole, truncate, wrongLength; or status, latency, drip.",
                isOptional: true
            )
        ],
        options: RunnerCommands.speaking + [
            .init(name: "status", value: "code", help: "Answer with this status."),
            .init(name: "retry-after", value: "duration", help: "What 'Retry-After' says then."),
            .init(name: "latency", value: "duration", help: "Answer that much later."),
            .init(name: "drip", value: "bytes", help: "Send so many bytes of each body a second."),
            .init(name: "for", value: "duration", help: "How long it lasts. (default: until it is cleared)"),
            .init(name: "on", value: "path", help: "Only paths that begin so: /api. (default: all)"),
            .init(name: "method", value: "name", help: "Only this method; may be repeated.", isRepeated: true),
            .init(name: "header", value: "name", help: "Only requests that have this header field: Authorization."),
            .init(name: "percent", value: "number", help: "Only so many of a hundred requests."),
            .init(name: "count", value: "number", help: "Only so many requests."),
            .init(name: "seed", value: "number", help: "What chance begins with. (default: backends.seed)"),
        ],
        isRunners: true
    )

    private static let faults = Command(
        name: "faults",
        summary: "List the faults that are on.",
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let clear = Command(
        name: "clear",
        summary: "End a fault, or all of them.",
        arguments: [
            .init(name: "fault", help: "Its name, as 'corewire backends faults' lists it.", isOptional: true)
        ],
        options: RunnerCommands.speaking,
        isRunners: true
    )
}
