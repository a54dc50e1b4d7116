import WireBase

/// What the runner's program does: declared here, where help and completion are, and done there.
enum RunnerCommands {
    static let all = [
        run, status, events, reload, plan, confirm, history, diff, rollback, state, console, doctor,
    ]

    private static let output = Command.Option(
        name: "output",
        value: "format",
        help: "text or json. (default: text)",
        values: .words(["text", "json"])
    )
    private static let socket = Command.Option(
        name: "socket",
        value: "path",
        help: "The socket of the runner. (default: that of the services file's app)",
        values: .files
    )
    /// What every command takes that speaks to a running runner.
    private static let speaking = [ConfigFinder.option, socket, output]

    private static let confirmWithin = Command.Option(
        name: "confirm-within",
        value: "duration",
        help: "Return to the present generation unless 'corewire confirm' comes in time."
    )

    private static let generation = Command.Argument(
        name: "generation",
        help: "Its number, as 'corewire history' lists it."
    )

    static let run = Command(
        name: "run",
        summary: "Run the services of a services file.",
        discussion: """
            Wires what the file declares and keeps it running until SIGTERM or SIGINT; a second one
            ends at once. SIGHUP reads the file again. A file that is not valid never stops what runs.

            Exit status: 0 after a drain, 75 another runner has this app, 78 the file is not valid.
            """,
        options: ConfigFinder.options + [
            .init(
                name: "log-level",
                value: "level",
                help: "debug, info, notice, warning or error; of one module: auth=debug.",
                isRepeated: true
            ),
            .init(name: "drain", value: "duration", help: "How long what is in flight may take to end. (default: 20s)"),
        ],
        isRunners: true
    )

    static let status = Command(
        name: "status",
        summary: "Show how the runner and its services are.",
        options: speaking,
        isRunners: true
    )

    static let events = Command(
        name: "events",
        summary: "Show what happens.",
        options: speaking + [
            .init(name: "follow", help: "Go on until interrupted."),
            .init(name: "name", value: "prefix", help: "Only events whose names begin so."),
            .init(name: "after", value: "id", help: "Only events after this one."),
        ],
        isRunners: true
    )

    static let reload = Command(
        name: "reload",
        summary: "Read the file again, and make what it says the next generation.",
        discussion: "Exit status: 0 applied or unchanged, 1 refused, 69 no runner answers.",
        options: speaking + [
            confirmWithin,
            .init(name: "force", help: "Make everything anew, also what has not changed."),
            .init(name: "if-hash", value: "hash", help: "Only where this content runs."),
        ],
        isRunners: true
    )

    static let plan = Command(
        name: "plan",
        summary: "Show what a reload, a switch or a rollback would do, without doing it.",
        options: speaking + [
            .init(name: "env", value: "name", help: "Plan the switch to an environment.", values: .environments),
            .init(name: "generation", value: "number", help: "Plan the return to a generation."),
        ],
        isRunners: true
    )

    static let confirm = Command(
        name: "confirm",
        summary: "Keep the generation that waits to be confirmed.",
        options: speaking,
        isRunners: true
    )

    static let history = Command(
        name: "history",
        summary: "List the generations that are kept.",
        options: speaking,
        isRunners: true
    )

    static let diff = Command(
        name: "diff",
        summary: "Show what differs between two generations.",
        arguments: [
            .init(name: "from", help: "The number of a generation."),
            .init(name: "to", help: "The number of another. (default: the present one)", isOptional: true),
        ],
        options: speaking + [.init(name: "unified", help: "Show the effective files as 'diff -u' does.")],
        isRunners: true
    )

    static let rollback = Command(
        name: "rollback",
        summary: "Make what an earlier generation was made of the next one.",
        arguments: [generation],
        options: speaking + [confirmWithin],
        isRunners: true
    )

    /// A part of `corewire env`.
    static let use = Command(
        name: "use",
        summary: "Switch the runner to another environment.",
        arguments: [
            .init(name: "environment", help: "Its name, or the URL of one that is not declared.", values: .environments)
        ],
        options: speaking + [confirmWithin],
        isRunners: true
    )

    static let state = Command(
        name: "state",
        summary: "Read and write what apps store.",
        subcommands: [
            Command(
                name: "get",
                summary: "Print a value.",
                arguments: [namespace, key],
                options: speaking,
                isRunners: true
            ),
            Command(
                name: "set",
                summary: "Store a value.",
                arguments: [
                    namespace, key,
                    .init(name: "value", help: "The value; without it, standard input.", isOptional: true),
                ],
                options: speaking + [
                    .init(name: "ttl", value: "duration", help: "How long it is kept."),
                    .init(name: "type", value: "media-type", help: "What it is. (default: text/plain)"),
                    .init(name: "if-match", value: "etag", help: "Only where this version is stored."),
                    .init(name: "if-absent", help: "Only where nothing is stored."),
                ],
                isRunners: true
            ),
            Command(
                name: "delete",
                summary: "Remove a value.",
                arguments: [namespace, key],
                options: speaking + [
                    .init(name: "if-match", value: "etag", help: "Only where this version is stored.")
                ],
                isRunners: true
            ),
            Command(
                name: "list",
                summary: "List namespaces, or the keys of one.",
                arguments: [.init(name: "namespace", help: "The namespace.", isOptional: true)],
                options: speaking + [.init(name: "prefix", value: "text", help: "Only keys that begin so.")],
                isRunners: true
            ),
            Command(
                name: "watch",
                summary: "Show what changes in a namespace, until interrupted.",
                arguments: [namespace],
                options: speaking,
                isRunners: true
            ),
        ]
    )

    private static let namespace = Command.Argument(name: "namespace", help: "The namespace.")
    private static let key = Command.Argument(name: "key", help: "The key.")

    static let console = Command(
        name: "console",
        summary: "Print a link that signs in to the console once.",
        options: speaking,
        isRunners: true
    )

    static let doctor = Command(
        name: "doctor",
        summary: "Check this machine: libraries, folders, sockets, clock, store.",
        options: ConfigFinder.options + [output],
        isRunners: true
    )
}
