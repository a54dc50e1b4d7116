/// `corewire push`: declared here, where help and completion are; the runner does it.
enum PushCommands {
    static let push = Command(
        name: "push",
        summary: "Show which push servers know this device, and what they are told.",
        subcommands: [
            status, register, wish("subscribe", "Subscribe.", subscription), wish("unsubscribe", ended),
            wish("suspend", "Suspend a subscription at an Altcraft platform."),
            wish("unsuspend", "End the suspension of a subscription."), profile, event, mobileEvent, token, providers,
            clear,
        ]
    )

    private static let registrar = Command.Argument(
        name: "registrar",
        help: "The name the services file gives the server; all of them when absent.",
        isOptional: true,
        values: .registrars
    )
    private static let one = Command.Argument(
        name: "registrar",
        help: "The name the services file gives the server; not needed where there is one.",
        isOptional: true,
        values: .registrars
    )
    private static let provider = Command.Argument(name: "provider", help: "apns, firebase or huawei.")
    private static let wait = Command.Option(name: "wait", help: "Wait until the server has answered, and tell what.")
    private static let waiting = """
        The request is queued, and sent as soon as that can be. Exit status: 0 it is queued, or with
        --wait done; 1 refused: by the runner, or with --wait by the server.
        """
    private static let ended = "End the subscription, until somebody subscribes."

    private static let fields = Command.Option(
        name: "field",
        value: "name=value",
        help: "A field of the subscription: text, a number, true or false.",
        isRepeated: true
    )
    private static let profileFields = Command.Option(
        name: "profile",
        value: "name=value",
        help: "A field of the profile that is set.",
        isRepeated: true
    )
    private static let subscription: [Command.Option] = [
        fields, profileFields,
        .init(name: "category", value: "name", help: "What the user wants to hear about.", isRepeated: true),
        .init(name: "replace", help: "Replace other subscriptions of the profile."),
        .init(name: "skip-triggers", help: "Keep the platform's triggers silent."),
        .init(name: "no-sync", help: "Do not wait at the platform until it is stored."),
    ]

    private static let status = Command(
        name: "status",
        summary: "Show which push servers know this device, since when, and why others do not.",
        discussion: """
            With --which an Altcraft platform is asked what it knows now: the latest subscription of
            the profile, the latest of the provider, or the one of the present token.
            """,
        arguments: [registrar],
        options: RunnerCommands.speaking + [
            .init(
                name: "which",
                value: "subscription",
                help: "latest, provider or current.",
                values: .words(["latest", "provider", "current"])
            )
        ],
        isRunners: true
    )

    private static let register = Command(
        name: "register",
        summary: "Have push servers told of this device anew, with tokens asked for anew.",
        discussion: waiting,
        arguments: [registrar],
        options: RunnerCommands.speaking + [wait],
        isRunners: true
    )

    private static func wish(_ name: String, _ summary: String, _ options: [Command.Option] = []) -> Command {
        Command(
            name: name,
            summary: summary,
            discussion: waiting,
            arguments: [one],
            options: RunnerCommands.speaking + options + [wait],
            isRunners: true
        )
    }

    private static let profile = Command(
        name: "profile",
        summary: "Change fields of the profile at an Altcraft platform.",
        discussion: """
            An action changes what is there: --action visits=incr:1, --action tags=add:vip,
            --action nickname=unset. Actions: set, unset, incr, add, delete, upsert.
            """,
        arguments: [one],
        options: RunnerCommands.speaking + [
            .init(name: "set", value: "name=value", help: "A field that gets a value.", isRepeated: true),
            .init(
                name: "action",
                value: "name=action:value",
                help: "What is done to a field.",
                isRepeated: true
            ),
            .init(name: "skip-triggers", help: "Keep the platform's triggers silent."),
        ],
        isRunners: true
    )

    private static let event = Command(
        name: "event",
        summary: "Tell the server that sent a push what became of it.",
        discussion: "The push is read from standard input, as it came.",
        arguments: [.init(name: "event", help: "delivery, open or dismiss.")],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let mobileEvent = Command(
        name: "mobile-event",
        summary: "Tell an Altcraft platform what happened in the app.",
        discussion: """
            It is sent by the outbox, also after a restart. The payload is given by --data, or as JSON
            on standard input with --data -.

            Exit status: 0 it is on the disk, and on its way; 1 refused.
            """,
        arguments: [
            .init(name: "name", help: "What happened: the name of the event."),
            .init(name: "registrar", help: "Which platform. (default: the only registrar)", isOptional: true),
        ],
        options: RunnerCommands.speaking + [
            .init(name: "sid", value: "id", help: "The pixel it is for; required."),
            .init(name: "data", value: "name=value", help: "What is to be known about it.", isRepeated: true),
            .init(name: "client-id", value: "id", help: "The user as the web SDK knows it."),
            .init(name: "push", value: "uid", help: "The push it comes from."),
            .init(name: "profile", value: "name=value", help: "A field of the profile.", isRepeated: true),
            .init(
                name: "utm",
                value: "name=value",
                help: "Where the user came from: campaign, content, keyword, medium, source, temp.",
                isRepeated: true
            ),
        ],
        isRunners: true
    )

    private static let token = Command(
        name: "token",
        summary: "Hand in, take back and ask for the tokens of providers.",
        subcommands: [
            Command(
                name: "set",
                summary: "Hand in the token of a provider.",
                discussion: """
                    It is read from standard input: on the command line everybody could see it. Where the
                    file says that the token comes from elsewhere, this one wins until it is taken back.
                    """,
                arguments: [provider],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "delete",
                summary: "Have a provider forget its token, or take back one that was handed in.",
                arguments: [provider],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "refresh",
                summary: "Ask every provider for its token anew.",
                options: RunnerCommands.speaking,
                isRunners: true
            ),
            Command(
                name: "jwt",
                summary: "Hand in the JWT of the user at an Altcraft platform, or take it back.",
                discussion: "It is read from standard input; nothing there takes it back.",
                arguments: [one],
                options: RunnerCommands.speaking,
                isRunners: true
            ),
        ]
    )

    private static let providers = Command(
        name: "providers",
        summary: "Change the order in which providers are tried.",
        arguments: [
            .init(
                name: "providers",
                help: "The preferred one first, with commas: firebase,apns; 'file' for the order of the file."
            )
        ],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let clear = Command(
        name: "clear",
        summary: "Remove every trace of whoever uses the device, until somebody registers anew.",
        discussion: "What waits is not sent any more; servers are not told.",
        options: RunnerCommands.speaking + [
            .init(name: "everybody", help: "Everything of this environment: all users, and the tokens.")
        ],
        isRunners: true
    )
}
