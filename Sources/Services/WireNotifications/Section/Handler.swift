package import WireBase
package import WireConfig
package import WireNotificationContract

/// What is done with the notifications it is for: one or more actions.
package struct Handler: Record {
    static let mostButtons = 3

    @Setting package var moment: Moment
    @Setting package var condition: Named<Condition>
    @Setting package var refetch: OperationNames?
    @Setting package var download: Template?
    @Setting package var present: [PresentationOption]?
    @Setting package var buttons: [Identifier]
    @Setting package var exec: Command?
    @Setting package var post: Address?
    @Setting package var authorization: TokenChoice?
    @Setting package var sign: Secret<String>?
    @Setting package var open: Template?
    @Setting package var state: StateAction?
    @Setting package var log: LogAction?
    @Setting package var timeout: Duration
    @Setting package var retries: Int
    @Setting package var retryAfter: Duration

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
package struct StateAction: Record {
    @Setting package var namespace: Identifier
    @Setting package var key: Template
    @Setting package var value: Template

    package init(_ keys: inout Keys) {
        _namespace = keys.required("namespace", "The namespace it is stored in.", .example("alerts"))
        _key = keys.required("key", "The key it is stored under.", .example("last"))
        _value = keys.required("value", "What is stored, as text.", .example("\"{{ body }}\""))
    }
}

/// Something that is written to the log.
package struct LogAction: Record {
    @Setting package var level: LogWord
    @Setting package var text: Template

    package init(_ keys: inout Keys) {
        _level = keys.value("level", "How much it matters.", or: .info)
        _text = keys.required("text", "What is written.", .example("\"{{ title }}\""))
    }
}

/// How much a line of the log matters.
package enum LogWord: String, Choice {
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
package struct Button: Record {
    @Setting package var label: Template
    @Setting package var open: Template?
    @Setting package var exec: Command?
    @Setting package var post: Address?
    @Setting package var authorization: TokenChoice?
    @Setting package var sign: Secret<String>?

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
