/// `corewire receive`, which the runner's program does: it opens the store of the app, and fetches pictures.
enum ReceiveCommand {
    static let command = Command(
        name: "receive",
        summary: "Take one push, as the carrier of pushes to this machine hands it over.",
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
            the disk in time; 77 the file is not signed as it has to be; 78 it is not valid, or its
            servers are not installed.
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
}
