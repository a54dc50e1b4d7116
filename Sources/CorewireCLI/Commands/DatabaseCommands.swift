/// `corewire store`: the database that the runners of a group share.
enum DatabaseCommands {
    static let store = Command(
        name: "store",
        summary: "Prepare and look at the database of a group of runners.",
        subcommands: [migrate, status]
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
}
