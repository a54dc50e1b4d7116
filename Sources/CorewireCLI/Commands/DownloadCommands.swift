import WireBase
import WireConfig
import WireDownloadContract
import WireHTTP

/// `corewire downloads`: files that are fetched.
enum DownloadCommands {
    static let downloads = Command(
        name: "downloads",
        summary: "Fetch files, and see how far they are.",
        subcommands: [list, add, show, pause, resume, cancel, follow]
    )

    private static let list = Command.call(
        "list",
        DownloadCalls.list,
        summary: "List the downloads that are known.",
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
        summary: "Want a file.",
        discussion: """
            The same wish twice is one download. With --wait it shows how it gets on, and prints
            the path of the file: a bar on a terminal, lines elsewhere.

            Exit status: 0 wanted, or with --wait here; 1 refused or failed.
            """,
        words: [
            "address": .argument("address", "A URL, or a path below the base URL."),
            "id": .option(value: "id", "What it is known by. (default: made from the address)"),
            "name": .option(value: "name", "What the file is called. (default: as the server says)"),
            "sha256": .option(value: "digits", "What its bytes must come to."),
            "priority": .option(value: "number", "-100 to 100; those with more go first. (default: 0)"),
            "authorization": .option(
                value: "whose",
                "none, usual, token, app, appPlus or user. (default: usual)"
            ),
            "wait": .own(.init(name: "wait", help: "Until it is here, or has failed.")),
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
        summary: "Show how it is with a download.",
        words: [id.key: id.value],
        show: whole
    )

    private static let pause = Command.call(
        "pause",
        DownloadCalls.pause,
        summary: "Fetch no more of a download for now.",
        words: [id.key: id.value],
        show: whole
    )

    private static let resume = Command.call(
        "resume",
        DownloadCalls.resume,
        summary: "Fetch on what was paused, anew what has failed.",
        words: [id.key: id.value],
        show: whole
    )

    private static let cancel = Command.call(
        "cancel",
        DownloadCalls.remove,
        summary: "Give a download up, and forget it.",
        words: [
            id.key: id.value, "file": .flag("with-file", "Remove a file that is whole, too.", meaning: "true"),
        ],
        done: "removed"
    ) { _, _ in ("removed\n", .success) }

    private static let follow = Command(
        name: "watch",
        summary: "Show how a download gets on, until it has ended.",
        arguments: [.init(name: "id", help: idHelp)],
        options: RunnerCommands.speaking
    ) { invocation in
        let client = try RunnerClient(invocation)
        let id = invocation.argument(0) ?? ""
        return try await DownloadFollower(client, id, try Showing(invocation), printsPath: false).follow()
    }

    private static let idHelp = "Which one, as 'corewire downloads list' shows it."
    private static let id = (key: "id", value: MemberWords.argument("id", idHelp))

    private static func whole(_ reply: RunnerReply<Download>, _ paint: Paint) -> (text: String, status: ExitStatus) {
        (DownloadText.whole(reply.answer, paint), .success)
    }
}
