import WireBase

/// Requests that must arrive, from the command line: declared here, done by the runner's program.
enum OutboxCommands {
    static let outbox = Command(
        name: "outbox",
        summary: "Send requests for certain, and look after those that wait.",
        subcommands: [list, show, retry, drop, pause, resume, post, follow]
    )

    private static let id = Command.Argument(name: "id", help: "The id of the request.")
    private static let lane = Command.Option(
        name: "lane",
        value: "name",
        help: "Only this lane. (default: all of the outbox)"
    )

    private static let list = Command(
        name: "list",
        summary: "List the requests that wait, oldest first.",
        discussion: """
            Shows where each goes, for how long it has waited, how often it was tried, why it was not
            sent the last time and when it is tried again; never its fields or its body.
            """,
        options: RunnerCommands.speaking + [
            .init(name: "lane", value: "name", help: "Only what waits in this line."),
            .init(name: "limit", value: "count", help: "How many at most. (default: 100)"),
        ],
        isRunners: true
    )

    private static let show = Command(
        name: "show",
        summary: "Show how it is with a request, or what became of it.",
        discussion: "Exit status: 0 it waits or has arrived, 1 it has failed, was dropped, or is not known.",
        arguments: [id],
        options: RunnerCommands.speaking + [
            .init(name: "content", help: "Show its fields and its body too, secrets redacted.")
        ],
        isRunners: true
    )

    private static let retry = Command(
        name: "retry",
        summary: "Try a request now instead of at its time.",
        arguments: [id],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let drop = Command(
        name: "drop",
        summary: "Let go of a request, which will then never arrive.",
        discussion: "One that is under way may have arrived already.",
        arguments: [id],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let pause = Command(
        name: "pause",
        summary: "Send nothing more until 'corewire outbox resume'.",
        discussion: "Requests are still taken. The pause outlives the runner.",
        options: RunnerCommands.speaking + [lane],
        isRunners: true
    )

    private static let resume = Command(
        name: "resume",
        summary: "Send again what was paused.",
        discussion: "A lane that was paused by itself is resumed by itself.",
        options: RunnerCommands.speaking + [lane],
        isRunners: true
    )

    private static let post = Command(
        name: "post",
        summary: "Send a request for certain.",
        discussion: """
            Answered when the request is on the disk: it is sent until it has arrived, over ends of
            the runner and of the network.

            Exit status: 0 taken, also where one with its id was taken before; 1 refused.
            """,
        arguments: [
            .init(name: "path", help: "Below the base URL of the environment, or a whole URL."),
            .init(name: "body", help: "The body; '-' reads standard input. (default: none)", isOptional: true),
        ],
        options: RunnerCommands.speaking + [
            .init(name: "method", value: "name", help: "POST, PUT, PATCH, DELETE or another. (default: POST)"),
            .init(name: "type", value: "media-type", help: "What the body is. (default: application/json)"),
            .init(name: "header", value: "name: value", help: "A field to send along.", isRepeated: true),
            .init(
                name: "lane",
                value: "name",
                help: "What it waits in line with. (default: the signed-in user's, or 'default')"
            ),
            .init(name: "id", value: "text", help: "Never taken twice, and sent as Request-ID. (default: a new one)"),
            .init(
                name: "authorization",
                value: "whose",
                help: "Whose token goes along: usual, none, app, appPlus or user. (default: usual)",
                values: .words(["usual", "none", "app", "appPlus", "user"])
            ),
            .init(name: "attempts", value: "count", help: "How often it is tried. (default: as the file says)"),
            .init(name: "max-age", value: "duration", help: "How long it may wait. (default: as the file says)"),
            .init(name: "replace", help: "Take the place of the requests of its lane that wait."),
        ],
        isRunners: true
    )

    private static let follow = Command(
        name: "follow",
        summary: "Show what becomes of requests as it happens, until interrupted.",
        discussion: """
            A line for each request that is taken, sent, put off, given up or dropped; on a terminal
            the last line tells how many wait. With --output json each line is an object.
            """,
        options: RunnerCommands.speaking,
        isRunners: true
    )
}
