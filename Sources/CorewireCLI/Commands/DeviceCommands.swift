/// `corewire device`: declared here, where help and completion are; the runner does it.
enum DeviceCommands {
    static let device = Command(
        name: "device",
        summary: "Show what servers know of this device, and change it.",
        subcommands: [
            Command(
                name: "show",
                summary: "Show the device, and whether the server knows it.",
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "tag",
                summary: "Give the device a tag; one of the same name is replaced.",
                arguments: [name, .init(name: "value", help: "Its value.", isOptional: true)],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "untag",
                summary: "Take a tag from the device.",
                arguments: [name],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "set",
                summary: "Change the alias, the e-mail address or a push token of the device.",
                discussion: """
                    What the services file says of the device is changed there alone. A token is read from
                    standard input: on the command line everybody could see it.
                    """,
                options: RunnerCommands.speaking + [
                    .init(
                        name: "alias",
                        value: "name",
                        help: "The name people know it by; another one is made for ''."
                    ),
                    .init(name: "email", value: "address", help: "The address of whoever uses it; none for ''."),
                    .init(
                        name: "token",
                        value: "platform",
                        help: "Where pushes of a platform reach it; nowhere for ''."
                    ),
                ],
                isRunners: true
            ),
            Command(
                name: "register",
                summary: "Have the device saved at the server.",
                discussion: "Exit status: 0 it is on its way, 1 the file says 'register: never'.",
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "remove",
                summary: "Forget the device, here and where the server can there.",
                discussion: "It stays forgotten until 'corewire device register'.",
                options: RunnerCommands.speaking,
                isRunners: true
            ),
        ]
    )

    private static let name = Command.Argument(name: "name", help: "The name of the tag.")
}
