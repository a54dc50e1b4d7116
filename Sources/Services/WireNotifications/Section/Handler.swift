public import WireBase
public import WireConfig
public import WireService

/// What is done with the notifications it is for: one or more actions.
public struct Handler: Record {
    static let mostButtons = 3

    /// The moment it is for.
    @Setting public var moment: Moment
    /// What the payload must say.
    @Setting public var condition: Named<Condition>
    /// The queries that are asked again.
    @Setting public var refetch: OperationNames?
    /// The file that is fetched.
    @Setting public var download: Template?
    /// How the notification is shown.
    @Setting public var present: [PresentationOption]?
    /// The buttons that are shown with it.
    @Setting public var buttons: [Identifier]
    /// The program that is run.
    @Setting public var exec: Command?
    /// Where the notification is posted to.
    @Setting public var post: Address?
    /// Whose token the post carries; the usual one where nil.
    @Setting public var authorization: TokenChoice?
    /// What the post is signed with.
    @Setting public var sign: Secret<String>?
    /// The link that is opened.
    @Setting public var open: Template?
    /// What is stored.
    @Setting public var state: StateAction?
    /// What is written to the log.
    @Setting public var log: LogAction?
    /// How long it may take.
    @Setting public var timeout: Duration
    /// How often it is tried again where it fails.
    @Setting public var retries: Int
    /// How long it waits before that.
    @Setting public var retryAfter: Duration

    package init(_ keys: inout Keys) {
        _moment = keys.required("on", "The moment it is for.")
        _condition = keys.value(
            "when",
            "What fields of the payload must say: present, absent, a value, or one of several values.",
            or: Named(),
            .example("{ kind: task-changed }")
        )
        _refetch = keys.optional("refetch", "The queries that are asked again, by name.", .example("AllTasks"))
        _download = keys.optional(
            "download",
            "The URL of a file that is fetched.",
            .example("\"{{ fileURLToDownload }}\""),
            .becomes(.download)
        )
        _present = keys.optional(
            "present",
            "How the notification is shown; an empty list shows nothing.",
            .example("[banner, sound]")
        )
        _buttons = keys.value(
            "buttons",
            "The buttons that are shown with it, by name; at most three.",
            or: [],
            .described(most: Self.mostButtons),
            .example("[reply]")
        )
        _exec = keys.optional(
            "exec",
            "The program that is run; its exit status is the result: 0 something new, 10 nothing new, another a failure.",
            .example("[notify-send, \"{{ title }}\", \"{{ body }}\"]")
        )
        _post = keys.optional(
            "post",
            "Where the notification is posted to, as JSON.",
            .takes(.endpoint),
            .example("https://hooks.example.com/notifications"),
            .standIn(at: "inbox")
        )
        _authorization = TokenChoice.key(&keys, "the post carries")
        _sign = keys.optional(
            "sign",
            "What the post is signed with: HMAC-SHA256 in the field Corewire-Signature.",
            .example("${credential:hook-secret}")
        )
        _open = keys.optional("open", "The link that is opened.", .example("\"com.example.tasks://task/{{ taskId }}\""))
        _state = keys.optional(
            "state",
            "What is stored among what apps store.",
            .example("{ namespace: alerts, key: last, value: \"{{ body }}\" }")
        )
        _log = keys.optional(
            "log",
            "What is written to the log of the runner.",
            .example("{ level: notice, text: \"{{ title }}\" }")
        )
        _timeout = keys.value(
            "timeout",
            "How long it may take before it counts as failed.",
            or: .seconds(25),
            .in(.seconds(1) ... .seconds(600))
        )
        _retries = keys.value(
            "retries",
            "How often it is tried again where it fails; what has succeeded is not done again.",
            or: 3,
            .in(0...20)
        )
        _retryAfter = keys.value(
            "retryAfter",
            "How long it waits before it is tried again; twice as long each time, an hour at most.",
            or: .seconds(10),
            .in(.seconds(1) ... .seconds(3_600))
        )
    }
}

/// Something that is stored among what apps store.
public struct StateAction: Record {
    /// Where it is stored.
    @Setting public var namespace: Identifier
    /// The key it is stored under.
    @Setting public var key: Template
    /// What is stored.
    @Setting public var value: Template

    package init(_ keys: inout Keys) {
        _namespace = keys.required("namespace", "The namespace it is stored in.", .example("alerts"))
        _key = keys.required("key", "The key it is stored under.", .example("last"))
        _value = keys.required("value", "What is stored, as text.", .example("\"{{ body }}\""))
    }
}

/// Something that is written to the log.
public struct LogAction: Record {
    /// How much it matters.
    @Setting public var level: LogWord
    /// What is written.
    @Setting public var text: Template

    package init(_ keys: inout Keys) {
        _level = keys.value("level", "How much it matters.", or: .info)
        _text = keys.required("text", "What is written.", .example("\"{{ title }}\""))
    }
}

/// How much a line of the log matters.
public enum LogWord: String, Choice {
    case debug, info, notice, warning, error

    package var help: String {
        switch self {
        case .debug: "for whoever looks for a fault"
        case .info: "what happens every day"
        case .notice: "what somebody may want to know"
        case .warning: "what somebody should look at"
        case .error: "what is broken"
        }
    }
}

/// A button of a notification.
public struct Button: Record {
    /// What it says.
    @Setting public var label: Template
    /// The link that is opened.
    @Setting public var open: Template?
    /// The program that is run.
    @Setting public var exec: Command?
    /// Where the notification is posted to.
    @Setting public var post: Address?
    /// Whose token the post carries; the usual one where nil.
    @Setting public var authorization: TokenChoice?
    /// What the post is signed with.
    @Setting public var sign: Secret<String>?

    package init(_ keys: inout Keys) {
        _label = keys.required("label", "What it says.", .example("Reply"))
        _open = keys.optional("open", "The link that is opened.", .example("\"com.example.tasks://reply/{{ id }}\""))
        _exec = keys.optional("exec", "The program that is run.", .example("[./reply, \"{{ id }}\"]"))
        _post = keys.optional(
            "post",
            "Where the notification is posted to, as JSON.",
            .takes(.endpoint),
            .example("https://hooks.example.com/replies"),
            .standIn(at: "inbox")
        )
        _authorization = TokenChoice.key(&keys, "the post carries")
        _sign = keys.optional(
            "sign",
            "What the post is signed with: HMAC-SHA256 in the field Corewire-Signature.",
            .example("${credential:hook-secret}")
        )
    }
}
