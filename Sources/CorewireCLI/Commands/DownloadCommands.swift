import WireBase
import WireConfig
import WireDownloadContract
import WireHTTP

/// `corewire downloads`: downloads of files.
enum DownloadCommands {
    static let downloads = Command(
        name: "downloads",
        summary: "Download files, and show their progress.",
        subcommands: [list, add, show, pause, resume, cancel, follow]
    )

    private static let list = Command.call(
        "list",
        DownloadCalls.list,
        summary: "List the downloads.",
        words: [
            "state": .option(
                value: "state",
                "waiting, running, paused, done, failed.",
                values: ["waiting", "running", "paused", "done", "failed"]
            ),
            "after": .hidden, "limit": .hidden,
        ],
        perform: { client, request, _ in try await client.list(DownloadCalls.list, request) }
    ) { reply, paint in (DownloadText.table(reply.answer.downloads, paint), .success) }

    private static let add = Command.call(
        "add",
        DownloadCalls.add,
        summary: "Download a file.",
        discussion: """
            Equal requests share one download. With --wait, the command shows the progress and
            prints the path of the file.

            Exit status: 0 queued, or with --wait done; 1 rejected or failed.
            """,
        words: [
            "address": .argument("address", "A URL, or a path below the base URL."),
            "id": .option(value: "id", "The id of the download. (default: derived from the address)"),
            "name": .option(value: "name", "The name of the file. (default: the server's)"),
            "sha256": .option(value: "digits", "The expected SHA-256."),
            "priority": .option(value: "number", "The priority, -100 to 100; higher values first. (default: 0)"),
            "authorization": .option(
                value: "whose",
                "none, usual, token, app, appPlus or user. (default: usual)"
            ),
            "wait": .consumed(.init(name: "wait", help: "Wait until the download has ended.")),
        ],
        follow: { client, reply, showing, invocation in
            guard invocation.flag("wait") else { return nil }
            return try await DownloadFollower(client, reply.answer.id, showing, printsPath: true).follow()
        }
    ) { reply, paint in
        let isNew = reply.status == .created
        return (isNew ? "\(reply.answer.id.shown(upTo: 200))\n" : DownloadText.line(reply.answer, paint), .success)
    }

    private static let show = Command.call(
        "show",
        DownloadCalls.show,
        summary: "Show a download.",
        words: [id.key: id.value],
        show: whole
    )

    private static let pause = Command.call(
        "pause",
        DownloadCalls.pause,
        summary: "Pause a download.",
        words: [id.key: id.value],
        show: whole
    )

    private static let resume = Command.call(
        "resume",
        DownloadCalls.resume,
        summary: "Resume a paused download, or restart a failed one.",
        words: [id.key: id.value],
        show: whole
    )

    private static let cancel = Command.call(
        "cancel",
        DownloadCalls.remove,
        summary: "Cancel and remove a download.",
        words: [
            id.key: id.value, "file": .flag("with-file", "Also remove the complete file.", meaning: "true"),
        ],
        done: "removed"
    ) { _, _ in ("removed\n", .success) }

    private static let follow = Command(
        name: "watch",
        summary: "Show the progress of a download, until it has ended.",
        arguments: [.init(name: "id", help: idHelp)],
        options: RunnerCommands.outputOptions
    ) { invocation in
        let client = try RunnerClient(invocation)
        let id = invocation.argument(0) ?? ""
        return try await DownloadFollower(client, id, try Display(invocation), printsPath: false).follow()
    }

    private static let idHelp = "The id, from 'corewire downloads list'."
    private static let id = (key: "id", value: MemberWords.argument("id", idHelp))

    private static func whole(_ reply: RunnerReply<Download>, _ paint: Paint) -> (text: String, status: ExitStatus) {
        (DownloadText.whole(reply.answer, paint), .success)
    }
}
