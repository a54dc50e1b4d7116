/// `corewire receive`, executed by the runner's program: it opens the store of the app, and fetches pictures.
enum ReceiveCommand {
    static let command = Command(
        name: "receive",
        summary: "Receive one push from a push transport on this machine.",
        discussion: """
            First the push is stored. The runner of the app handles it, at once if it is running, or
            after its next start. Then, in the remaining time, the picture is fetched if the file says
            so, and the command waits for the runner. Once the push is stored, the status is 0, whatever
            follows.

            A push is identified by its sender's id: message_id, google.message_id (Firebase),
            apns-id, _uid (Altcraft), scheduleId (HALO), aerogear-push-id, or id of a payload without
            a provider's envelope; else by --id. A push with neither is a new one, unless
            --dedupe says content. The same push again is not handled again; the same id with other
            content is an update.

            Exit status: 0 stored; 10 stored before; 1 refused: it is no push, too
            large, or too many wait; 66 there is no such file; 74 the store cannot be used; 75 not on
            the disk in time; 77 the file is not signed as it has to be; 78 it is not valid, or its
            servers are not installed.
            """,
        arguments: [
            .init(name: "payload", help: "The push as JSON; '-' reads standard input. (default: -)", isOptional: true)
        ],
        options: ConfigFinder.options + [
            RunnerCommands.format,
            .init(name: "id", value: "text", help: "The id of the transport. (default: a new id)"),
            .init(
                name: "dedupe",
                value: "rule",
                help: "content: without an id the same bytes are the same push. (default: none)",
                values: .words(["none", "content"])
            ),
            .init(name: "within", value: "duration", help: "The timeout of the whole command. (default: 25s)"),
            RunnerCommands.signedBy,
        ],
        isRunners: true
    )
}
