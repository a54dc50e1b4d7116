package import WireBase
package import WireConfig

/// The handling of notifications: on arrival, when shown, when tapped.
package struct NotificationsSection: Section {
    package static let name = "notifications"
    package static let summary = "Notifications: the permission, the handlers, and where they are shown."
    package static let codes = Code.notificationsCodes
    package static let asks: Set<Provision.Kind> = [.requests]

    @Setting package var permission: Permission
    @Setting package var whileAsking: WhileAsking
    @Setting package var foreground: ForegroundRule
    @Setting package var sinks: [Sink]
    @Setting package var handlers: Named<Handler>
    @Setting package var buttons: Named<Button>
    @Setting package var strings: Named<String>
    @Setting package var links: Links
    @Setting package var media: Media?
    @Setting package var deduplicate: Duration
    @Setting package var maxPayload: ByteCount
    @Setting package var maxWaiting: Int
    @Setting package var parallel: Int
    @Setting package var inbox: Inbox
    @Setting package var streams: Named<NotificationStream>

    package init(_ keys: inout Keys) {
        _permission = keys.value(
            "permission",
            "Permission to show notifications, until the user decides.",
            or: .ask
        )
        _whileAsking = keys.value(
            "whileAsking",
            "Handling of notifications until the user has decided.",
            or: .wait
        )
        _foreground = keys.value(
            "foreground",
            "Handling of notifications while a connected app is in the foreground.",
            or: .show
        )
        _sinks = keys.value(
            "sinks",
            "Places where notifications appear.",
            or: [.console],
            .example("[console, desktop]")
        )
        _handlers = keys.value(
            "handlers",
            "Handlers of notifications, by names you choose.",
            or: Named(),
            .example("{ show: { on: presentable, present: [banner, sound] } }")
        )
        _buttons = keys.value(
            "buttons",
            "Buttons that handlers may show, by names you choose.",
            or: Named(),
            .example("{ reply: { label: Reply, open: \"com.example.tasks://reply/{{ id }}\" } }")
        )
        _strings = keys.value(
            "strings",
            "Texts for translation keys in pushes (loc-key, body_loc_key); %@, %1$@ and %s are their arguments.",
            or: Named(),
            .example("{ TASK_DUE: \"%@ is due\" }")
        )
        _links = keys.value("links", "Allowed links, and the program that opens them.", or: .placeholder)
        _media = keys.optional(
            "media",
            "Download of media for notifications. Default: media is not fetched.",
            .example("{ maxSize: 5MiB }")
        )
        _deduplicate = keys.value(
            "deduplicate",
            "Time for which a repeated notification is recognized; actions that have succeeded are not repeated.",
            or: .seconds(7 * 86_400),
            .in(.seconds(60) ... .seconds(90 * 86_400)),
            .example("7d")
        )
        _maxPayload = keys.value(
            "maxPayload",
            "Maximum size of a notification.",
            or: .kibibytes(64),
            .in(.kibibytes(1) ... .mebibytes(1)),
            .example("64KiB")
        )
        _maxWaiting = keys.value(
            "maxWaiting",
            "Maximum number of queued notifications; further notifications are rejected.",
            or: 10_000,
            .in(1...1_000_000)
        )
        _parallel = keys.value("parallel", "Number of notifications handled in parallel.", or: 16, .in(1...256))
        _inbox = keys.value("inbox", "Inbox: the list of shown notifications.", or: .placeholder)
        _streams = keys.value(
            "streams",
            "Servers that send notifications over a stream, by names you choose.",
            or: Named(),
            .example("{ tasks: { url: v1/notifications/stream } }")
        )
    }
}

/// The permission to show notifications.
package enum Permission: String, Choice {
    case ask, granted, denied

    package var help: String {
        switch self {
        case .ask: "nothing is shown until the user decides"
        case .granted: "notifications are shown"
        case .denied: "notifications are suppressed and counted"
        }
    }
}

/// The handling of notifications until the user has decided.
package enum WhileAsking: String, Choice {
    case wait, suppress

    package var help: String {
        switch self {
        case .wait: "notifications are queued, and shown if the user agrees"
        case .suppress: "notifications are counted and not shown"
        }
    }
}

/// The handling of notifications while a connected app is in the foreground.
package enum ForegroundRule: String, Choice {
    case show, list, hide

    package var help: String {
        switch self {
        case .show: "notifications are shown as usual"
        case .list: "notifications are counted and added to the inbox, without display or sound"
        case .hide: "notifications are not shown"
        }
    }
}

/// The list of shown notifications.
package struct Inbox: Record {
    @Setting package var keep: Duration
    @Setting package var entries: Int

    package init(_ keys: inout Keys) {
        _keep = keys.value(
            "keep",
            "Retention time.",
            or: .seconds(30 * 86_400),
            .in(.seconds(60) ... .seconds(365 * 86_400)),
            .example("30d")
        )
        _entries = keys.value(
            "entries",
            "Maximum number of notifications; the oldest are removed first.",
            or: 1_000,
            .in(1...100_000)
        )
    }
}

/// A place where notifications appear.
package enum Sink: String, Choice {
    case console, desktop, terminal

    package var help: String {
        switch self {
        case .console: "corewire's web console and connected apps"
        case .desktop: "the desktop's notification service"
        case .terminal: "the terminal of the runner"
        }
    }
}

/// The links that may be opened, and the program that opens them.
package struct Links: Record {
    @Setting package var schemes: [LinkScheme]
    @Setting package var exec: Command?

    package init(_ keys: inout Keys) {
        _schemes = keys.value(
            "schemes",
            "Allowed schemes; other links are rejected.",
            or: [LinkScheme(known: "https")],
            .notEmpty,
            .example("[https, com.example.tasks]")
        )
        _exec = keys.optional(
            "exec",
            "Program that opens a link. Default: none; connected apps get the link.",
            .example("[xdg-open, \"{{ link }}\"]")
        )
    }
}

/// The scheme of a link: `https`, `com.example.tasks`.
package struct LinkScheme: Sendable, Hashable {
    /// The scheme, in lower case.
    package let text: String
}

extension LinkScheme: TextValue {
    package static var textForm: TextForm {
        TextForm("the scheme of a URL", example: "https", pattern: "^[A-Za-z][A-Za-z0-9+.-]*$")
    }

    package init(parsing text: String) throws(Misread) {
        guard Self.isScheme(text) else {
            let bare = String(text.prefix { $0 != ":" })
            throw Self.isScheme(bare) ? Misread(help: "write the scheme alone: \(bare)", fix: bare) : Misread()
        }
        // These would execute the content of a notification on this machine.
        guard !["javascript", "data", "file"].contains(text.lowercased()) else {
            throw Misread(expected: "an allowed URL scheme")
        }
        self.init(text: text.lowercased())
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isLetter else { return false }
        return text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+.-".utf8.contains($0) }
    }

    package var description: String { text }
}

/// The media that are fetched before a notification is shown.
package struct Media: Record {
    @Setting package var maxSize: ByteCount
    @Setting package var timeout: Duration
    @Setting package var hosts: [Host]
    @Setting package var keep: Duration
    @Setting package var maxTotal: ByteCount

    package init(_ keys: inout Keys) {
        _maxSize = keys.value(
            "maxSize",
            "Maximum size of a file.",
            or: .mebibytes(10),
            .in(.kibibytes(1) ... .mebibytes(200))
        )
        _timeout = keys.value(
            "timeout",
            "Timeout of a download, after which the notification is shown without media.",
            or: .seconds(25),
            .in(.seconds(1) ... .seconds(120))
        )
        _hosts = keys.value(
            "hosts",
            "Allowed hosts. An empty list allows all hosts.",
            or: [],
            .example("[\"*.example.com\"]")
        )
        _keep = keys.value(
            "keep",
            "Retention time; media is removed earlier with its notification.",
            or: .seconds(30 * 86_400),
            .in(.seconds(60) ... .seconds(365 * 86_400)),
            .example("30d")
        )
        _maxTotal = keys.value(
            "maxTotal",
            "Maximum size of all media; the oldest are removed first.",
            or: .mebibytes(200),
            .in(.mebibytes(1) ... .mebibytes(102_400))
        )
    }
}
