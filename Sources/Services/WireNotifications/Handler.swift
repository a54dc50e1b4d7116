public import WireConfig

/// What is done with the notifications it is for: one or more actions.
public struct Handler: Record {
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
    /// The link that is opened.
    @Setting public var open: Template?
    /// How long it may take.
    @Setting public var timeout: Duration

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
            .example("\"{{ fileURLToDownload }}\"")
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
            .example("[reply]")
        )
        _exec = keys.optional(
            "exec",
            "The program that is run; its exit status is the result.",
            .example("[notify-send, \"{{ title }}\", \"{{ body }}\"]")
        )
        _post = keys.optional(
            "post",
            "Where the notification is posted to, as JSON.",
            .example("https://hooks.example.com/notifications")
        )
        _open = keys.optional("open", "The link that is opened.", .example("\"com.example.tasks://task/{{ taskId }}\""))
        _timeout = keys.value(
            "timeout",
            "How long it may take before it counts as failed.",
            or: .seconds(25),
            .in(.seconds(1) ... .seconds(600))
        )
    }
}

/// The moment a handler is for.
public enum Moment: String, Choice {
    case remote, presentable, tap, any

    package var help: String {
        switch self {
        case .remote: "a notification for the program alone has arrived"
        case .presentable: "a notification for people is about to be shown"
        case .tap: "the user has tapped a notification, or the button that the field 'button' names"
        case .any: "a notification of either kind has arrived"
        }
    }
}

/// A way a notification is shown.
public enum PresentationOption: String, Choice {
    case banner, sound, badge, list

    package var help: String {
        switch self {
        case .banner: "it appears at once"
        case .sound: "it is heard"
        case .badge: "it is counted"
        case .list: "it is kept in the list of notifications"
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

    package init(_ keys: inout Keys) {
        _label = keys.required("label", "What it says.", .example("Reply"))
        _open = keys.optional("open", "The link that is opened.", .example("\"com.example.tasks://reply/{{ id }}\""))
        _exec = keys.optional("exec", "The program that is run.", .example("[./reply, \"{{ id }}\"]"))
        _post = keys.optional(
            "post",
            "Where the notification is posted to, as JSON.",
            .example("https://hooks.example.com/replies")
        )
    }
}
