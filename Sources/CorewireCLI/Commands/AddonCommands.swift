/// `corewire addons`: declared here, where help and completion are; the runner does it.
enum AddonCommands {
    static let addons = Command(
        name: "addons",
        summary: "Show the add-ons, what they wrote, and start one again.",
        subcommands: [
            Command(
                name: "list",
                summary: "List the add-ons with how they are, and what they have done.",
                discussion: "Exit status: 0 all of them take part, 1 one of them does not.",
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "logs",
                summary: "Show the last lines that have to do with an add-on.",
                discussion: """
                    What it wrote to standard error, what it wrote to standard output that is no message,
                    and what became of it. Secrets that it was given are redacted. With --follow it goes on
                    until interrupted, across restarts of the add-on and of the runner, and says so where
                    lines are missing.
                    """,
                arguments: [name],
                options: RunnerCommands.speaking + [.init(name: "follow", help: "Go on until interrupted.")],
                isRunners: true
            ),
            Command(
                name: "restart",
                summary: "End an add-on and start it again, also one that stays ended.",
                arguments: [name],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "open",
                summary: "Have a link opened by whichever add-on opens it.",
                discussion: "Exit status: 0 an add-on has opened it, 1 none has.",
                arguments: [.init(name: "url", help: "The link.")],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
        ]
    )

    private static let name = Command.Argument(name: "name", help: "The name of the add-on.")
}
