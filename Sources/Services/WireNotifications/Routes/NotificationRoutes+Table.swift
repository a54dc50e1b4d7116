import WireBase
import WireConfig
import WireHTTP
import WireService

extension NotificationRoutes {
    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .post,
                "/v1/notifications",
                "Deliver a notification; answered when it is on the disk.",
                access: .write,
                body: .json(NotificationWish.schema, upTo: .mebibytes(2)),
                answers: [
                    .json(taken, "It is taken.", status: .created), .json(taken, "It was taken before."),
                    .problem(.unprocessableContent, "invalid-notification", "It could never be handled."),
                    .problem(.contentTooLarge, "notification-too-large", "It is larger than the file allows."),
                    .problem(.insufficientStorage, "too-many-notifications", "As many wait as may."), unavailable,
                ]
            )
        ) { .work($0.send) },
        .init(
            .init(
                .get,
                "/v1/notifications",
                "Those that were shown, the latest first, or those that wait.",
                access: .read,
                inputs: [
                    .init(
                        .query,
                        "state",
                        "Only those nobody has read, or those that are not handled yet.",
                        .words(ListState.allCases.map(\.rawValue))
                    ), .init(.query, "limit", "How many at most.", .integer(in: 1...200)),
                    .init(.query, "after", "Where to go on: 'next' of the page before."),
                ],
                answers: [.json(page, "A page of them."), unavailable]
            )
        ) { .snapshot($0.list) },
        .init(
            .init(
                .post,
                "/v1/notifications/read",
                "Mark all as read.",
                access: .write,
                answers: [
                    .json(.object([.required("read", "How many were not.", .count())]), "They are read."), unavailable,
                ]
            )
        ) { .work($0.readAll) },
        .init(
            .init(
                .get,
                "/v1/notifications/permission",
                "Whether notifications may be shown.",
                access: .read,
                answers: [.json(permission, "What was answered.")]
            )
        ) { .snapshot($0.permission) },
        .init(
            .init(
                .put,
                "/v1/notifications/permission",
                "Say whether notifications may be shown; those that wait for it are shown, or never.",
                access: .write,
                body: .json(
                    .object([.required("answer", "What the user says.", answers)]).named("PermissionAnswer"),
                    upTo: .kibibytes(1)
                ),
                answers: [.json(permission, "It is kept."), unavailable]
            )
        ) { .work($0.changePermission) },
        .init(
            .init(
                .get,
                "/v1/notifications/stream",
                "Handle notifications for as long as it is read; each event is one, and is answered under 'results'.",
                access: .write,
                inputs: [
                    .init(.query, "handler", "The name it handles by; it only listens without one."),
                    .init(.query, "on", "What it handles.", .words(Moment.allCases.map(\.rawValue))),
                    .init(.query, "timeout", "How long it may take with each, such as 25s."),
                    .init(.query, "foreground", "Whether the app is before the user's eyes.", .boolean),
                ],
                answers: [.body("text/event-stream", "The notifications, once 'ready' was told.")]
            )
        ) { .snapshot($0.stream) },
        .init(
            .init(
                .get,
                "/v1/notifications/{id}",
                "All that is known of a notification: how far it is, what each handler came to, how it was shown.",
                access: .read,
                inputs: [
                    id, .init(.query, "wait", "How many seconds to wait until it is done.", .integer(in: 0...60)),
                ],
                answers: [.json(detail, "The notification."), noSuch, unavailable]
            )
        ) { .work($0.look) },
        .init(
            .init(
                .delete,
                "/v1/notifications/{id}",
                "Put it away: it is no longer in the list, and its server is told.",
                access: .write,
                inputs: [id],
                answers: [.nothing(.noContent, "It is put away."), noSuch, unavailable]
            )
        ) { .work($0.dismiss) },
        .init(
            .init(
                .post,
                "/v1/notifications/{id}/read",
                "Mark it as read.",
                access: .write,
                inputs: [id],
                answers: [.nothing(.noContent, "It is read."), noSuch, unavailable]
            )
        ) { .work($0.read) },
        .init(
            .init(
                .post,
                "/v1/notifications/{id}/tap",
                "Tap it, or one of its buttons: answered when that is on the disk, and done after.",
                access: .write,
                body: .json(
                    .object([
                        .optional("button", "The button; the notification itself where absent.", .text.orNull),
                        .optional("id", "The same id is the same tap.", .text(from: 1, upTo: 200).orNull),
                    ]).named("NotificationTap"),
                    upTo: .kibibytes(4),
                    mayBeEmpty: true
                ),
                inputs: [id],
                answers: [
                    .json(taken, "It is taken.", status: .accepted), noSuch,
                    .problem(.notFound, "no-such-button", "It has no such button."), unavailable,
                ]
            )
        ) { .work($0.tap) },
        .init(
            .init(
                .post,
                "/v1/notifications/{id}/results/{handler}",
                "Say what a connected handler came to.",
                access: .write,
                body: .json(
                    .object([
                        .optional(
                            "result",
                            "What it came to; nothing new where absent.",
                            .words(HandlerRecord.Result.allCases.map(\.rawValue)).orNull
                        ),
                        .optional(
                            "options",
                            "How the notification is to be shown.",
                            .array(of: .words(PresentationOption.allCases.map(\.rawValue))).orNull
                        ), .optional("reason", "Why it failed.", .text.orNull),
                    ]).named("HandlerAnswer"),
                    upTo: .kibibytes(16),
                    mayBeEmpty: true
                ),
                inputs: [id, .init(.path, "handler", "The name it handles by.")],
                answers: [
                    .nothing(.noContent, "It is taken."),
                    .problem(.conflict, "not-asked", "It was not asked, has answered, or its time is over."),
                ]
            )
        ) { .snapshot($0.answer) },
    ]

    private static let id = Route.Input(.path, "id", "The notification.", .text(from: 1, upTo: 1_000))
    private static let answers = JSONSchema.words(NotificationPermission.Answer.allCases.map(\.rawValue))
    private static let noSuch = Operation.Answer.problem(
        .notFound,
        "no-such-notification",
        "Nothing is known of it."
    )
    private static let unavailable = Operation.Answer.problem(
        .unavailable,
        "store-unavailable",
        "The store cannot be used now, or the service ends."
    )

    private static let taken = JSONSchema.object([
        .required("id", "What it is known by.", .text), .required("new", "False where it was taken before.", .boolean),
        .optional("update", "True where it was taken before with other content.", .boolean),
        .optional("refused", "Why the link of what was tapped is not opened.", .text),
        .optional("help", "What would have it opened.", .text),
    ]).named("TakenNotification")

    private static let permission = JSONSchema.object([
        .required("answer", "What was answered.", answers),
        .optional("desktop", "Why nothing is shown on the desktop.", .text),
    ]).named("NotificationPermission")

    private static let page = JSONSchema.object([
        .required("notifications", "The notifications.", .array(of: .anything)),
        .optional("next", "Where to go on; missing at the end.", .text),
        .optional("unread", "How many nobody has read.", .count()),
    ]).named("NotificationPage")

    private static let record = JSONSchema.object([
        .required("name", "The handler.", .text),
        .required("result", "What it came to.", .words(HandlerRecord.Result.allCases.map(\.rawValue))),
        .optional("options", "How it wants the notification to be shown.", .array(of: .text)),
        .optional("buttons", "The buttons it wants.", .array(of: .text)),
        .required("attempts", "How often it was begun.", .count()),
        .optional("interrupted", "How many of these the end of the runner cut off.", .count()),
        .required("milliseconds", "How long the last try took.", .count()),
        .required("ended", "When that ended.", .moment), .optional("reason", "Why it failed.", .text),
        .optional("next", "When it is tried again.", .moment),
    ]).named("HandlerRecord")

    private static let detail = JSONSchema.object([
        .required("id", "What it is known by.", .text),
        .optional("update", "True where the same id came with other content: this is the latest.", .boolean),
        .required("state", "How far it is.", .words(["waiting", "handling", "done"])),
        .optional("received", "When it came.", .moment), .optional("ended", "When it was done.", .moment),
        .optional("way", "By which way it came.", .text), .optional("registrar", "Whose it is.", .text),
        .optional("silent", "Whether it is for the program alone.", .boolean), .optional("title", "Its title.", .text),
        .optional("result", "What all handlers came to.", .words(HandlerRecord.Result.allCases.map(\.rawValue))),
        .optional("handlers", "What each came to.", .array(of: record)),
        .optional("shown", "Whether it was shown.", .boolean),
        .optional("suppressed", "Why it was not.", .text), .optional("reason", "What it waits for.", .text),
        .optional("for", "What hastens it.", .text),
        .optional("notification", "It, as it was shown.", .anything),
    ]).named("NotificationDetail")
}
