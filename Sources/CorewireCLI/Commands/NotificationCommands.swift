/// Notifications from the command line: declared here, done by the runner's program.
enum NotificationCommands {
    static let notifications = Command(
        name: "notifications",
        summary: "Send notifications, and see what became of them.",
        subcommands: [send, list, show, tap, read, dismiss, permission, follow]
    )

    private static let id = Command.Argument(
        name: "id",
        help: "Which one, as 'corewire notifications list' shows it."
    )

    private static let send = Command(
        name: "send",
        summary: "Send a notification.",
        discussion: """
            On this machine: answered when it is on the disk; the same --id again does nothing more,
            unless its content differs: then it is an update, which replaces what was shown.
            With --via it is sent by the push server built in that stands for a registrar of the
            file, in environments with 'backend: embedded', and comes as any push does.

            Exit status: 0 taken, also where it was taken before; 1 refused.
            """,
        arguments: [
            .init(name: "title", help: "Its title; with --via and no body, its text.", isOptional: true),
            .init(name: "body", help: "Its text.", isOptional: true),
        ],
        options: RunnerCommands.speaking + [
            .init(name: "id", value: "id", help: "The same id is the same notification. (default: a new one)"),
            .init(name: "data", value: "name=value", help: "What handlers see.", isRepeated: true),
            .init(name: "silent", help: "For the program alone: nobody sees it."),
            .init(name: "link", value: "url", help: "What a tap leads to."),
            .init(name: "image", value: "url", help: "A picture."),
            .init(name: "sound", value: "name", help: "The sound it comes with."),
            .init(name: "badge", value: "number", help: "What the number on the app's icon becomes."),
            .init(name: "button", value: "label=link", help: "A button; three at most.", isRepeated: true),
            .init(name: "collapse-key", value: "key", help: "What was shown with the same key is replaced."),
            .init(
                name: "urgency",
                value: "level",
                help: "How much it matters: low, normal or critical.",
                values: .words(["low", "normal", "critical"])
            ),
            .init(name: "expires", value: "duration", help: "How long it is of use."),
            .init(name: "wait", help: "Until every handler has ended."),
            .init(
                name: "via",
                value: "registrar",
                help: "Send it through the push server built in; the registrar's name in the file.",
                values: .registrars
            ),
            .init(
                name: "category",
                value: "name",
                help: "With --via: to devices with it; else its kind.",
                isRepeated: true
            ),
            .init(name: "alias", value: "name", help: "With --via: to devices of these.", isRepeated: true),
        ],
        isRunners: true
    )

    private static let list = Command(
        name: "list",
        summary: "List the notifications that were shown, the latest first.",
        options: RunnerCommands.speaking + [
            .init(name: "unread", help: "Only those nobody has read."),
            .init(name: "waiting", help: "Those that are not handled yet, the oldest first."),
            .init(name: "limit", value: "count", help: "How many at most. (default: 50)"),
        ],
        isRunners: true
    )

    private static let show = Command(
        name: "show",
        summary: "Show what became of a notification, handler by handler.",
        discussion: "Exit status: 0 it waits or is done, 1 a handler has failed for good, or nothing is known of it.",
        arguments: [id],
        options: RunnerCommands.speaking + [.init(name: "wait", help: "Until every handler has ended.")],
        isRunners: true
    )

    private static let tap = Command(
        name: "tap",
        summary: "Do what a tap on a notification, or on one of its buttons, leads to.",
        discussion: """
            A link whose scheme 'notifications.links.schemes' lacks is refused; the notification counts
            as opened all the same.

            Exit status: 0 tapped, 1 the link is refused, or there is no such notification or button.
            """,
        arguments: [id, .init(name: "button", help: "The name of the button.", isOptional: true)],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let read = Command(
        name: "read",
        summary: "Mark a notification as read, or all of them.",
        arguments: [.init(name: "id", help: "Which one. (default: all)", isOptional: true)],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let dismiss = Command(
        name: "dismiss",
        summary: "Put a notification away.",
        arguments: [id],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let permission = Command(
        name: "permission",
        summary: "Show whether notifications may be shown, and change it.",
        discussion: """
            While nobody was asked, notifications wait or are suppressed, as the file says; what waits
            is shown once it is granted.
            """,
        arguments: [
            .init(
                name: "answer",
                help: "granted, denied or ask. (default: only show)",
                isOptional: true,
                values: .words(["granted", "denied", "ask"])
            )
        ],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let follow = Command(
        name: "watch",
        summary: "Show what becomes of notifications as it happens, until interrupted.",
        options: RunnerCommands.speaking,
        isRunners: true
    )

    static let receive = Command(
        name: "receive",
        summary: "Take one push, as whoever carries pushes to this machine hands it over.",
        discussion: """
            First the push is on the disk: it is handled by the runner of the app, at once where one
            is up and by the next one otherwise. Then, in the time that is left, its picture is
            fetched where the file says so, and the runner is waited for. Once it is on the disk the
            status is 0, whatever becomes of the rest.

            A push is known by what its sender calls it: message_id, google.message_id (Firebase),
            apns-id, _uid (Altcraft), scheduleId (HALO), aerogear-push-id, or id of a payload without
            the wrapping of a provider; else by --id. One with neither is a push of its own, unless
            --dedupe says content. The same push again is not handled again; the same id with other
            content is an update.

            Exit status: 0 it is on the disk; 10 it was taken before; 1 refused: it is no push, too
            large, or too many wait; 66 there is no such file; 74 the store cannot be used; 75 not on
            the disk in time; 77 the file is not signed as it has to be; 78 it is not valid.
            """,
        arguments: [
            .init(name: "payload", help: "The push as JSON; '-' reads standard input. (default: -)", isOptional: true)
        ],
        options: ConfigFinder.options + [
            RunnerCommands.format,
            .init(name: "id", value: "text", help: "What carried it calls it. (default: a new id)"),
            .init(
                name: "dedupe",
                value: "rule",
                help: "content: without an id the same bytes are the same push. (default: none)",
                values: .words(["none", "content"])
            ),
            .init(name: "within", value: "duration", help: "How long all of it may take. (default: 25s)"),
            RunnerCommands.signedBy,
        ],
        isRunners: true
    )

    static let clear = Command(
        name: "clear",
        summary: "Remove what services keep, and say what it was.",
        discussion: """
            'user' removes what is of the people who use the device, in the environment that runs, and
            signs them out; what they share stays. 'environment' removes whatever is kept for the
            environment that runs, and 'all' for every environment. What is under way ends first.
            Nothing of it is left on the disk; the servers built in keep what is theirs.

            Broken off at any moment, it goes on when it is asked again.

            Exit status: 0 removed, 1 something is still there, and the answer says what.
            """,
        arguments: [
            .init(name: "scope", help: "user, environment or all.", values: .words(["user", "environment", "all"]))
        ],
        options: RunnerCommands.speaking + [
            .init(name: "service", value: "name", help: "Only of this service.", isRepeated: true)
        ],
        isRunners: true
    )
}
