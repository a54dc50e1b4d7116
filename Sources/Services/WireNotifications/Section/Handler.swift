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
        _moment = keys.required("on", "Moment at which the handler runs.")
        _condition = keys.value(
            "when",
            "Conditions on fields of the payload: present, absent, a value, or one of several values.",
            or: Named(),
            .example("{ kind: task-changed }")
        )
        _refetch = keys.optional("refetch", "Queries to refetch, by name.", .example("AllTasks"))
        _download = keys.optional(
            "download",
            "URL of a file to download.",
            .example("\"{{ fileURLToDownload }}\""),
            .becomes(.download)
        )
        _present = keys.optional(
            "present",
            "Ways to show the notification. An empty list shows nothing.",
            .example("[banner, sound]")
        )
        _buttons = keys.value(
            "buttons",
            "Names of the buttons to show; at most three.",
            or: [],
            .described(most: Self.mostButtons),
            .example("[reply]")
        )
        _exec = keys.optional(
            "exec",
            "Program to run. Exit status: 0 new data, 10 no new data, other values failure.",
            .example("[notify-send, \"{{ title }}\", \"{{ body }}\"]")
        )
        _post = keys.optional(
            "post",
            "URL that the notification is posted to, as JSON.",
            .takes(.endpoint),
            .example("https://hooks.example.com/notifications"),
            .standIn(at: "inbox")
        )
        _authorization = TokenChoice.key(&keys, "the post carries")
        _sign = keys.optional(
            "sign",
            "Secret that signs the post: HMAC-SHA256 in the field Corewire-Signature.",
            .example("${credential:hook-secret}")
        )
        _open = keys.optional("open", "Link to open.", .example("\"com.example.tasks://task/{{ taskId }}\""))
        _state = keys.optional(
            "state",
            "Value to store in a namespace.",
            .example("{ namespace: alerts, key: last, value: \"{{ body }}\" }")
        )
        _log = keys.optional(
            "log",
            "Line to write to the log.",
            .example("{ level: notice, text: \"{{ title }}\" }")
        )
        _timeout = keys.value(
            "timeout",
            "Timeout of an attempt.",
            or: .seconds(25),
            .in(.seconds(1) ... .seconds(600))
        )
        _retries = keys.value(
            "retries",
            "Number of retries after a failure; actions that have succeeded are not repeated.",
            or: 3,
            .in(0...20)
        )
        _retryAfter = keys.value(
            "retryAfter",
            "Pause before the first retry; it doubles with each retry, up to 1h.",
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
        _namespace = keys.required("namespace", "Namespace.", .example("alerts"))
        _key = keys.required("key", "Key.", .example("last"))
        _value = keys.required("value", "Value, as text.", .example("\"{{ body }}\""))
    }
}

/// A line to write to the log.
package struct LogAction: Record {
    @Setting package var level: LogWord
    @Setting package var text: Template

    package init(_ keys: inout Keys) {
        _level = keys.value("level", "Severity.", or: .info)
        _text = keys.required("text", "Text.", .example("\"{{ title }}\""))
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
        _label = keys.required("label", "Label.", .example("Reply"))
        _open = keys.optional("open", "Link to open.", .example("\"com.example.tasks://reply/{{ id }}\""))
        _exec = keys.optional("exec", "Program to run.", .example("[./reply, \"{{ id }}\"]"))
        _post = keys.optional(
            "post",
            "URL that the notification is posted to, as JSON.",
            .takes(.endpoint),
            .example("https://hooks.example.com/replies"),
            .standIn(at: "inbox")
        )
        _authorization = TokenChoice.key(&keys, "the post carries")
        _sign = keys.optional(
            "sign",
            "Secret that signs the post: HMAC-SHA256 in the field Corewire-Signature.",
            .example("${credential:hook-secret}")
        )
    }
}
