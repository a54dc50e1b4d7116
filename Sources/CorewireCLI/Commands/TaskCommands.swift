/// `corewire tasks`: declared here, where help and completion are; the runner does it.
enum TaskCommands {
    static let tasks = Command(
        name: "tasks",
        summary: "Show the tasks of the file and of services, and run them.",
        subcommands: [
            Command(
                name: "list",
                summary: "List tasks: when each ran, when it runs next, and what it waits for.",
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "run",
                summary: "Ask for a run of a task.",
                discussion: """
                    The runner writes it down, and runs the task as soon as what it needs is there and nothing
                    of its group runs. A run that waits or is under way already is the one that is meant,
                    unless --replace is given.

                    Exit status: 0 asked for, or with --wait done; 1 no such task, or it failed.
                    """,
                arguments: [name],
                options: RunnerCommands.speaking + [
                    .init(name: "wait", help: "Wait until it has ended, and tell how."),
                    .init(name: "after", value: "duration", help: "How long it is put off, such as 10m."),
                    .init(name: "replace", help: "Give up the run that waits or is under way."),
                    .init(name: "force", help: "Run it whatever it needs."),
                ],
                isRunners: true
            ),
            Command(
                name: "cancel",
                summary: "Give up the run of a task that waits or is under way.",
                discussion: "Runs that come by themselves still come. Exit status: 0 given up, 1 there is none.",
                arguments: [name],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
        ]
    )

    private static let name = Command.Argument(name: "task", help: "The name of the task.")
}
