package import WireBase
package import WireConfig
package import WireNotificationContract

/// A handler of notifications: one or more actions.
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
        _moment = keys.required("on", "The moment at which the handler runs.")
        _condition = keys.value(
            "when",
            "Conditions on fields of the payload: present, absent, a value, or one of several values.",
            or: Named(),
            .example("{ kind: task-changed }")
        )
        _refetch = keys.optional("refetch", "The queries to refetch, by name.", .example("AllTasks"))
        _download = keys.optional(
            "download",
            "The URL of a file to download.",
            .example("\"{{ fileURLToDownload }}\""),
            .becomes(.download)
        )
        _present = keys.optional(
            "present",
            "The ways to show the notification; an empty list shows nothing.",
            .example("[banner, sound]")
        )
        _buttons = keys.value(
            "buttons",
            "The names of the buttons to show; at most three.",
            or: [],
            .described(most: Self.mostButtons),
            .example("[reply]")
        )
        _exec = keys.optional(
            "exec",
            "The program to run; its exit status is the result: 0 something new, 10 nothing new, another a failure.",
            .example("[notify-send, \"{{ title }}\", \"{{ body }}\"]")
        )
        _post = keys.optional(
            "post",
            "The URL that the notification is posted to, as JSON.",
            .takes(.endpoint),
            .example("https://hooks.example.com/notifications"),
            .standIn(at: "inbox")
        )
        _authorization = TokenChoice.key(&keys, "the post carries")
        _sign = keys.optional(
            "sign",
            "The secret that signs the post: HMAC-SHA256 in the field Corewire-Signature.",
            .example("${credential:hook-secret}")
        )
        _open = keys.optional("open", "The link to open.", .example("\"com.example.tasks://task/{{ taskId }}\""))
        _state = keys.optional(
            "state",
            "A value to put into the app's store.",
            .example("{ namespace: alerts, key: last, value: \"{{ body }}\" }")
        )
        _log = keys.optional(
            "log",
            "A line to write to the log.",
            .example("{ level: notice, text: \"{{ title }}\" }")
        )
        _timeout = keys.value(
            "timeout",
            "The timeout of an attempt.",
            or: .seconds(25),
            .in(.seconds(1) ... .seconds(600))
        )
        _retries = keys.value(
            "retries",
            "The number of retries after a failure; actions that have succeeded are not repeated.",
            or: 3,
            .in(0...20)
        )
        _retryAfter = keys.value(
            "retryAfter",
            "The pause before the first retry; it doubles each time, up to an hour.",
            or: .seconds(10),
            .in(.seconds(1) ... .seconds(3_600))
        )
    }
}

/// A value to put into the app's store.
package struct StateAction: Record {
    @Setting package var namespace: Identifier
    @Setting package var key: Template
    @Setting package var value: Template

    package init(_ keys: inout Keys) {
        _namespace = keys.required("namespace", "The namespace.", .example("alerts"))
        _key = keys.required("key", "The key.", .example("last"))
        _value = keys.required("value", "The value, as text.", .example("\"{{ body }}\""))
    }
}

/// A line to write to the log.
package struct LogAction: Record {
    @Setting package var level: LogWord
    @Setting package var text: Template

    package init(_ keys: inout Keys) {
        _level = keys.value("level", "The severity.", or: .info)
        _text = keys.required("text", "The text.", .example("\"{{ title }}\""))
    }
}

/// The severity of a log line.
package enum LogWord: String, Choice {
    case debug, info, notice, warning, error

    package var help: String {
        switch self {
        case .debug: "for debugging"
        case .info: "routine events"
        case .notice: "notable events"
        case .warning: "problems that may need attention"
        case .error: "errors"
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
        _label = keys.required("label", "The label.", .example("Reply"))
        _open = keys.optional("open", "The link to open.", .example("\"com.example.tasks://reply/{{ id }}\""))
        _exec = keys.optional("exec", "The program to run.", .example("[./reply, \"{{ id }}\"]"))
        _post = keys.optional(
            "post",
            "The URL that the notification is posted to, as JSON.",
            .takes(.endpoint),
            .example("https://hooks.example.com/replies"),
            .standIn(at: "inbox")
        )
        _authorization = TokenChoice.key(&keys, "the post carries")
        _sign = keys.optional(
            "sign",
            "The secret that signs the post: HMAC-SHA256 in the field Corewire-Signature.",
            .example("${credential:hook-secret}")
        )
    }
}
