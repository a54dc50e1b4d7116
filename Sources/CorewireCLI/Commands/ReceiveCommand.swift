/// `corewire receive`, executed by the runner's program: it opens the store of the app, and fetches pictures.
enum ReceiveCommand {
    static let command = Command(
        name: "receive",
        summary: "Receive one push from a push transport on this machine.",
        discussion: """
            Stores the push. The runner of the app handles the push, at once if the runner is
            running, or after its next start. In the remaining time, the command fetches the picture
            if 'notifications.media' is set, and waits for the runner. Once the push is stored, the
            exit status is 0.

            A push is identified by the id of its sender: message_id, google.message_id (Firebase),
            apns-id, _uid (Altcraft), scheduleId (HALO), aerogear-push-id, or id of a payload
            without a provider's envelope; else by --id. A push without an id is new, unless
            --dedupe is content. A repeated push is not handled again; the same id with other
            content is an update.

            Exit status: 0 stored; 10 stored before; 1 rejected: not a push, too large, or the queue
            is full; 66 no such file; 74 the store cannot be used; 75 not stored in time; 77 the
            services file does not have the required signature; 78 the services file is not valid,
            or its servers are not installed.
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
                help: "content: without an id, equal payloads are the same push. (default: none)",
                values: .words(["none", "content"])
            ),
            .init(name: "within", value: "duration", help: "The timeout of the whole command. (default: 25s)"),
            RunnerCommands.signedBy,
        ],
        runnerProgram: .receive
    )
}
