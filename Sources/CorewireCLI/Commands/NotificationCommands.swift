import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// `corewire notifications`: send, list, tap, read and dismiss notifications.
enum NotificationCommands {
    static let notifications = Command(
        name: "notifications",
        summary: "Send notifications, and show their state.",
        subcommands: [
            NotificationSendCommand.command, list, show, tap, read, dismiss, permission, streams,
            NotificationWatchCommand.command,
        ]
    )

    private static let id = (
        key: "id", value: MemberWords.argument("id", "The id, from 'corewire notifications list'.")
    )

    private static let list = Command.call(
        "list",
        NotificationCalls.list,
        summary: "List shown notifications, the latest first.",
        words: [
            "unread": .consumed(.init(name: "unread", help: "Only unread notifications.")),
            "waiting": .consumed(
                .init(name: "waiting", help: "List notifications that are not handled yet, the oldest first.")
            ),
            "limit": .consumed(.init(name: "limit", value: "count", help: "The maximum number. (default: 50)")),
            "state": .hidden, "after": .hidden,
        ],
        prepare: { request, invocation in
            request.state = invocation.flag("waiting") ? .waiting : invocation.flag("unread") ? .unread : .all
        },
        perform: { client, request, invocation in
            let limit = try invocation.count("limit", in: 1...100_000) ?? 50
            return try await client.list(NotificationCalls.list, request, upTo: limit)
        }
    ) { reply, paint in (NotificationText.list(reply.answer, paint), .success) }

    private static let show = Command.call(
        "show",
        NotificationCalls.show,
        summary: "Show a notification with the results of its handlers.",
        discussion: "Exit status: 0 waiting or done, 1 a handler has failed, or the id is unknown.",
        words: [id.key: id.value, "wait": .consumed(wait)],
        perform: { client, request, invocation in
            try await detail(of: request.id, waits: invocation.flag("wait"), client)
        }
    ) { reply, paint in (NotificationText.detail(reply.answer, paint), status(of: reply.answer)) }

    static let wait = Command.Option(name: "wait", help: "Wait until all handlers have ended.")

    static func status(of detail: NotificationDetail) -> ExitStatus {
        detail.result == .failed ? .problemsFound : .success
    }

    /// A notification, now or once it is handled.
    static func detail(
        of id: String,
        waits: Bool,
        _ client: RunnerClient
    ) async throws -> RunnerReply<NotificationDetail> {
        // The reason of a wait is printed soon, and once.
        var request = NotificationShowRequest(id, wait: waits ? 1 : nil)
        while true {
            let reply = try await client.perform(NotificationCalls.show, request, within: .seconds(60))
            guard waits, reply.answer.state != .done else { return reply }
            if request.wait == 1, reply.answer.state == .waiting, let reason = reply.answer.reason {
                Console.printError("waits: \(reason.shown(upTo: 400))\n")
                request.wait = 20
            }
        }
    }

    private static let tap = Command.call(
        "tap",
        NotificationCalls.tap,
        summary: "Tap a notification or one of its buttons.",
        discussion: """
            A link is rejected if 'notifications.links.schemes' does not list its scheme; the
            notification still counts as opened.

            Exit status: 0 tapped, 1 the link is rejected, or the notification or button is unknown.
            """,
        words: [id.key: id.value, "button": .argument("button", "The name of the button.")],
        // Each tap of the command line is a new one.
        prepare: { tap, _ in tap.tapID = nil }
    ) { reply, _ in
        guard let refused = reply.answer.refused else { return ("tapped\n", .success) }
        let help = reply.answer.help.map { "  = help: \($0.shown(upTo: 500))\n" } ?? ""
        return ("refused: \(refused.shown(upTo: 500))\n\(help)", .problemsFound)
    }

    private static let read = Command(
        name: "read",
        summary: "Mark a notification as read, or all notifications.",
        arguments: [.init(name: "id", help: "The id. (default: all)", isOptional: true)],
        options: RunnerCommands.outputOptions,
        run: { invocation in
            let showing = try Display(invocation)
            let client = try RunnerClient(invocation)
            guard let id = invocation.argument(0) else {
                let reply = try await client.perform(NotificationCalls.readAll, NoInput())
                showing.show(reply.json) { "\(reply.answer.count) read\n" }
                return .success
            }
            _ = try await client.perform(NotificationCalls.read, NotificationIDRequest(id))
            showing.show(ReadNotifications(1).json) { "read\n" }
            return .success
        }
    )

    private static let dismiss = Command.call(
        "dismiss",
        NotificationCalls.dismiss,
        summary: "Dismiss a notification.",
        words: [id.key: id.value],
        done: "dismissed"
    ) { _, _ in ("dismissed\n", .success) }

    private static let streams = Command.call(
        "streams",
        NotificationCalls.streams,
        summary: "List the streams that are read, with their state.",
        discussion: "Exit status: 0 all are connected, 1 one is not.",
        words: [:]
    ) { reply, paint in
        let isWhole = reply.answer.streams.allSatisfy { $0.isConnected && $0.reason == nil }
        return (NotificationText.streams(reply.answer, paint), isWhole ? .success : .problemsFound)
    }

    private static let permission: Command = {
        var command = Command.call(
            "permission",
            NotificationCalls.setPermission,
            summary: "Show and change the permission for notifications.",
            discussion: """
                Until the user has decided, notifications are queued or suppressed
                (notifications.whileAsking); queued notifications are shown once the permission is granted.
                """,
            words: [
                "answer": .argument(
                    "answer",
                    "granted, denied or ask. (default: show the permission)",
                    values: .words(["granted", "denied", "ask"]),
                    isOptional: true
                )
            ]
        ) { reply, _ in (NotificationText.permission(reply.answer), .success) }
        let change = command.run
        command.run = { invocation in
            guard invocation.argument(0) == nil else { return try await change?(invocation) ?? .internalError }
            let showing = try Display(invocation)
            let reply = try await RunnerClient(invocation).perform(NotificationCalls.permission, NoInput())
            showing.show(reply.json) { NotificationText.permission(reply.answer) }
            return .success
        }
        return command
    }()
}
