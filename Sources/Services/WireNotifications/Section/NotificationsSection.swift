package import WireBase
package import WireConfig

/// What happens when a notification arrives, is shown, or is tapped.
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
            "Whether notifications may be shown, until the user says otherwise.",
            or: .ask
        )
        _whileAsking = keys.value(
            "whileAsking",
            "What becomes of notifications for people until the user has been asked.",
            or: .wait
        )
        _foreground = keys.value(
            "foreground",
            "What is shown while a connected app says that it is before the user's eyes.",
            or: .show
        )
        _sinks = keys.value("sinks", "Where what is presented appears.", or: [.console], .example("[console, desktop]"))
        _handlers = keys.value(
            "handlers",
            "What is done with a notification, by names you choose.",
            or: Named(),
            .example("{ show: { on: presentable, present: [banner, sound] } }")
        )
        _buttons = keys.value(
            "buttons",
            "The buttons that handlers may show, by names you choose.",
            or: Named(),
            .example("{ reply: { label: Reply, open: \"com.example.tasks://reply/{{ id }}\" } }")
        )
        _strings = keys.value(
            "strings",
            "The texts for keys of translations that pushes name (loc-key, body_loc_key); %@, %1$@ and %s are their arguments.",
            or: Named(),
            .example("{ TASK_DUE: \"%@ is due\" }")
        )
        _links = keys.value("links", "What links of notifications may lead to, and what opens them.", or: .placeholder)
        _media = keys.optional(
            "media",
            "Which media of a notification are fetched; none when absent.",
            .example("{ maxSize: 5MiB }")
        )
        _deduplicate = keys.value(
            "deduplicate",
            "How long a notification that comes again is recognised; what has succeeded is not done again.",
            or: .seconds(7 * 86_400),
            .in(.seconds(60) ... .seconds(90 * 86_400)),
            .example("7d")
        )
        _maxPayload = keys.value(
            "maxPayload",
            "The largest notification that is taken.",
            or: .kibibytes(64),
            .in(.kibibytes(1) ... .mebibytes(1)),
            .example("64KiB")
        )
        _maxWaiting = keys.value(
            "maxWaiting",
            "How many may wait to be handled; more are refused.",
            or: 10_000,
            .in(1...1_000_000)
        )
        _parallel = keys.value("parallel", "How many are handled at once.", or: 16, .in(1...256))
        _inbox = keys.value("inbox", "What is kept of notifications that were shown.", or: .placeholder)
        _streams = keys.value(
            "streams",
            "Servers that send notifications themselves, by names you choose.",
            or: Named(),
            .example("{ tasks: { url: v1/notifications/stream } }")
        )
    }
}

/// Whether notifications may be shown.
package enum Permission: String, Choice {
    case ask, granted, denied

    package var help: String {
        switch self {
        case .ask: "the user is asked; until then nothing is shown"
        case .granted: "they are shown"
        case .denied: "remote and local ones are suppressed and counted"
        }
    }
}

/// What becomes of notifications for people until the user has been asked.
package enum WhileAsking: String, Choice {
    case wait, suppress

    package var help: String {
        switch self {
        case .wait: "they wait, and are shown when the user agrees"
        case .suppress: "they are never shown, and counted"
        }
    }
}

/// What is shown while a connected app is before the user's eyes.
package enum ForegroundRule: String, Choice {
    case show, list, hide

    package var help: String {
        switch self {
        case .show: "what is shown at other times"
        case .list: "nothing appears or is heard; it is counted and kept in the list"
        case .hide: "nothing"
        }
    }
}

/// What is kept of notifications that were shown.
package struct Inbox: Record {
    @Setting package var keep: Duration
    @Setting package var entries: Int

    package init(_ keys: inout Keys) {
        _keep = keys.value(
            "keep",
            "How long they are kept.",
            or: .seconds(30 * 86_400),
            .in(.seconds(60) ... .seconds(365 * 86_400)),
            .example("30d")
        )
        _entries = keys.value(
            "entries",
            "How many are kept; the oldest go first.",
            or: 1_000,
            .in(1...100_000)
        )
    }
}

/// Where what is presented appears.
package enum Sink: String, Choice {
    case console, desktop, terminal

    package var help: String {
        switch self {
        case .console: "corewire's web console and connected apps"
        case .desktop: "the desktop's notification service"
        case .terminal: "the terminal corewire runs in"
        }
    }
}

/// What links of notifications may lead to, and what opens them.
package struct Links: Record {
    @Setting package var schemes: [LinkScheme]
    @Setting package var exec: Command?

    package init(_ keys: inout Keys) {
        _schemes = keys.value(
            "schemes",
            "The schemes that are opened; other links are refused.",
            or: [LinkScheme(known: "https")],
            .notEmpty,
            .example("[https, com.example.tasks]")
        )
        _exec = keys.optional(
            "exec",
            "The program that opens a link; without one only connected apps are told.",
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
        // These run what a notification says, on this machine.
        guard !["javascript", "data", "file"].contains(text.lowercased()) else {
            throw Misread(expected: "the scheme of a place a link may lead to")
        }
        self.init(text: text.lowercased())
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isLetter else { return false }
        return text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+.-".utf8.contains($0) }
    }

    /// The scheme.
    package var description: String { text }
}

/// Which media of a notification are fetched before it is shown.
package struct Media: Record {
    @Setting package var maxSize: ByteCount
    @Setting package var timeout: Duration
    @Setting package var hosts: [Host]
    @Setting package var keep: Duration
    @Setting package var maxTotal: ByteCount

    package init(_ keys: inout Keys) {
        _maxSize = keys.value(
            "maxSize",
            "The largest file that is fetched.",
            or: .mebibytes(10),
            .in(.kibibytes(1) ... .mebibytes(200))
        )
        _timeout = keys.value(
            "timeout",
            "How long showing waits for it; then the notification is shown without.",
            or: .seconds(25),
            .in(.seconds(1) ... .seconds(120))
        )
        _hosts = keys.value(
            "hosts",
            "The hosts media may come from; any when empty.",
            or: [],
            .example("[\"*.example.com\"]")
        )
        _keep = keys.value(
            "keep",
            "How long they are kept at most; they go before, with their notifications.",
            or: .seconds(30 * 86_400),
            .in(.seconds(60) ... .seconds(365 * 86_400)),
            .example("30d")
        )
        _maxTotal = keys.value(
            "maxTotal",
            "How much all of them may take; those that were fetched longest ago go first.",
            or: .mebibytes(200),
            .in(.mebibytes(1) ... .mebibytes(102_400))
        )
    }
}
