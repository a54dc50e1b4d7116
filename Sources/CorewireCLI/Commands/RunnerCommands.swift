import WireBase

/// The commands that ask a runner or are one, declared here for help and completion.
///
/// Those marked as the runner's are executed by its program.
enum RunnerCommands {
    static let groups: [Command.Group] = [
        (
            "RUN",
            [
                run, StatusCommand.command, EventsCommand.command, ConsoleCommand.command, LogLevelCommand.command,
                doctor, DatabaseCommands.store,
            ]
        ),
        (
            "CHANGE WHAT RUNS",
            [
                ChangeCommands.reload, ChangeCommands.plan, ChangeCommands.confirm, ChangeCommands.rollback,
                HistoryCommand.command, DiffCommand.command,
            ]
        ),
        (
            "SERVICES",
            [
                AuthCommands.auth, RequestCommand.command, NetworkCommands.pin, StateCommands.state,
                ContentCommands.content, SyncCommands.sync, OutboxCommands.outbox, DownloadCommands.downloads,
                TaskCommands.tasks, DeviceCommands.device, PushCommands.push, NotificationCommands.notifications,
                ReceiveCommand.command, SecurityCommands.security, MetricsCommands.metrics,
                FormatCommands.format, AddonCommands.addons, BackendCommands.backends, ClearCommand.command,
            ]
        ),
    ]

    static let format = Command.Option(
        name: "format",
        value: "format",
        help: "text or json. (default: text)",
        values: .words(["text", "json"])
    )
    private static let socket = Command.Option(
        name: "socket",
        value: "path",
        help: "The socket of the runner. (default: COREWIRE_SOCKET, or the socket of the app)",
        values: .files
    )
    static let instance = Command.Option(
        name: "instance",
        value: "name",
        help: "The runner among several of an app on this machine. (default: COREWIRE_INSTANCE, or the only one)"
    )
    /// The options of every command that asks a runner.
    static let outputOptions = clientOptions + [format]
    /// The same without `--format`, for commands that write a file.
    static let clientOptions = [ConfigFinder.option, socket, instance]

    /// For commands that read the file themselves and act on it.
    static let signedBy = Command.Option(
        name: "signed-by",
        value: "key",
        help: "Accept only services files with a signature (.sig) by this Ed25519 public key in base64."
    )

    static let run = Command(
        name: "run",
        summary: "Run the services of a services file.",
        discussion: """
            Runs the services until SIGTERM or SIGINT; a second signal stops the runner at once.
            SIGHUP reloads the file. An invalid file never stops running services.

            Exit status: 0 after a drain, 75 another runner of the app is running, 77 a security
            rule forbids the start, 78 the services file is not valid.
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
            instance,
            .init(
                name: "drain",
                value: "duration",
                help: "The timeout of requests in flight at shutdown. (default: 20s)"
            ),
        ],
        runnerProgram: .run
    )

    static let doctor = Command(
        name: "doctor",
        summary: "Check this machine: libraries, folders, sockets, clock, store.",
        discussion: """
            Checks the services file and its references, folders and free space, the store and its
            key, sockets and ports, the kernel, limits, libraries, certificate authorities and
            clocks, as the current user. Changes nothing.

            Exit status: 0 no errors; 1 problems found.
            """,
        options: ConfigFinder.options + [socket, instance, format],
        runnerProgram: .doctor
    )
}
