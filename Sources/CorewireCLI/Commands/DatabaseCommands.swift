/// `corewire store`: the database that the runners of a group share, and backups of all stores.
enum DatabaseCommands {
    static let store = Command(
        name: "store",
        summary: "Prepare the database of a group of runners; export and import stores.",
        subcommands: [migrate, status, export, importing]
    )

    private static let migrate = Command(
        name: "migrate",
        summary: "Make the tables and functions of this version.",
        discussion: """
            Connects to the database of 'persistence.store' and makes what is missing there; what is
            there stays. With --as the tables belong to another user, who may create schemas, and the
            user of the file may only call the functions: use it with 'migrate: never'.

            Exit status: 0 the database is ready, 1 it cannot be made, 75 no server was reached.
            """,
        arguments: [ConfigFinder.argument],
        options: ConfigFinder.options + [
            .init(name: "as", value: "user", help: "The user that the tables belong to."),
            .init(name: "password", help: "Ask for the password of that user, or read it from standard input."),
            RunnerCommands.format,
        ],
        runnerProgram: .migrateStore
    )

    private static let status = Command(
        name: "status",
        summary: "Show the server, the schema and the runners of the group.",
        discussion: """
            Exit status: 0 the database is ready, 1 it is not, 75 no server was reached.
            """,
        arguments: [ConfigFinder.argument],
        options: ConfigFinder.options + [RunnerCommands.format],
        runnerProgram: .storeStatus
    )

    private static let machine = Command.Option(
        name: "machine",
        help: "The store of this machine, also if the file declares 'persistence.store'."
    )

    private static let export = Command(
        name: "export",
        summary: "Export the store to a file, while runners use it.",
        discussion: """
            Exports the database of 'persistence.store', or the store of this machine if the file
            declares none: values, sessions, queued requests, results, pauses, as of one moment.
            Encrypted data stays encrypted; 'corewire store import' needs the same key, which is not
            in the file. The last line of the file proves that the file is complete and unchanged.

            Exit status: 0 exported, 1 the store cannot be read, 73 the file cannot be written, 75
            no server was reached.
            """,
        arguments: [.init(name: "output", help: "The file to write; '-' is standard output.", values: .files)],
        options: ConfigFinder.options + [machine, RunnerCommands.instance, OutputFile.force, RunnerCommands.format],
        runnerProgram: .exportStore
    )

    private static let importing = Command(
        name: "import",
        summary: "Import an exported file into an empty store.",
        discussion: """
            Imports all of the file or nothing. The store must be empty, and no runner may use it.
            A file from one machine can be imported into a shared database, which takes only what
            'persistence.store.shares' lists, and the other way round. Requests that were being sent
            wait again.

            Exit status: 0 imported, 1 the file or the store is not suitable, 66 no such file, 75 a
            runner uses the store, or no server was reached.
            """,
        arguments: [.init(name: "input", help: "The exported file; '-' is standard input.", values: .files)],
        options: ConfigFinder.options + [machine, RunnerCommands.instance, RunnerCommands.format],
        runnerProgram: .importStore
    )
}
