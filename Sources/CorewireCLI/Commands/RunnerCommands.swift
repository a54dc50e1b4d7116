import WireBase

/// What speaks to a runner, or is one: declared here, where help and completion are.
///
/// What is marked as the runner's is done by its program.
enum RunnerCommands {
    static let all = [
        run, status, events, reload, plan, confirm, history, diff, rollback,
        AuthCommands.auth,
        RequestCommand.command,
        NetworkCommands.pin,
        state,
        ContentCommands.content,
        OutboxCommands.outbox,
        DownloadCommands.downloads,
        TaskCommands.tasks,
        SyncCommands.sync,
        DeviceCommands.device,
        PushCommands.push,
        NotificationCommands.notifications,
        NotificationCommands.receive,
        NotificationCommands.clear,
        SecurityCommands.security,
        MetricsCommands.metrics,
        AddonCommands.addons,
        BackendCommands.backends,
        FormatCommands.format,
        LogLevelCommand.command,
        console,
        doctor,
    ]

    static let output = Command.Option(
        name: "output",
        value: "format",
        help: "text or json. (default: text)",
        values: .words(["text", "json"])
    )
    private static let socket = Command.Option(
        name: "socket",
        value: "path",
        help: "The socket of the runner. (default: COREWIRE_SOCKET, or that of the services file's app)",
        values: .files
    )
    /// What every command takes that speaks to a running runner.
    static let speaking = asking + [output]
    /// The same without the form of the output, for commands that write a file.
    static let asking = [ConfigFinder.option, socket]

    /// For what reads the file on its own, and does what it says.
    static let signedBy = Command.Option(
        name: "signed-by",
        value: "key",
        help: "Take only files whose .sig beside them was made with this Ed25519 key (base64)."
    )

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

            Exit status: 0 after a drain, 75 another runner has this app, 77 a security rule forbids
            it, 78 the file is not valid.
            """,
        arguments: [ConfigFinder.argument],
        options: ConfigFinder.options + [
            .init(
                name: "log-level",
                value: "level",
                help: "debug, info, notice, warning or error; of one module: auth=debug.",
                isRepeated: true
            ),
            signedBy,
            .init(name: "drain", value: "duration", help: "How long what is in flight may take to end. (default: 20s)"),
        ],
        isRunners: true
    )

    static let status = Command(
        name: "status",
        summary: "Show how the runner and its services are.",
        discussion: """
            Shows what runs since when, what is not well and which line of the file that comes from,
            and why the last change was refused.

            Exit status: 0 ready, 1 not ready, 69 no runner answers, 76 something else answers,
            77 this user may not ask.
            """,
        options: speaking,
        isRunners: true
    )

    static let events = Command(
        name: "events",
        summary: "Show what happened, and with --follow what happens.",
        discussion: """
            Prints the events the runner keeps, one a line; with --output json each line is an object.
            With --follow it goes on until interrupted, across runners that end and are started again,
            and says so where events are missing.
            """,
        options: speaking + [
            .init(name: "follow", help: "Go on until interrupted."),
            .init(name: "name", value: "prefix", help: "Only events whose names begin so: 'service.', 'generation.'."),
            .init(name: "after", value: "id", help: "Only events after this one, by the id that --output json shows."),
        ],
        isRunners: true
    )

    static let reload = Command(
        name: "reload",
        summary: "Read the file again, and make what it says the next generation.",
        discussion: """
            A file that is not valid, or a service that does not become ready, leaves everything as it
            is. Listening sockets stay open all the while.

            Exit status: 0 applied or unchanged, 1 refused, 69 no runner answers.
            """,
        options: speaking + [
            confirmWithin,
            .init(name: "force", help: "Make everything anew, also what has not changed."),
            .init(
                name: "if-hash",
                value: "hash",
                help: "Only where this content runs, as 'corewire status' shows it."
            ),
        ],
        isRunners: true
    )

    static let plan = Command(
        name: "plan",
        summary: "Show what a reload, a switch or a rollback would do, without doing it.",
        discussion: """
            Without an option: a reload. For each service: whether it is kept, rebound, restarted,
            started or stopped, and what it has in flight; for each setting: what it was and would be.
            """,
        options: speaking + [
            .init(name: "env", value: "name", help: "Plan the switch to an environment.", values: .environments),
            .init(name: "generation", value: "number", help: "Plan the return to a generation."),
        ],
        isRunners: true
    )

    static let confirm = Command(
        name: "confirm",
        summary: "Keep the generation that waits to be confirmed.",
        discussion: "Exit status: 0 confirmed, 1 none waits, 69 no runner answers.",
        options: speaking,
        isRunners: true
    )

    static let history = Command(
        name: "history",
        summary: "List the generations that are kept, the latest first.",
        options: speaking,
        isRunners: true
    )

    static let diff = Command(
        name: "diff",
        summary: "Show what differs between two generations, setting by setting.",
        discussion: "Compares their effective files, in which secrets are redacted: a new secret is no difference.",
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
        discussion: "The services file stays as it is: the next reload reads it again.",
        arguments: [generation],
        options: speaking + [confirmWithin],
        isRunners: true
    )

    /// A part of `corewire env`.
    static let use = Command(
        name: "use",
        summary: "Switch the runner to another environment.",
        discussion: """
            The present environment goes on until the services of the other are ready, and for good
            where they do not become ready. The choice outlives the runner.

            Exit status: 0 applied or unchanged, 1 refused, 69 no runner answers.
            """,
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
        discussion: "The link and nothing else is on standard output: xdg-open \"$(corewire console)\"",
        options: speaking,
        isRunners: true
    )

    static let doctor = Command(
        name: "doctor",
        summary: "Check this machine: libraries, folders, sockets, clock, store.",
        discussion: """
            Looks at the services file and what it refers to, folders and free space, the store and
            its key, sockets and ports, the kernel, limits, libraries, certificate authorities and
            clocks, as the user who would run it. Changes nothing.

            Exit status: 0 fit, also with warnings; 1 problems found.
            """,
        options: ConfigFinder.options + [socket, output],
        isRunners: true
    )
}
