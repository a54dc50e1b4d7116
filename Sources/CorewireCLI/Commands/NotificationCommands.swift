import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// `corewire notifications`: sent, listed, tapped, read and put away.
enum NotificationCommands {
    static let notifications = Command(
        name: "notifications",
        summary: "Send notifications, and see what became of them.",
        subcommands: [
            NotificationSendCommand.command, list, show, tap, read, dismiss, permission,
            NotificationWatchCommand.command,
        ]
    )

    private static let id = (
        key: "id", value: MemberWords.argument("id", "Which one, as 'corewire notifications list' shows it.")
    )

    private static let list = Command.call(
        "list",
        NotificationCalls.list,
        summary: "List the notifications that were shown, the latest first.",
        words: [
            "unread": .own(.init(name: "unread", help: "Only those that were not read.")),
            "waiting": .own(.init(name: "waiting", help: "Those that are not handled yet, the oldest first.")),
            "limit": .own(.init(name: "limit", value: "count", help: "How many at most. (default: 50)")),
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
        summary: "Show what became of a notification, handler by handler.",
        discussion: "Exit status: 0 it waits or is done, 1 a handler has failed for good, or nothing is known of it.",
        words: [id.key: id.value, "wait": .own(wait)],
        perform: { client, request, invocation in
            try await detail(of: request.id, waits: invocation.flag("wait"), client)
        }
    ) { reply, paint in (NotificationText.detail(reply.answer, paint), status(of: reply.answer)) }

    static let wait = Command.Option(name: "wait", help: "Until every handler has ended.")

    static func status(of detail: NotificationDetail) -> ExitStatus {
        detail.result == .failed ? .problemsFound : .success
    }

    /// What is known of a notification, at once or when it is done.
    static func detail(
        of id: String,
        waits: Bool,
        _ client: RunnerClient
    ) async throws -> RunnerReply<NotificationDetail> {
        // What it waits for is said soon, and once.
        var request = NotificationShowRequest(id, wait: waits ? 1 : nil)
        while true {
            let reply = try await client.perform(NotificationCalls.show, request, within: .seconds(60))
            guard waits, reply.answer.state != .done else { return reply }
            if request.wait == 1, reply.answer.state == .waiting, let reason = reply.answer.reason {
                Console.say("waits: \(reason.shown(upTo: 400))\n")
                request.wait = 20
            }
        }
    }

    private static let tap = Command.call(
        "tap",
        NotificationCalls.tap,
        summary: "Do what a tap on a notification, or on one of its buttons, leads to.",
        discussion: """
            A link whose scheme 'notifications.links.schemes' lacks is refused; the notification counts
            as opened all the same.

            Exit status: 0 tapped, 1 the link is refused, or there is no such notification or button.
            """,
        words: [id.key: id.value, "button": .argument("button", "The name of the button.")],
        // The argument names the notification: each tap from the command line is a new one.
        prepare: { tap, _ in tap.tapID = nil }
    ) { reply, _ in
        guard let refused = reply.answer.refused else { return ("tapped\n", .success) }
        let help = reply.answer.help.map { "  = help: \($0.shown(upTo: 500))\n" } ?? ""
        return ("refused: \(refused.shown(upTo: 500))\n\(help)", .problemsFound)
    }

    private static let read = Command(
        name: "read",
        summary: "Mark a notification as read, or all of them.",
        arguments: [.init(name: "id", help: "Which one. (default: all)", isOptional: true)],
        options: RunnerCommands.speaking,
        run: { invocation in
            let showing = try Showing(invocation)
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
        summary: "Put a notification away.",
        words: [id.key: id.value],
        done: "dismissed"
    ) { _, _ in ("put away\n", .success) }

    private static let permission: Command = {
        var command = Command.call(
            "permission",
            NotificationCalls.setPermission,
            summary: "Show whether notifications may be shown, and change it.",
            discussion: """
                While the user was not asked, notifications wait or are suppressed, as the file says; what
                waits is shown once it is granted.
                """,
            words: [
                "answer": .argument(
                    "answer",
                    "granted, denied or ask. (default: only show)",
                    values: .words(["granted", "denied", "ask"])
                )
            ]
        ) { reply, _ in (NotificationText.permission(reply.answer), .success) }
        command.arguments[0].isOptional = true
        let change = command.run
        command.run = { invocation in
            guard invocation.argument(0) == nil else { return try await change?(invocation) ?? .internalError }
            let showing = try Showing(invocation)
            let reply = try await RunnerClient(invocation).perform(NotificationCalls.permission, NoInput())
            showing.show(reply.json) { NotificationText.permission(reply.answer) }
            return .success
        }
        return command
    }()
}
