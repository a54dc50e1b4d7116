/// What can be asked of downloads.
enum DownloadCommands {
    static let downloads = Command(
        name: "downloads",
        summary: "Fetch files, and see how far they are.",
        subcommands: [
            Command(
                name: "list",
                summary: "List the downloads that are known.",
                options: RunnerCommands.speaking + [
                    .init(
                        name: "state",
                        value: "state",
                        help: "waiting, running, paused, done, failed.",
                        values: .words(["waiting", "running", "paused", "done", "failed"])
                    )
                ],
                isRunners: true
            ),
            Command(
                name: "add",
                summary: "Want a file.",
                discussion: """
                    The same wish twice is one download. With --wait it shows how it gets on, and prints
                    the path of the file: a bar on a terminal, lines elsewhere.

                    Exit status: 0 wanted, or with --wait here; 1 refused or failed.
                    """,
                arguments: [.init(name: "address", help: "A URL, or a path below the base URL.")],
                options: RunnerCommands.speaking + [
                    .init(name: "id", value: "id", help: "What it is known by. (default: made from the address)"),
                    .init(name: "name", value: "name", help: "What the file is called. (default: as the server says)"),
                    .init(name: "sha256", value: "digits", help: "What its bytes must come to."),
                    .init(
                        name: "priority",
                        value: "number",
                        help: "-100 to 100; those with more go first. (default: 0)"
                    ),
                    .init(
                        name: "authorization",
                        value: "whose",
                        help: "none, usual, token, app, appPlus or user. (default: usual)",
                        values: .words(["none", "usual", "token", "app", "appPlus", "user"])
                    ),
                    .init(name: "wait", help: "Until it is here, or has failed."),
                ],
                isRunners: true
            ),
            Command(
                name: "show",
                summary: "Show how it is with a download.",
                arguments: [id],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "pause",
                summary: "Fetch no more of a download for now.",
                arguments: [id],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "resume",
                summary: "Fetch on what was paused, anew what has failed.",
                arguments: [id],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "cancel",
                summary: "Give a download up, and forget it.",
                arguments: [id],
                options: RunnerCommands.speaking + [
                    .init(name: "with-file", help: "Remove a file that is whole, too.")
                ],
                isRunners: true
            ),
            Command(
                name: "follow",
                summary: "Show how a download gets on, until it has ended.",
                arguments: [id],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
        ]
    )

    private static let id = Command.Argument(name: "id", help: "Which one, as 'corewire downloads list' shows it.")
}
